#include "models/design.hpp"

#include <algorithm>

#include "models/error.hpp"

namespace tasktwin {

std::span<const Design> named_designs() {
  static const std::vector<Design> designs{
      {.name = "cuda-streams",
       .driver = Driver::kStreams,
       .release = Release::kEvents,
       .ready_queue = ReadyQueue::kPerWorker,
       .placement = Placement::kRoundRobin},
      {.name = "cuda-graph",
       .driver = Driver::kCudaGraph,
       .release = Release::kEvents,
       .ready_queue = ReadyQueue::kPerWorker,
       .placement = Placement::kRoundRobin},
      {.name = "central-dispatcher", .mailbox_depth = 5, .fill = Fill::kWhenNoCoreIdle},
      {.name = "static-queues", .release = Release::kCounters, .ready_queue = ReadyQueue::kPerWorker, .placement = Placement::kHeft},
      {.name = "shared-queue", .release = Release::kCounters, .mailbox_depth = 2},
      {.name = "work-stealing",
       .release = Release::kCounters,
       .ready_queue = ReadyQueue::kPerWorker,
       .order = TaskOrder::kLifo,
       .stealing = Stealing::kHalf},
      {.name = "hybrid",
       .release = Release::kCounters,
       .ready_queue = ReadyQueue::kPerWorkerAndShared,
       .placement = Placement::kHeft,
       .static_percent = 80},
      {.name = "layer-barrier", .release = Release::kBarrier, .ready_queue = ReadyQueue::kPerWorker, .placement = Placement::kRoundRobin},
      {.name = "device-graph-launch",
       .driver = Driver::kDeviceGraphLaunch,
       .release = Release::kCounters,
       .claim = Claim::kFixed,
       .claim_size = 16},
      {.name = "dynamic-parallelism", .driver = Driver::kDynamicParallelism, .release = Release::kCounters},
      {.name = "host-dispatcher", .driver = Driver::kHostDispatcher, .dispatchers = 4, .mailbox_depth = 4, .fill = Fill::kWhenNoCoreIdle},
      {.name = "ascend-host-built",
       .ready_queue = ReadyQueue::kPerCoreType,
       .dispatchers = 4,
       .sweep = Sweep::kBusyCores,
       .mailbox_depth = 2},
      {.name = "ascend-device-built",
       .ready_queue = ReadyQueue::kPerCoreType,
       .dispatchers = 3,
       .sweep = Sweep::kBusyCores,
       .mailbox_depth = 2,
       .graph_build = GraphBuild::kDevice,
       .window = 16384},
  };
  return designs;
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

Machine machine_as_run(const Design& design, const Machine& machine) {
  Machine as_run = design.driver == Driver::kHostDispatcher ? machine.with_host_threads(dispatcher_count(design, machine)) : machine;
  as_run.constants = as_run.scaled_constants();
  as_run.control_cores.code_scale = 1;
  as_run.host_slowdown = 1;
  return as_run;
}

double host_slowdown(const Design& design, const Machine& machine, Nanoseconds host_call) {
  const Nanoseconds known = design.driver == Driver::kStreams     ? machine.constants.stream_call
                            : design.driver == Driver::kCudaGraph ? machine.constants.graph_call
                                                                  : Nanoseconds{0};
  return known > Nanoseconds{0} && host_call > Nanoseconds{0} ? host_call / known : 1;
}

}  // namespace tasktwin
