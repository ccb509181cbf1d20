#include <algorithm>

#include "models/design.hpp"
#include "models/error.hpp"

namespace tasktwin {

namespace {

template <auto Axis>
AxisField word_axis(std::string_view name, std::string_view meaning, AxisScope scope = {}) {
  using E = std::remove_reference_t<decltype(std::declval<Design&>().*Axis)>;
  static constexpr auto words = all_words<E>();
  static constexpr auto meanings = all_meanings<E>();
  return {.name = name,
          .meaning = meaning,
          .words = words,
          .meanings = meanings,
          .word = [](const Design& design) { return to_word(design.*Axis); },
          .set_word = [](Design& design, std::string_view word) { design.*Axis = *from_word<E>(word); },
          .scope = scope};
}

AxisField number_axis(std::string_view name, std::string_view meaning, int Design::*number, int min, int max, AxisScope scope = {}) {
  return {.name = name, .meaning = meaning, .number = number, .min = min, .max = max, .scope = scope};
}

constexpr int kMaxControlCores = 1024;
constexpr int kMany = 1'000'000;

bool captured(const Design& d) { return d.driver == Driver::kCudaGraph && d.graph_source == GraphSource::kCapture; }
bool has_pool(const Design& d) { return d.driver == Driver::kStreams && d.allocator == Allocator::kPool; }
bool takes_from_several(const Design& d) {
  return d.driver == Driver::kDeviceGraphLaunch ||
         (has_workers(d.driver) && d.ready_queue != ReadyQueue::kPerWorker && d.ready_queue != ReadyQueue::kGroupQueue);
}

/// Dispatchers that poll, resolve and hand over themselves.
bool has_loop(const Design& d) { return d.release == Release::kDispatcher && d.ready_queue != ReadyQueue::kGroupQueue; }

// Where axes count. Which drivers, releases, queues and placements go together is check_design's.

constexpr AxisScope kStreams{"driver 'streams'", [](const Design& d) { return d.driver == Driver::kStreams; }};
constexpr AxisScope kStreamsOrCapture{"driver 'streams', or driver 'cuda_graph' and graph_source 'capture'",
                                      [](const Design& d) { return d.driver == Driver::kStreams || captured(d); }};
constexpr AxisScope kSeveralStreams{
    "driver 'streams', or driver 'cuda_graph' and graph_source 'capture', and a stream_granularity other than 'single' and 'per_task_type'",
    [](const Design& d) {
      return (d.driver == Driver::kStreams || captured(d)) && d.stream_granularity != StreamGranularity::kSingle &&
             d.stream_granularity != StreamGranularity::kPerTaskType;
    }};
constexpr AxisScope kStreamsOrGraph{"driver 'streams' or 'cuda_graph'",
                                    [](const Design& d) { return d.driver == Driver::kStreams || d.driver == Driver::kCudaGraph; }};
constexpr AxisScope kProgrammatic{"driver 'streams' or 'cuda_graph' and programmatic_launch 'on'", [](const Design& d) {
                                    return (d.driver == Driver::kStreams || d.driver == Driver::kCudaGraph) &&
                                           d.programmatic_launch == ProgrammaticLaunch::kOn;
                                  }};
constexpr AxisScope kOneKernelAStream{
    "driver 'streams' and stream_granularity 'per_task_type', under which a stream has kernels of one kind",
    [](const Design& d) { return d.driver == Driver::kStreams && d.stream_granularity == StreamGranularity::kPerTaskType; }};
constexpr AxisScope kPool{"driver 'streams' and allocator 'pool'", has_pool};
constexpr AxisScope kCache{"driver 'streams' and allocator 'caching'",
                           [](const Design& d) { return d.driver == Driver::kStreams && d.allocator == Allocator::kCaching; }};
constexpr AxisScope kGraph{"driver 'cuda_graph'", [](const Design& d) { return d.driver == Driver::kCudaGraph; }};
constexpr AxisScope kGraphAgain{"driver 'cuda_graph' and replays of 2 or more",
                                [](const Design& d) { return d.driver == Driver::kCudaGraph && d.replays > 1; }};
constexpr AxisScope kDeviceGraphs{"driver 'device_graph_launch'", [](const Design& d) { return d.driver == Driver::kDeviceGraphLaunch; }};
constexpr AxisScope kDeviceKernels{"driver 'dynamic_parallelism'", [](const Design& d) { return d.driver == Driver::kDynamicParallelism; }};
constexpr AxisScope kNoDeviceLaunches{"a driver other than 'device_graph_launch' and 'dynamic_parallelism'",
                                      [](const Design& d) { return !launches_on_device(d.driver); }};
constexpr AxisScope kWorkers{"driver 'persistent' or 'host_dispatcher'", [](const Design& d) { return has_workers(d.driver); }};
constexpr AxisScope kSoftwareQueue{"driver 'persistent' or 'host_dispatcher' and no ready_queue 'group_queue'",
                                   [](const Design& d) { return has_workers(d.driver) && d.ready_queue != ReadyQueue::kGroupQueue; }};
constexpr AxisScope kDynamicWorkers{
    "driver 'persistent' or 'host_dispatcher', a placement that is not frozen and no ready_queue 'group_queue', under which tasks of "
    "several "
    "blocks can run",
    [](const Design& d) { return has_workers(d.driver) && !is_static(d.placement) && d.ready_queue != ReadyQueue::kGroupQueue; }};
constexpr AxisScope kDispatcher{"release 'dispatcher'", [](const Design& d) { return d.release == Release::kDispatcher; }};
constexpr AxisScope kDispatcherLoop{"release 'dispatcher' and no ready_queue 'group_queue', whose controllers poll and choose", has_loop};
constexpr AxisScope kEarly{"release 'dispatcher', resolvers 0, placement 'any_idle' and no ready_queue 'group_queue'",
                           [](const Design& d) { return has_loop(d) && d.resolvers == 0 && d.placement == Placement::kAnyIdle; }};
constexpr AxisScope kSeveralTakers{"a ready queue that several take from, not 'per_worker'", takes_from_several};
constexpr AxisScope kSizedClaims{"claim 'fixed' or 'guided'",
                                 [](const Design& d) { return takes_from_several(d) && d.claim != Claim::kAll; }};
constexpr AxisScope kMixedQueue{
    "release 'dispatcher', placement 'any_idle' and a ready_queue 'shared', 'per_dispatcher' or 'sharded', which holds tasks of several "
    "types",
    [](const Design& d) {
      return d.release == Release::kDispatcher && d.placement == Placement::kAnyIdle &&
             (d.ready_queue == ReadyQueue::kShared || d.ready_queue == ReadyQueue::kPerDispatcher || d.ready_queue == ReadyQueue::kSharded);
    }};
constexpr AxisScope kShards{"ready_queue 'sharded'", [](const Design& d) { return d.ready_queue == ReadyQueue::kSharded; }};
constexpr AxisScope kListsAndQueue{"ready_queue 'per_worker_and_shared'",
                                   [](const Design& d) { return d.ready_queue == ReadyQueue::kPerWorkerAndShared; }};
constexpr AxisScope kThieves{"stealing", [](const Design& d) { return d.stealing != Stealing::kOff; }};
constexpr AxisScope kBatches{"stealing 'batch'", [](const Design& d) { return d.stealing == Stealing::kBatch; }};
constexpr AxisScope kNoBarrier{"driver 'persistent' and release 'counters' or 'dispatcher'",
                               [](const Design& d) { return d.driver == Driver::kPersistent && d.release != Release::kBarrier; }};
constexpr AxisScope kOwnFetches{"driver 'persistent' and release 'counters' or 'barrier'",
                                [](const Design& d) { return d.driver == Driver::kPersistent && d.release != Release::kDispatcher; }};
constexpr AxisScope kDeviceBuild{"graph_build 'device'", [](const Design& d) { return d.graph_build == GraphBuild::kDevice; }};
constexpr AxisScope kHostBuilt{"driver 'persistent' and graph_build 'host'",
                               [](const Design& d) { return d.driver == Driver::kPersistent && d.graph_build == GraphBuild::kHost; }};
constexpr AxisScope kOwnLists{"release 'counters' and frozen 'per_worker' lists without stealing, under which workers wait for tasks",
                              [](const Design& d) {
                                return d.driver == Driver::kPersistent && d.release == Release::kCounters &&
                                       d.ready_queue == ReadyQueue::kPerWorker && is_static(d.placement) && d.stealing == Stealing::kOff;
                              }};

}  // namespace

std::span<const AxisField> axis_fields() {
  static const std::vector<AxisField> fields{
      word_axis<&Design::driver>("driver", "what starts the work"),
      word_axis<&Design::release>("release", "who finds out that a task's predecessors are done"),
      word_axis<&Design::ready_queue>("ready_queue", "where ready tasks wait for a core", kNoDeviceLaunches),
      word_axis<&Design::order>("order", "which ready task goes first", kSoftwareQueue),
      word_axis<&Design::placement>("placement", "which core a task goes to", kNoDeviceLaunches),
      number_axis("streams", "streams in use", &Design::streams, 1, kMaxStreams, kSeveralStreams),
      word_axis<&Design::stream_granularity>("stream_granularity", "which stream a kernel is launched into", kStreamsOrCapture),
      number_axis("hardware_queues", "hardware queues that streams share; 0 for the machine's", &Design::hardware_queues, 0, kMaxStreams,
                  kStreams),
      word_axis<&Design::stream_wait>("stream_wait", "how predecessors in other streams are waited for", kStreams),
      word_axis<&Design::default_stream>("default_stream", "what CUDA's default stream has to do with stream 0", kStreams),
      word_axis<&Design::stream_priorities>("stream_priorities", "which of the kernels that wait for room goes first", kStreams),
      word_axis<&Design::graph_source>("graph_source", "how a CUDA graph comes to be", kGraph),
      word_axis<&Design::graph_update>("graph_update", "what is done to a CUDA graph before it is launched again", kGraphAgain),
      word_axis<&Design::graph_predicates>("graph_predicates", "what a CUDA graph makes of a task with a predicate", kGraph),
      word_axis<&Design::programmatic_launch>("programmatic_launch", "programmatic dependent launch: start before the predecessor ends",
                                              kStreamsOrGraph),
      word_axis<&Design::programmatic_trigger>("programmatic_trigger", "where in its body a kernel lets the next one come onto the device",
                                               kProgrammatic),
      number_axis("replays", "times the graph is run in one run, one after the other", &Design::replays, 1, kMaxReplays, kStreamsOrGraph),
      number_axis("partition", "per cent of the cores for matrix kernels, at least; the others for the rest; 0 for all for all",
                  &Design::partition, 0, 99, kOneKernelAStream),
      word_axis<&Design::allocator>("allocator", "who gives out device memory", kStreams),
      word_axis<&Design::release_threshold>("release_threshold", "how much unused memory a pool keeps when the host synchronises", kPool),
      word_axis<&Design::pool_reuse>("pool_reuse", "which freed memory a pool gives to other streams", kPool),
      word_axis<&Design::record_stream>("record_stream", "what a cache of memory knows of the streams that use a buffer", kCache),
      word_axis<&Design::segments>("segments", "what a cache of memory asks the device for", kCache),
      number_axis("max_split_mib", "blocks of a cache of at least this many MiB stay whole; 0 for no limit", &Design::max_split_mib, 0,
                  1 << 20, kCache),
      word_axis<&Design::launch_mode>("launch_mode", "how a scheduler kernel launches graphs", kDeviceGraphs),
      number_axis("pending_launches", "launches that may wait on the device at a time; 0 for CUDA's 2048", &Design::pending_launches, 0,
                  1 << 20, kDeviceKernels),
      number_axis("dispatchers", "control cores that hand out tasks; 0 for all left", &Design::dispatchers, 0, kMaxControlCores,
                  kDispatcher),
      number_axis("resolvers", "control cores that resolve for the dispatchers", &Design::resolvers, 0, kMaxControlCores, kDispatcherLoop),
      number_axis("orchestrators", "control cores that build the graph on the device", &Design::orchestrators, 1, kMaxControlCores,
                  kDeviceBuild),
      word_axis<&Design::ownership>("ownership", "which dispatcher looks after a compute core", kDispatcherLoop),
      word_axis<&Design::loop>("loop", "what a dispatcher does between two hand-overs", kDispatcherLoop),
      word_axis<&Design::sweep>("sweep", "which cores a dispatcher polls", kDispatcherLoop),
      word_axis<&Design::claim>("claim", "how many tasks one operation on a ready queue takes", kSeveralTakers),
      number_axis("claim_size", "tasks a claim, or the least a guided one takes", &Design::claim_size, 1, kMany, kSizedClaims),
      number_axis("shards", "shards of a sharded queue; 0 for one a dispatcher or worker", &Design::shards, 0, kMany, kShards),
      number_axis("static_percent", "share of the tasks that is placed beforehand", &Design::static_percent, 0, 100, kListsAndQueue),
      word_axis<&Design::stealing>("stealing", "how much is taken from another's ready queue", kSoftwareQueue),
      number_axis("steal_batch", "tasks stolen at once, where stealing is 'batch'", &Design::steal_batch, 1, kMany, kBatches),
      word_axis<&Design::victim>("victim", "whom a thief tries first", kThieves),
      word_axis<&Design::head_of_line>("head_of_line", "what may be taken from a ready queue of several types of core", kMixedQueue),
      number_axis("workers_per_core", "resident workers that share a core", &Design::workers_per_core, 1, kMaxWorkersPerCore, kOwnFetches),
      number_axis("mailbox_depth", "tasks a core may hold, the running one included", &Design::mailbox_depth, 1, kMaxMailboxDepth,
                  kWorkers),
      word_axis<&Design::fill>("fill", "when a core that holds a task is given a further one", kDispatcherLoop),
      word_axis<&Design::early_dispatch>("early_dispatch", "whether a task may be handed over before its predecessors are done", kEarly),
      number_axis("prefetch", "further tasks of its list whose constant inputs a worker loads during bodies; 0: bodies read them",
                  &Design::prefetch, 0, kMaxPrefetch, kOwnLists),
      word_axis<&Design::gang>("gang", "how a task that needs several cores starts", kDynamicWorkers),
      word_axis<&Design::device_placement>("device_placement", "which device a task goes to that names none"),
      word_axis<&Design::peer_data>("peer_data", "how bytes on an edge between two devices get across"),
      word_axis<&Design::collective>("collective", "the way that collectives take", kStreamsOrGraph),
      word_axis<&Design::launching>("launching", "which threads of the host launch for several devices", kStreams),
      word_axis<&Design::graph_build>("graph_build", "who makes the tasks known, and when", kNoBarrier),
      word_axis<&Design::host_build>("host_build", "whether a run begins with the host building the graph", kHostBuilt),
      number_axis("window", "tasks submitted and not yet retired at a time; 0 for any number", &Design::window, 0, 1 << 30, kDeviceBuild),
      number_axis("heap_kib", "KiB of the ring that holds what tasks submitted and not yet retired put out; 0 for any number",
                  &Design::heap_kib, 0, 1 << 30, kDeviceBuild),
      number_axis("dependency_pool", "dependencies of tasks submitted and not yet retired at a time; 0 for any number",
                  &Design::dependency_pool, 0, 1 << 30, kDeviceBuild),
      number_axis("spin_limit_us", "an orchestrator that waits longer than this many us for room ends the run as an error; 0 for never",
                  &Design::spin_limit_us, 0, 1'000'000'000, kDeviceBuild),
      word_axis<&Design::notification>("notification", "how a waiting worker learns that predecessors are done", kOwnLists),
      number_axis("backoff_ns", "extra polling delay of a waiting processor, drawn uniformly from 0 to this", &Design::backoff_ns, 0,
                  1'000'000'000, kWorkers),
      word_axis<&Design::termination>("termination", "how workers learn that nothing is left", kWorkers),
  };
  return fields;
}

const AxisField& axis_named(std::string_view name) {
  const auto axes = axis_fields();
  const auto found = std::ranges::find(axes, name, &AxisField::name);
  if (found != axes.end()) return *found;
  std::vector<std::string_view> names;
  for (const AxisField& axis : axes) names.push_back(axis.name);
  throw InputError("unknown axis '" + std::string(name) + "'" + suggest(name, names));
}

}  // namespace tasktwin
