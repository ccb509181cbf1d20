#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "models/design/design.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// The ways of running a graph that there are. A Design is one of them with its axes set.
enum class RuntimeId : std::uint8_t {
  kCudaStreams,
  kHostProgram,
  kCudaGraph,
  kCentralDispatcher,
  kStaticQueues,
  kSharedQueue,
  kWorkStealing,
  kHybrid,
  kLayerBarrier,
  kDeviceGraphLaunch,
  kDynamicParallelism,
  kHostDispatcher,
  kGroupQueue
};

/// Some of an axis' words; all of them unless it says which.
template <class E>
class AnyOf {
 public:
  constexpr AnyOf() = default;
  constexpr AnyOf(E only) : bits_(bit(only)) {}
  constexpr AnyOf(std::initializer_list<E> some) : bits_(0) {
    for (const E one : some) bits_ |= bit(one);
  }
  constexpr bool holds(E value) const { return (bits_ & bit(value)) != 0; }

 private:
  static constexpr std::uint32_t bit(E value) { return std::uint32_t{1} << static_cast<unsigned>(value); }
  std::uint32_t bits_ = ~std::uint32_t{0};
};

/// Placements that fill lists before the run, and those that choose a core for a ready task.
inline constexpr AnyOf<Placement> kFrozen{Placement::kRoundRobin, Placement::kHeft,      Placement::kCpop,   Placement::kPeft,
                                          Placement::kDls,        Placement::kLookahead, Placement::kMinMin, Placement::kReplay};
inline constexpr AnyOf<Placement> kChosen{Placement::kLeastLoaded, Placement::kLocality};
inline constexpr AnyOf<Placement> kNotFrozen{Placement::kAnyIdle, Placement::kLeastLoaded, Placement::kLocality};
inline constexpr AnyOf<Stealing> kSteals{Stealing::kOne, Stealing::kHalf, Stealing::kBatch};

/// A combination of axes under which a design is of a runtime.
struct RuntimeForm {
  AnyOf<ReadyQueue> ready_queue = {};
  AnyOf<Placement> placement = {};
  AnyOf<Stealing> stealing = {};
  AnyOf<StreamWait> stream_wait = {};
};

/// What other axes must be for something to count.
struct DesignCondition {
  std::string_view needs;  ///< in words, after "it needs"
  bool (*holds)(const Design&);
};

/// What the GPU's executor does with an axis.
struct GpuAxis {
  bool read = false;                         ///< else it runs the default alone
  std::array<std::string_view, 4> values{};  ///< the words that it runs, as files write them; the first empty for all
  std::string_view why = {};                 ///< why no others
};
inline constexpr GpuAxis kRead{.read = true};
inline constexpr GpuAxis kNotRead{};

/// An axis that counts under a runtime. One that a runtime does not list must keep its default.
struct AxisUse {
  std::string_view axis = {};
  GpuAxis gpu = kRead;                    ///< on one device
  GpuAxis peers = kNotRead;               ///< on several
  const DesignCondition* when = nullptr;  ///< null for always
};

/// A section of a machine file that a runtime reads.
struct SectionUse {
  std::string_view section;
  const DesignCondition* when = nullptr;  ///< null for always
};

/// Something that differs from run to run.
struct RandomPart {
  std::string_view what;
  bool (*drawn)(const Design&, const Machine&);
};

/// A design that has a name of its own.
struct NamedDesign {
  std::string_view name;
  std::string_view meaning;        ///< in a line
  void (*set)(Design&) = nullptr;  ///< what it changes of the runtime's first form; null for nothing
};

/// Which of the blocks that tasks state an executor launches.
enum class Footprints : std::uint8_t {
  kNone,   ///< none: its workers' blocks are all alike
  kAll,    ///< each task its own
  kAlike,  ///< all tasks the same, without clusters
  kPlain,  ///< each task its own, without carve-outs and clusters
};

/// How an executor runs a scenario's own kernels.
enum class OwnBodies : std::uint8_t {
  kNone,
  kLaunched,  ///< each block of a task as one of a kernel with the threads and the shared memory that the scenario states
  kResident,  ///< linked into workers that stay on the multiprocessors
};

/// What an executor runs beside tasks of one block that exist from the beginning.
struct TaskSupport {
  bool blocks = false;           ///< tasks of several blocks, whose kernel is one that any number of blocks may run side by side
  bool spawned = false;          ///< tasks that exist when another ends
  bool numbered_blocks = false;  ///< whether a block knows which of its task's it is, as kernels' blocks are
  bool operations = false;       ///< tasks that are no kernels
  bool peer_bytes = false;       ///< bytes on edges, carried from device to device, of tasks whose bodies run in any block
  Footprints footprints = Footprints::kNone;
  OwnBodies own = OwnBodies::kNone;
};

/// What the simulator asks of tasks under a runtime beyond what it asks of all.
struct SimulatedTasks {
  bool one_core_type = false;     ///< all on cores of one type
  bool one_block = false;         ///< a block each
  bool known_beforehand = false;  ///< for one core each, and none spawned
};

/// One way of running a graph: what a design must be to be it, and all that follows from that. One file of models/runtimes/ each.
struct Runtime {
  RuntimeId id{};
  std::string_view name;
  std::string_view meaning;  ///< in a line
  Driver driver{};
  Release release{};
  std::span<const RuntimeForm> forms = {};  ///< it is one of these
  std::span<const AxisUse> axes = {};
  std::span<const SectionUse> sections = {};
  std::span<const RandomPart> draws = {};
  std::span<const NamedDesign> named = {};
  SimulatedTasks simulated = {};
  bool on_gpu = true;  ///< whether an executor runs it on one device
  TaskSupport gpu = {};
  bool on_peers = false;  ///< and on several
  TaskSupport peers = {};
  /// How METG sets it for graphs of a Task Bench pattern on that many workers; null for as it is named.
  void (*tune)(Design&, int workers, bool independent) = nullptr;

  constexpr bool resident() const { return has_workers(driver); }                ///< workers stay on the cores
  constexpr bool dispatched() const { return release == Release::kDispatcher; }  ///< control cores hand tasks out
  constexpr bool streams() const { return driver == Driver::kStreams; }
  constexpr bool graph() const { return driver == Driver::kCudaGraph; }
  constexpr bool of_host() const { return streams() || graph(); }          ///< the host launches a kernel, or a node, a task
  constexpr bool on_device() const { return launches_on_device(driver); }  ///< kernels on the device launch further ones
  constexpr bool host_dispatched() const { return driver == Driver::kHostDispatcher; }
  constexpr bool barrier() const { return release == Release::kBarrier; }
  constexpr bool fetching() const { return driver == Driver::kPersistent && !dispatched(); }  ///< workers fetch for themselves
};

// One file of models/runtimes/ each.
extern const Runtime kCudaStreamsRuntime;
extern const Runtime kHostProgramRuntime;
extern const Runtime kCudaGraphRuntime;
extern const Runtime kCentralDispatcherRuntime;
extern const Runtime kStaticQueuesRuntime;
extern const Runtime kSharedQueueRuntime;
extern const Runtime kWorkStealingRuntime;
extern const Runtime kHybridRuntime;
extern const Runtime kLayerBarrierRuntime;
extern const Runtime kDeviceGraphLaunchRuntime;
extern const Runtime kDynamicParallelismRuntime;
extern const Runtime kHostDispatcherRuntime;
extern const Runtime kGroupQueueRuntime;

/// All of them, in the order of RuntimeId.
inline constexpr std::array kRuntimes{
    &kCudaStreamsRuntime,        &kHostProgramRuntime,    &kCudaGraphRuntime, &kCentralDispatcherRuntime, &kStaticQueuesRuntime,
    &kSharedQueueRuntime,        &kWorkStealingRuntime,   &kHybridRuntime,    &kLayerBarrierRuntime,      &kDeviceGraphLaunchRuntime,
    &kDynamicParallelismRuntime, &kHostDispatcherRuntime, &kGroupQueueRuntime};

/// Whether a table with an entry a runtime, whose member is `runtime`, has all in the order of RuntimeId.
template <class Entry, std::size_t kSize>
constexpr bool in_order_of_ids(const Entry (&table)[kSize]) {
  for (std::size_t i = 0; i < kSize; ++i) {
    if (static_cast<std::size_t>(table[i].runtime) != i) return false;
  }
  return kSize == kRuntimes.size();
}

}  // namespace tasktwin
