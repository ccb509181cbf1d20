#include "verify/explain/hypothetical.hpp"

#include <array>
#include <ranges>
#include <set>
#include <span>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::verify {

namespace {

/// Keys of constants; of a section and a name.
using Keys = std::span<const std::string_view>;

constexpr std::string_view kDispatchKeys[] = {"device_control.complete_ns",
                                              "device_control.resolve_ns",
                                              "device_control.pass_on_ns",
                                              "device_control.claim_ns",
                                              "device_control.dispatch_ns",
                                              "device_control.submit_ns",
                                              "device_control.spawn_ns",
                                              "device_control.locked_queue_ns",
                                              "host_control.first_complete_ns",
                                              "host_control.complete_ns",
                                              "host_control.resolve_ns",
                                              "host_control.resolve_line_ns",
                                              "host_control.hand_over_ns",
                                              "host_control.dispatch_ns",
                                              "host_control.count_ns",
                                              "host_control.locked_queue_ns",
                                              "host_control.queue_contention_ns",
                                              "host_control.queue_fetch_ns",
                                              "ready_queues.service_ns",
                                              "ready_queues.steal_ns",
                                              "ready_queues.take_ns",
                                              "ready_queues.list_take_ns",
                                              "ready_queues.uncached_fetch_ns",
                                              "resident_cores.list_read_ns",
                                              "resident_cores.push_ns",
                                              "resident_cores.push_per_successor_ns",
                                              "resident_cores.spawn_ns",
                                              "barriers.arrive_ns",
                                              "group_queue.submit_ns",
                                              "device_graph_launch.launch_ns",
                                              "device_graph_launch.uncached_launch_ns",
                                              "dynamic_parallelism.launch_ns",
                                              "dynamic_parallelism.again_ns",
                                              "dynamic_parallelism.per_lane_ns",
                                              "dynamic_parallelism.further_ns",
                                              "dynamic_parallelism.beside_ns",
                                              "dynamic_parallelism.service_ns",
                                              "dynamic_parallelism.end_ns",
                                              "dynamic_parallelism.block_ns",
                                              "dynamic_parallelism.crowd_ns",
                                              "graph_launch.service_ns",
                                              "graph_launch.release_among_ns"};
constexpr std::string_view kPollingKeys[] = {"device_control.poll_ns",      "device_control.poll_per_core_ns",
                                             "host_control.poll_ns",        "host_control.poll_per_core_ns",
                                             "device_graph_launch.look_ns", "conditional_nodes.poll_ns"};
constexpr std::string_view kHopKeys[] = {"device_control.hop_ns",
                                         "device_mailboxes.hop_ns",
                                         "device_mailboxes.hop_sigma_ns",
                                         "device_mailboxes.doorbell_ns",
                                         "host_mailboxes.hop_ns",
                                         "host_mailboxes.hop_sigma_ns",
                                         "ready_queues.hop_ns",
                                         "ready_queues.steal_hop_ns",
                                         "ready_queues.list_hop_ns",
                                         "resident_cores.counter_hop_ns",
                                         "resident_cores.counter_hop_spread_ns",
                                         "distances.package_hop_ns",
                                         "distances.die_hop_ns",
                                         "group_queue.compare_ns",
                                         "barriers.leave_ns",
                                         "memory.read_latency_ns",
                                         "memory.atomic_latency_ns",
                                         "streams.gap_ns",
                                         "streams.event_gap_ns",
                                         "streams.waiting_queue_ns",
                                         "streams.programmatic_gap_ns",
                                         "graph_launch.gap_ns",
                                         "graph_launch.fetch_ns",
                                         "device_graph_launch.latency_ns",
                                         "dynamic_parallelism.latency_ns",
                                         "copies.gap_ns",
                                         "copies.engine_gap_ns"};
constexpr std::string_view kHostKeys[] = {"host_build.run_ns",
                                          "host_build.task_ns",
                                          "host_build.dependency_ns",
                                          "host_build.upload_ns",
                                          "host_build.upload_task_ns",
                                          "host_calls.launch_ns",
                                          "host_calls.first_launches_ns",
                                          "host_calls.event_record_ns",
                                          "host_calls.stream_wait_ns",
                                          "host_calls.sync_ns",
                                          "host_calls.sync_latency_ns",
                                          "host_calls.callback_latency_ns",
                                          "streams.launch_latency_ns",
                                          "graph_launch.launch_ns",
                                          "graph_launch.per_node_ns",
                                          "graph_launch.per_leaf_ns",
                                          "graph_launch.per_root_ns",
                                          "graph_launch.per_inner_ns",
                                          "graph_launch.between_ns",
                                          "graph_launch.per_edge_ns",
                                          "graph_launch.inner_growth_ns",
                                          "graph_launch.root_growth_ns",
                                          "graph_launch.latency_ns",
                                          "graph_launch.replay_gap_ns",
                                          "graph_launch.set_node_ns",
                                          "graph_launch.update_per_node_ns",
                                          "graph_launch.instantiate_per_node_ns",
                                          "copies.call_ns",
                                          "copies.latency_ns",
                                          "allocators.malloc_ns",
                                          "allocators.malloc_per_mib_ns",
                                          "allocators.malloc_new_ns",
                                          "allocators.free_ns",
                                          "allocators.free_per_mib_ns",
                                          "allocators.malloc_async_ns",
                                          "allocators.pool_look_ns",
                                          "allocators.pool_grow_per_mib_ns",
                                          "allocators.pool_trim_ns",
                                          "first_looks.look_ns",
                                          "first_looks.uncached_ns"};
constexpr std::string_view kBandwidthKeys[] = {
    "memory.contention_ratio",
    "memory.port_bandwidth_gb_per_s",
    "memory.queue_bandwidth_gb_per_s",
};
constexpr std::array kTransferKeys =
    std::to_array<std::string_view>({"peers.link_latency_ns", "peers.copy_setup_ns", "peers.copy_latency_ns", "peers.read_latency_ns",
                                     "peers.flag_hop_ns", "peers.system_release_ns", "peers.event_hop_ns", "peers.copy_hop_ns",
                                     "peers.graph_hop_ns", "network.nic_latency_ns", "network.tree_latency_ns"});
constexpr std::array kBuildKeys = std::to_array<std::string_view>(
    {"host_build.run_ns", "host_build.task_ns", "host_build.dependency_ns", "host_build.upload_ns", "host_build.upload_task_ns"});
constexpr std::string_view kFenceKeys[] = {"device_mailboxes.publish_ns", "host_mailboxes.publish_ns", "resident_cores.release_ns",
                                           "launched_kernels.release_ns", "memory.atomic_service_ns"};
constexpr std::string_view kStartKeys[] = {"resident_cores.start_ns", "resident_cores.hand_off_ns",
                                           "streams.gap_ns",          "streams.programmatic_gap_ns",
                                           "copies.gap_ns",           "copies.engine_gap_ns"};
constexpr std::string_view kLockKeys[] = {
    "ready_queues.service_ns",      "device_control.locked_queue_ns",   "device_control.hop_ns",
    "host_control.locked_queue_ns", "host_control.queue_contention_ns", "host_control.queue_fetch_ns"};

/// Far more than any run uses, and no infinity.
constexpr double kBandwidthWithoutEnd = 1e9;
constexpr int kTimesAsManyCores = 64;

Keys keys_of(Arm arm) {
  switch (arm) {
    case Arm::kDispatch:
      return kDispatchKeys;
    case Arm::kPolling:
      return kPollingKeys;
    case Arm::kHops:
      return kHopKeys;
    case Arm::kHost:
      return kHostKeys;
    case Arm::kBandwidth:
      return kBandwidthKeys;
    case Arm::kFences:
      return kFenceKeys;
  }
  return {};
}

void set_to_nothing(Machine& machine, Keys keys) {
  for (const std::string_view key : keys) {
    const ConstantField* const field = find_constant(key);
    const MachineSection* const section = find_section(field->section);
    if (section->present(machine)) field->set(machine, 0);
  }
}

void leave_out_kernels(Machine& machine, Arm arm) {
  for (KernelCost& cost : machine.kernels) {
    if (arm == Arm::kFences) cost.publish = cost.release = Nanoseconds{0};
  }
}

/// The same graph with other tasks, and no bytes that come from one to the next.
TaskGraph changed_graph(const TaskGraph& graph, void (*change)(Task&)) {
  TaskGraphBuilder builder;
  builder.set_problem(graph.problem());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskId id = task_id(i);
    Task task = graph[id];
    change(task);
    task.traits = builder.add_traits(graph.traits(id));
    builder.add_task(std::string(graph.name(id)), task);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId predecessor : graph.predecessors(task_id(i))) builder.add_edge(predecessor, task_id(i));
    if (const auto spawner = graph.spawner(task_id(i))) builder.set_spawner(task_id(i), *spawner);
  }
  return std::move(builder).build();
}

/// An operation that takes as good as nothing.
void shorten_operation(Task& task) {
  if (task.operation == Operation::kHost) task.cost = {};
  if (is_transfer(task.operation)) task.cost.bytes = {1};
}

void add_cores(Machine& machine) {
  for (CoreGroup& group : machine.compute_cores) {
    group.count *= kTimesAsManyCores;
    group.memory_ports.clear();
    group.memory_queues.clear();
  }
  machine.launch_limits.resident_kernels = 0;
  machine.memory_limits.copy_engines *= kTimesAsManyCores;
  // Looking at them must not cost what having them saves.
  set_to_nothing(machine, kPollingKeys);
}

}  // namespace

Machine without(Machine machine, Arm arm) {
  set_to_nothing(machine, keys_of(arm));
  leave_out_kernels(machine, arm);
  if (arm == Arm::kBandwidth && machine.memory && machine.memory->bandwidth > 0) machine.memory->bandwidth = kBandwidthWithoutEnd;
  return machine;
}

std::vector<Arm> arms_named(std::string_view words, std::string_view option) {
  std::set<Arm> arms;
  for (const auto part : words | std::views::split(',')) {
    const std::string_view word(part.begin(), part.end());
    if (word == "all") {
      for (const auto& [arm, name] : Words<Arm>::entries) arms.insert(arm);
      continue;
    }
    const auto arm = from_word<Arm>(word);
    if (!arm) throw InputError(std::string(option) + ": unknown arm '" + std::string(word) + "'" + suggest(word, all_words<Arm>()));
    arms.insert(*arm);
  }
  return {arms.begin(), arms.end()};
}

Duration Hypothetical::makespan(std::uint64_t seed) const {
  sim::SimulationOptions options{.seed = seed, .bodies = bodies};
  options.replayed = scenario.replayed(design);
  options.program = scenario.program ? &*scenario.program : nullptr;
  return sim::simulate(scenario.graph, scenario.machine, design, options).timeline.makespan();
}

Hypothetical without(const scenarios::Scenario& scenario, const Design& design, PathCause cause) {
  Hypothetical imagined{scenario, design};
  Machine& machine = imagined.scenario.machine;
  Design& changed = imagined.design;
  switch (cause) {
    case PathCause::kBody:
    case PathCause::kRest:
    case PathCause::kReplays:
      imagined.bodies.assign(scenario.graph.size(), Duration{0});
      if (scenario.graph.has_operations()) imagined.scenario.graph = changed_graph(scenario.graph, shorten_operation);
      break;
    case PathCause::kBandwidth:
      machine = without(std::move(machine), Arm::kBandwidth);
      break;
    case PathCause::kTransfer:
      set_to_nothing(machine, kTransferKeys);
      imagined.scenario.graph = changed_graph(scenario.graph, [](Task&) {});
      break;
    case PathCause::kWaves:
    case PathCause::kCoreWait:
    case PathCause::kCopyEngine:
    case PathCause::kRoom:
    case PathCause::kGang:
      add_cores(machine);
      if (runtime_of(changed).streams()) changed.streams = kMaxStreams;
      break;
    case PathCause::kDataWait:
      if (runtime_of(changed).barrier()) changed.release = Release::kCounters;
      for (DesignPart& part : changed.parts) {
        if (part.release == Release::kBarrier) part.release = Release::kCounters;
      }
      break;
    case PathCause::kStream:
      changed.stream_granularity = StreamGranularity::kPerCore;  // by turns: each launch after one of 1024 before it
      changed.streams = kMaxStreams;
      changed.stream_wait = StreamWait::kEvents;
      changed.default_stream = DefaultStream::kNone;
      machine.launch_limits.hardware_queues = changed.hardware_queues = 0;
      break;
    case PathCause::kHeadOfLine:
      if (changed.head_of_line == HeadOfLine::kByType) add_cores(machine);  // for cohorts, which then need not wait
      changed.head_of_line = HeadOfLine::kByType;
      break;
    case PathCause::kHardwareQueue:
      machine.launch_limits.hardware_queues = changed.hardware_queues = 0;
      break;
    case PathCause::kDispatch:
      machine = without(std::move(machine), Arm::kDispatch);
      break;
    case PathCause::kLock:
      set_to_nothing(machine, kLockKeys);
      break;
    case PathCause::kQueue:
      machine = without(without(std::move(machine), Arm::kDispatch), Arm::kHops);
      break;
    case PathCause::kNotification:
      machine = without(without(std::move(machine), Arm::kHops), Arm::kPolling);
      break;
    case PathCause::kStart:
      set_to_nothing(machine, kStartKeys);
      break;
    case PathCause::kPublish:
      machine = without(std::move(machine), Arm::kFences);
      break;
    case PathCause::kLaunch:
      machine = without(std::move(machine), Arm::kHost);
      break;
    case PathCause::kHostBlocked:
      machine.launch_limits.stream_launches = 0;
      if (runtime_of(changed).streams()) changed.stream_wait = StreamWait::kEvents;
      if (changed.allocator == Allocator::kMalloc) changed.allocator = Allocator::kPool;  // in which nothing blocks the host
      break;
    case PathCause::kSubmit:
      machine = without(std::move(machine), Arm::kDispatch);
      set_to_nothing(machine, kBuildKeys);
      break;
    case PathCause::kWindow:
      changed.window = changed.heap_kib = changed.dependency_pool = 0;
      break;
  }
  return imagined;
}

}  // namespace tasktwin::verify
