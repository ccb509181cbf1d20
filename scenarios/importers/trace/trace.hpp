#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scenarios/importers/parts/imported.hpp"

namespace tasktwin::scenarios {

// A profiler's trace of a CUDA program, whatever file it was read from. Times are ns on one clock.

/// Texts, each once, by number.
class Texts {
 public:
  std::uint32_t number(std::string_view text);
  const std::string& operator[](std::uint32_t number) const { return *texts_[number]; }
  std::size_t size() const { return texts_.size(); }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> texts_;
};

/// A block's needs and a kernel's width, as launched.
struct TraceShape {
  std::int64_t blocks = 1;
  std::int32_t threads = 0;
  std::int32_t registers = 0;
  std::int64_t shared_memory = 0;
  friend bool operator==(const TraceShape&, const TraceShape&) = default;
};

/// What the device did: a kernel, a copy or a memset.
struct TraceOp {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t correlation = -1;  ///< of the call that launched it
  std::int64_t bytes = 0;         ///< of a copy or a memset
  std::int64_t node = -1;         ///< of a graph: the node's id
  std::int64_t queue = -1;        ///< of a kernel: its hardware queue (CUPTI's channel); −1 where the file does not say
  std::int32_t stream = 0;        ///< as the trace numbers them
  std::int32_t device = 0;
  std::uint32_t name = 0;
  std::uint32_t shape = 0;  ///< of a kernel, in Trace::shapes
  Operation operation = Operation::kKernel;
  bool pageable = false;
  bool migration = false;  ///< of pages of unified memory, which no call launched
  bool unseen = false;     ///< not in the file: what its stream must have waited for

  /// Whether an engine moves bytes between host and device, while the host continues.
  bool uses_link() const { return touches_host_memory(operation) && !pageable; }
};

enum class TraceCallKind : std::uint8_t { kOther, kGraphLaunch, kRecord, kWait, kEventSync, kStreamSync, kDeviceSync };

/// Whether the call blocks until something has ended.
constexpr bool is_sync(TraceCallKind kind) {
  return kind == TraceCallKind::kEventSync || kind == TraceCallKind::kStreamSync || kind == TraceCallKind::kDeviceSync;
}

inline constexpr std::int32_t kNoStream = -1;

/// A call of the host. What it launched has its correlation.
struct TraceCall {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t correlation = -1;
  std::int64_t record = -1;            ///< kWait, kEventSync: the correlation of the record that is waited for
  std::int64_t own_undisturbed = -1;   ///< the thread's own time before it, and
  std::int64_t call_undisturbed = -1;  ///< its own, in a run without device records; −1 where the trace does not say
  std::int64_t graph = -1;             ///< kGraphLaunch: in Trace::graphs
  std::int32_t stream = kNoStream;     ///< where the trace says so
  std::uint32_t thread = 0;            ///< in Trace::threads
  std::uint32_t name = 0;
  TraceCallKind kind = TraceCallKind::kOther;
  bool never_recorded = false;  ///< kWait, kEventSync: the event had not been recorded, so there was nothing to wait for
  bool cooperative = false;     ///< what it launched starts with all its blocks at once
  bool capturing = false;       ///< it went into a graph that was being captured: nothing was queued
};

/// A range of the program's own, of one thread.
struct TraceRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint32_t thread = 0;
  std::uint32_t name = 0;
  bool of_program = true;  ///< else an operator of a framework
};

/// What a file says of the memory that a call's work uses, or a node of a graph. Addresses are as the program has them.
struct TraceMemoryUse {
  struct Pointer {
    std::int64_t parameter = 0;
    std::int64_t offset = 0;  ///< within it
    std::uint64_t address = 0;
  };
  /// The allocation that an address lies in where each tensor has one of its own.
  struct Tensor {
    std::uint32_t life = 0;    ///< its number; 0 where it is not known
    std::uint64_t offset = 0;  ///< of the address within it
    std::uint64_t bytes = 0;
  };
  std::vector<Tensor> tensors;    ///< of each pointer, or of source and target, or of target; empty where the file does not say
  std::vector<Pointer> pointers;  ///< a kernel's
  std::uint64_t source = 0;       ///< of a copy
  std::uint64_t target = 0;       ///< of a copy or a memset
  std::uint64_t bytes = 0;
  bool rows_apart = false;  ///< of a copy or a memset: it touches more than so many from there on
  bool unknown = false;     ///< the driver did not say what the kernel's parameters are
};

/// A span of time, ends included.
struct TraceWindow {
  std::int64_t begin = INT64_MIN;
  std::int64_t end = INT64_MAX;
  bool contains(std::int64_t time) const { return time >= begin && time <= end; }
};

/// Memory that is allocated or freed.
struct TraceAllocation {
  std::int64_t time = INT64_MIN;  ///< before all calls where the file does not have the call
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::int32_t stream = kNoStream;  ///< in whose order, where not at once
  bool free = false;
  bool host = false;  ///< of the host, or managed
};

struct TraceDevice {
  std::int64_t id = 0;
  std::string name;
  std::int64_t cores = 0;    ///< multiprocessors
  std::int64_t threads = 0;  ///< that each holds; here and below 0 where the file does not say
  std::int64_t registers = 0;
  std::int64_t shared_memory = 0;
  std::int64_t blocks = 0;
  std::int64_t major = 0;  ///< of its compute capability
  std::int64_t minor = 0;
};

/// The nodes of a graph that is launched, and edges between them, by the nodes' ids.
struct TraceGraph {
  struct Node {
    std::int64_t id = -1;
    std::int64_t parent = -1;  ///< the child graph or conditional node that it is in: an edge of that is one of all within
    TraceMemoryUse uses = {};
  };
  std::vector<Node> nodes;
  std::vector<std::pair<std::int64_t, std::int64_t>> edges;
};

struct Trace {
  Texts texts;
  std::vector<TraceShape> shapes;
  std::vector<TraceOp> ops;
  std::vector<TraceCall> calls;
  std::vector<TraceRange> ranges;    ///< all of the program's own, and operators that a range or a pattern of ImportOptions may mean
  std::vector<std::string> threads;  ///< as messages call them
  std::vector<TraceDevice> devices;
  std::unordered_map<std::int64_t, TraceGraph> graphs;
  std::unordered_map<std::int64_t, TraceMemoryUse> uses;  ///< by correlation of the call; empty where the file does not say
  std::vector<TraceAllocation> allocations;
  std::map<std::int32_t, StreamOrder> stream_orders;              ///< by stream, where the file says it
  std::vector<NamedRange> annotations;                            ///< ranges of the program's own, for messages: some of them
  std::int64_t processes = 0;                                     ///< that calls are of
  bool names_streams = false;                                     ///< calls say which stream they are about, records and waits too
  std::vector<std::pair<std::string, std::int64_t>> counts = {};  ///< what was read besides ops and calls
  std::vector<std::string> remarks = {};
  std::string no_ops_hint;  ///< why a trace of this kind may have no ops
};

/// The outermost call of each correlation: a driver's call within has the same.
std::unordered_map<std::int64_t, const TraceCall*> outermost_calls(const Trace& trace);

/// What a call does to the order of work, by its name in CUDA's runtime or driver or in HIP; launches are found by correlation, except for
/// graphs.
TraceCallKind call_kind(std::string_view api);

/// By its API's name; calls of other names may have an attribute that says so.
bool is_cooperative_launch(std::string_view api);
/// cudaFree, as hipFree, waits for all that the device has been given; cudaFreeAsync, cudaFreeHost and the like do not.
bool is_blocking_free(std::string_view api);

/// Counts a range of the program's own among Trace::annotations.
void add_annotation(Trace& trace, const std::string& name, std::int64_t ns);

/// How many iterations of the program's loop its ranges show: the times of those that are alike but for digits and within which most
/// kernels were launched, of equal ones those that take longest; 1 where none comes twice or nothing was launched within them.
std::size_t iterations_of(const Trace& trace);

/// The annotations' names.
std::vector<std::string_view> annotation_names(const Trace& trace);

/// "NAME#2" is the second range of that name, or that is called so; 0 for all of them.
std::pair<std::string, std::size_t> range_name(const std::string& range);

/// Whether a range of that name is of interest under the options.
bool is_wanted_range(std::string_view name, const ImportOptions& options);

/// "void at::native::f<int>(float*)" as "at::native::f": what tells kernels apart, without what makes names long. Of characters outside
/// ASCII none stays.
std::string short_kernel_name(const std::string& name);

/// Options that importers of traces take.
inline constexpr std::array<std::string_view, 7> kTraceOptions{"range",      "device",      "independent", "unknown_waits",
                                                               "drop_edges", "dependences", "effects"};

/// What ImportOptions::unknown_waits may be: what is behind a wait for a record that the file does not name needs what was launched before
/// and had ended when it began, nothing, or all that was launched before.
inline constexpr std::string_view kWaitAsObserved = "observed";
inline constexpr std::string_view kWaitForNothing = "none";
inline constexpr std::string_view kWaitForAll = "all";

/// Whether it is kWaitAsObserved: by default, where the order of streams counts.
bool observes_unknown_waits(const ImportOptions& options);

/// The graph and the host program of a trace. Throws InputError naming `path` for a trace without ops, of several processes or devices, or
/// without the range that is asked for.
Imported program_of(Trace trace, const std::string& path, const ImportOptions& options);

}  // namespace tasktwin::scenarios
