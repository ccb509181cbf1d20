#include "models/design.hpp"

#include <algorithm>

#include "models/error.hpp"

namespace tasktwin {

namespace {

template <auto Axis>
AxisField word_axis(std::string_view name, std::string_view meaning) {
  using E = std::remove_reference_t<decltype(std::declval<Design&>().*Axis)>;
  static constexpr auto words = all_words<E>();
  static constexpr auto meanings = all_meanings<E>();
  return {.name = name,
          .meaning = meaning,
          .words = words,
          .meanings = meanings,
          .word = [](const Design& design) { return to_word(design.*Axis); },
          .set_word = [](Design& design, std::string_view word) { design.*Axis = *from_word<E>(word); }};
}

AxisField number_axis(std::string_view name, std::string_view meaning, int Design::*number, int min, int max) {
  return {.name = name, .meaning = meaning, .number = number, .min = min, .max = max};
}

constexpr int kMaxControlCores = 1024;
constexpr int kMany = 1'000'000;

}  // namespace

std::span<const AxisField> axis_fields() {
  static const std::vector<AxisField> fields{
      word_axis<&Design::driver>("driver", "what starts the work"),
      word_axis<&Design::release>("release", "who finds out that a task's predecessors are done"),
      word_axis<&Design::ready_queue>("ready_queue", "where ready tasks wait for a core"),
      word_axis<&Design::order>("order", "which ready task goes first"),
      word_axis<&Design::placement>("placement", "which core a task goes to"),
      number_axis("streams", "streams in use", &Design::streams, 1, kMaxStreams),
      word_axis<&Design::stream_granularity>("stream_granularity", "which stream a kernel is launched into"),
      number_axis("hardware_queues", "hardware queues that streams share; 0 for the machine's", &Design::hardware_queues, 0, kMaxStreams),
      word_axis<&Design::stream_wait>("stream_wait", "how predecessors in other streams are waited for"),
      word_axis<&Design::default_stream>("default_stream", "what CUDA's default stream has to do with stream 0"),
      word_axis<&Design::stream_priorities>("stream_priorities", "which of the kernels that wait for room goes first"),
      word_axis<&Design::graph_source>("graph_source", "how a CUDA graph comes to be"),
      word_axis<&Design::graph_update>("graph_update", "what is done to a CUDA graph before it is launched again"),
      word_axis<&Design::graph_predicates>("graph_predicates", "what a CUDA graph makes of a task with a predicate"),
      word_axis<&Design::programmatic_launch>("programmatic_launch", "whether a kernel comes onto the device before its turn"),
      number_axis("replays", "times the graph is run in one run, one after the other", &Design::replays, 1, kMaxReplays),
      number_axis("partition", "per cent of the cores for matrix kernels, at least; the others for the rest; 0 for all for all",
                  &Design::partition, 0, 99),
      word_axis<&Design::allocator>("allocator", "who gives out device memory"),
      word_axis<&Design::release_threshold>("release_threshold", "how much unused memory a pool keeps when the host synchronises"),
      word_axis<&Design::pool_reuse>("pool_reuse", "which freed memory a pool gives to other streams"),
      word_axis<&Design::launch_mode>("launch_mode", "how a scheduler kernel launches graphs"),
      number_axis("pending_launches", "launches that may wait on the device at a time; 0 for CUDA's 2048", &Design::pending_launches, 0,
                  1 << 20),
      number_axis("dispatchers", "control cores that hand out tasks; 0 for all left", &Design::dispatchers, 0, kMaxControlCores),
      number_axis("resolvers", "control cores that resolve for the dispatchers", &Design::resolvers, 0, kMaxControlCores),
      number_axis("orchestrators", "control cores that build the graph on the device", &Design::orchestrators, 1, kMaxControlCores),
      word_axis<&Design::ownership>("ownership", "which dispatcher looks after a compute core"),
      word_axis<&Design::loop>("loop", "what a dispatcher does between two hand-overs"),
      word_axis<&Design::sweep>("sweep", "which cores a dispatcher polls"),
      word_axis<&Design::claim>("claim", "how many tasks one operation on a ready queue takes"),
      number_axis("claim_size", "tasks a claim, or the least a guided one takes", &Design::claim_size, 1, kMany),
      number_axis("shards", "shards of a sharded queue; 0 for one a dispatcher or worker", &Design::shards, 0, kMany),
      number_axis("static_percent", "share of the tasks that is placed beforehand", &Design::static_percent, 0, 100),
      word_axis<&Design::stealing>("stealing", "how much is taken from another's ready queue"),
      number_axis("steal_batch", "tasks stolen at once, where stealing is 'batch'", &Design::steal_batch, 1, kMany),
      word_axis<&Design::victim>("victim", "whom a thief tries first"),
      number_axis("mailbox_depth", "tasks a core may hold, the running one included", &Design::mailbox_depth, 1, kMaxMailboxDepth),
      word_axis<&Design::fill>("fill", "when a core that holds a task is given a further one"),
      word_axis<&Design::gang>("gang", "how a task that needs several cores starts"),
      word_axis<&Design::graph_build>("graph_build", "who makes the tasks known, and when"),
      number_axis("window", "tasks submitted and not yet retired at a time; 0 for any number", &Design::window, 0, 1 << 30),
      word_axis<&Design::notification>("notification", "how a waiting worker learns that predecessors are done"),
      number_axis("backoff_ns", "whoever waits notices late by 0 to this, drawn", &Design::backoff_ns, 0, 1'000'000'000),
      word_axis<&Design::termination>("termination", "how workers learn that nothing is left"),
  };
  return fields;
}

namespace {

struct NamedDesign {
  std::string_view meaning;
  Design design;
};

std::span<const NamedDesign> named_design_table() {
  static const std::vector<NamedDesign> table{
      {"the host launches a kernel a task, in turn into 32 streams, with an event for each dependency",
       {.name = "cuda-streams",
        .driver = Driver::kStreams,
        .release = Release::kEvents,
        .ready_queue = ReadyQueue::kPerWorker,
        .placement = Placement::kRoundRobin}},
      {"the host launches the tasks as the nodes of one CUDA graph",
       {.name = "cuda-graph",
        .driver = Driver::kCudaGraph,
        .release = Release::kEvents,
        .ready_queue = ReadyQueue::kPerWorker,
        .placement = Placement::kRoundRobin}},
      {"control cores resolve dependencies and hand tasks out; while no core is idle, a core is given up to five",
       {.name = "central-dispatcher", .mailbox_depth = 5, .fill = Fill::kWhenNoCoreIdle}},
      {"HEFT lists the tasks of each resident core beforehand; a finishing core counts down its successors",
       {.name = "static-queues", .release = Release::kCounters, .ready_queue = ReadyQueue::kPerWorker, .placement = Placement::kHeft}},
      {"resident cores take tasks from one queue of ready ones and push what they release",
       {.name = "shared-queue", .release = Release::kCounters, .mailbox_depth = 2}},
      {"resident cores keep what they release, last in first out, and steal half of another's queue",
       {.name = "work-stealing",
        .release = Release::kCounters,
        .ready_queue = ReadyQueue::kPerWorker,
        .order = TaskOrder::kLifo,
        .stealing = Stealing::kHalf}},
      {"HEFT lists 80 % of the tasks for each resident core beforehand; the others wait in a shared queue",
       {.name = "hybrid",
        .release = Release::kCounters,
        .ready_queue = ReadyQueue::kPerWorkerAndShared,
        .placement = Placement::kHeft,
        .static_percent = 80}},
      {"resident cores share out one layer after the other, with a barrier between layers",
       {.name = "layer-barrier", .release = Release::kBarrier, .ready_queue = ReadyQueue::kPerWorker, .placement = Placement::kRoundRobin}},
      {"a scheduler kernel launches a device graph for each batch of up to 16 ready tasks",
       {.name = "device-graph-launch",
        .driver = Driver::kDeviceGraphLaunch,
        .release = Release::kCounters,
        .claim = Claim::kFixed,
        .claim_size = 16}},
      {"the kernel that makes a task ready launches its kernel from the device",
       {.name = "dynamic-parallelism", .driver = Driver::kDynamicParallelism, .release = Release::kCounters}},
      {"four threads of the host resolve dependencies and hand tasks out; a core is given up to four",
       {.name = "host-dispatcher", .driver = Driver::kHostDispatcher, .dispatchers = 4, .mailbox_depth = 4, .fill = Fill::kWhenNoCoreIdle}},
      {"an Ascend runtime with the graph built by the host: four AICPU threads hand tasks out, a queue a core type",
       {.name = "ascend-host-built",
        .ready_queue = ReadyQueue::kPerCoreType,
        .dispatchers = 4,
        .sweep = Sweep::kBusyCores,
        .mailbox_depth = 2}},
      {"an Ascend runtime with the graph built on the device: an AICPU thread submits tasks, three hand them out",
       {.name = "ascend-device-built",
        .ready_queue = ReadyQueue::kPerCoreType,
        .dispatchers = 3,
        .sweep = Sweep::kBusyCores,
        .mailbox_depth = 2,
        .graph_build = GraphBuild::kDevice,
        .window = 16384}},
  };
  return table;
}

/// One column of the table.
template <class T>
std::vector<T> of_all(T NamedDesign::*member) {
  std::vector<T> column;
  for (const NamedDesign& named : named_design_table()) column.push_back(named.*member);
  return column;
}

}  // namespace

std::span<const Design> named_designs() {
  static const std::vector<Design> designs = of_all(&NamedDesign::design);
  return designs;
}

std::span<const std::string_view> named_design_meanings() {
  static const std::vector<std::string_view> meanings = of_all(&NamedDesign::meaning);
  return meanings;
}

const Design& named_design(std::string_view name) {
  const auto designs = named_designs();
  const auto found = std::ranges::find(designs, name, &Design::name);
  if (found != designs.end()) return *found;
  std::vector<std::string_view> names;
  for (const Design& design : designs) names.push_back(design.name);
  throw InputError("unknown design '" + std::string(name) + "'" + suggest(name, names));
}

int orchestrator_count(const Design& design) { return design.graph_build == GraphBuild::kDevice ? design.orchestrators : 0; }

int dispatcher_count(const Design& design, const Machine& machine) {
  if (design.release != Release::kDispatcher) return 0;
  if (design.dispatchers > 0) return design.dispatchers;
  return std::max(0, machine.control_cores.count - design.resolvers - orchestrator_count(design));
}

std::vector<CoreType> worker_cores(const Design& design, const Machine& machine) {
  std::vector<CoreGroup> groups = machine.compute_cores;
  const bool uses_control_cores =
      design.driver != Driver::kHostDispatcher && (design.release == Release::kDispatcher || orchestrator_count(design) > 0);
  if (uses_control_cores && machine.control_cores.count > 0 && !groups.empty()) {
    std::ranges::max_element(groups, {}, &CoreGroup::count)->count -= machine.control_cores.occupied_cores;
  }
  std::vector<CoreType> cores;
  for (const CoreGroup& group : groups) cores.insert(cores.end(), static_cast<std::size_t>(std::max(0, group.count)), group.type);
  return cores;
}

}  // namespace tasktwin
