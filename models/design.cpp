#include "models/design.hpp"

#include <algorithm>

#include "models/error.hpp"

namespace tasktwin {

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
      {"an Ascend runtime with hardware group queues: four AICPU threads fill slots of controllers, which hand tasks over by themselves",
       {.name = "ascend-group-queue", .ready_queue = ReadyQueue::kGroupQueue, .dispatchers = 4, .mailbox_depth = 2}},
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

std::vector<CoreType> cores_of(std::span<const CoreGroup> groups) {
  std::vector<CoreType> cores;
  for (const CoreGroup& group : groups) cores.insert(cores.end(), static_cast<std::size_t>(std::max(0, group.count)), group.type);
  return cores;
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
  const std::vector<CoreType> cores = cores_of(groups);
  std::vector<CoreType> workers;
  for (int worker = 0; worker < design.workers_per_core; ++worker) workers.insert(workers.end(), cores.begin(), cores.end());
  return workers;
}

std::vector<CoreType> compute_cores(const Machine& machine) { return cores_of(machine.compute_cores); }

std::vector<CoreType> on_all_devices(const std::vector<CoreType>& cores, const Machine& machine) {
  std::vector<CoreType> all;
  for (int device = 0; device < machine.devices.count(); ++device) all.insert(all.end(), cores.begin(), cores.end());
  return all;
}

}  // namespace tasktwin
