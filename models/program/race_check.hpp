#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tasktwin {

/// Memory that a piece of work reads or writes: [begin, end).
struct MemoryAccess {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool write = false;
};

/// What a call of the host does to order and memory.
enum class OrderStepKind : std::uint8_t {
  kWork,            ///< queues work in a stream
  kRecord,          ///< records an event in a stream
  kStreamWait,      ///< has a stream wait for a record
  kHostWaitRecord,  ///< the host has waited for a record,
  kHostWaitStream,  ///< for a stream,
  kHostWaitAll,     ///< or for everything
  kAllocate,        ///< memory is allocated: at once, or in stream order where the step has a stream
  kFree,            ///< it is freed, in the same way; at once, the host waits for everything first
};

/// How a stream is ordered in addition to events.
enum class StreamOrder : std::uint8_t {
  kOwn,       ///< not at all
  kBlocking,  ///< with the legacy default stream
  kLegacy,    ///< it is that stream: its work waits for all work in blocking streams, and delays all later work in them
};

struct OrderStep {
  static constexpr std::uint32_t kNone = ~0U;
  OrderStepKind kind{};
  std::uint32_t stream = kNone;
  std::uint32_t record = kNone;             ///< number; of a wait: none for an event that was never recorded
  bool host_waits = false;                  ///< kWork: the call returns when its work is done
  std::uint64_t address = 0;                ///< kAllocate, kFree
  std::uint64_t bytes = 0;                  ///< kAllocate
  std::vector<MemoryAccess> accesses = {};  ///< kWork
};

enum class RaceKind : std::uint8_t {
  kUseWithoutWait,  ///< two accesses, one of them a write, or an allocation and an access, that nothing orders
  kUseAfterFree     ///< an access after a free, or one that nothing orders before it
};

/// Two steps by number, the earlier call first.
struct Race {
  RaceKind kind{};
  std::size_t first = 0;
  std::size_t second = 0;
  std::uint64_t address = 0;  ///< of the access
  friend bool operator==(const Race&, const Race&) = default;
};

/// Accesses of one program that its streams, events and waits leave unordered, and accesses to memory that was freed: each pair of steps
/// once. Steps come in the order of the host's calls; calls of several host threads count as ordered as they came, since what threads say
/// to each other is not seen. Memory that no step allocates is not watched. Contract: streams are below `streams.size()`.
std::vector<Race> find_races(std::span<const OrderStep> steps, std::span<const StreamOrder> streams);

}  // namespace tasktwin
