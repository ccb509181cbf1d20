#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// What an iteration of a program gave the device to do, as far as its order goes. It needs no CUDA.
namespace tasktwin::gpu::rerun {

enum class StreamKind : std::uint8_t {
  kLegacy,      ///< the default stream: a barrier for all blocking streams
  kBlocking,    ///< waits for the legacy stream, and it for this one
  kNonBlocking  ///< knows only its own order and events
};

enum class StepKind : std::uint8_t {
  kOperation,   ///< a kernel, a copy or a memset begins to count on a stream
  kRecord,      ///< an event on a stream
  kWait,        ///< a stream waits for an event's last record
  kSyncStream,  ///< the host waits for a stream,
  kSyncEvent,   ///< for an event's last record,
  kSyncAll      ///< or for everything
};

/// One call of the host, in the order of the calls.
struct Step {
  StepKind kind = StepKind::kOperation;
  int stream = -1;     ///< in the table of streams
  int event = -1;      ///< a number of its own for each event
  int operation = -1;  ///< operations count from 0, in this order
};

/// The operations that each operation waits for.
using Edges = std::vector<std::vector<int>>;

std::size_t edge_count(const Edges& edges);

/// What streams, events and the host's waits order, without edges that others imply. A wait for an event that was not recorded in these
/// steps orders nothing, as in CUDA; what the host launches after a wait comes after what it waited for.
Edges edges_of(const std::vector<StreamKind>& streams, const std::vector<Step>& steps);

/// Without those that others imply. Contract: no operation waits for a later one.
Edges reduced(const Edges& edges);

/// No two operations may run side by side.
bool is_chain(const Edges& edges);

/// Each operation waits for the one before.
Edges chain(std::size_t operations);

/// The same, but for every `every`-th operation, which waits for nothing: a wrong order, to show that a check of results finds one.
Edges cut_chain(std::size_t operations, std::size_t every);

/// An operation, the next one to be given, on a stream, after others that were given before.
struct PlacedOperation {
  int stream = 0;
  std::vector<int> before{};
};

/// The calls that give operations to `count` streams as they are placed, with a record and a wait for each edge between two streams that
/// nothing else implies.
std::vector<Step> over_streams(const std::vector<PlacedOperation>& placed, int count);

/// The same for operations in the order of issue over non-blocking streams. An operation follows one that it waits for, where that is
/// the last of its stream, else on the stream with the fewest operations. Contract: `count` is at least 1, and no operation waits for a
/// later one.
std::vector<Step> over_streams(const Edges& edges, int count);

}  // namespace tasktwin::gpu::rerun
