#include "verify/explain/hypothetical.hpp"

#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "models/base/error.hpp"
#include "models/base/internal_error.hpp"
#include "models/explain/host_turns.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/runtimes/conditions.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/run_bounds.hpp"

namespace tasktwin::verify {

namespace {

/// Far more than any run uses, and no infinity.
constexpr double kBandwidthWithoutEnd = 1e9;
constexpr int kTimesAsManyCores = 64;

template <class Is>
void set_to_nothing(Machine& machine, const Is& is) {
  for (const ConstantField* field : constants_of(machine)) {
    if (is(*field)) field->set(machine, 0);
  }
}

void set_to_nothing(Machine& machine, CostGroup group) {
  set_to_nothing(machine, [group](const ConstantField& field) { return field.group == group; });
}

/// What bytes take between devices beside their bandwidth.
void set_transfers_to_nothing(Machine& machine) {
  set_to_nothing(machine, [&machine](const ConstantField& field) {
    const bool between = field.section == machine.peers.name() || field.section == machine.network.name();
    return between && field.unit == Unit::kNanoseconds && !field.group;
  });
}

/// What a ready task waits for on its core or in its stream.
void set_starts_to_nothing(Machine& machine) {
  constexpr Nanoseconds kNothing{0};
  if (machine.resident_cores) machine.resident_cores->start = machine.resident_cores->hand_off = kNothing;
  if (machine.streams) machine.streams->gap = machine.streams->programmatic_gap = kNothing;
  if (machine.copies) machine.copies->gap = machine.copies->engine_gap = kNothing;
}

/// What queues cost whose users exclude each other.
void set_locks_to_nothing(Machine& machine) {
  constexpr Nanoseconds kNothing{0};
  if (machine.ready_queues) machine.ready_queues->service = kNothing;
  if (machine.device_control) machine.device_control->locked_queue = machine.device_control->hop = kNothing;
  if (machine.host_control) {
    mechanism::HostControl& host = *machine.host_control;
    host.locked_queue = host.queue_contention = host.queue_fetch = kNothing;
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
  if (!is_transfer(task.operation)) return;
  task.cost.bytes = {1};
  task.cost.time = std::min(task.cost.time, Duration{1});  // of captured ones
}

void set_latencies_to_nothing(HostProgram& program) {
  for (HostThread& thread : program.threads) {
    for (HostCall& call : thread.calls) call.latency = Duration{0};
  }
}

void shorten_collective(Task& task) {
  if (!is_collective(task.operation)) return;
  task.cost.time = Duration{1};
  task.cost.bytes = {1};
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
  set_to_nothing(machine, CostGroup::kPolling);
}

/// Tasks whose cores are named may be on any.
void spread_out(scenarios::Scenario& scenario, Design& design) {
  if (design.placement == Placement::kReplay) {
    design.placement = Placement::kRoundRobin;
    design.replay.clear();
  }
  if (std::ranges::none_of(scenario.graph.all_traits(), [](const TaskTraits& traits) { return traits.workers.has_value(); })) return;
  TaskGraphBuilder builder;
  copy_tasks(builder, scenario.graph, [](TaskId, Task&, TaskTraits& traits) { traits.workers.reset(); });
  copy_edges(builder, scenario.graph);
  scenario.graph = std::move(builder).build();
}

void add_streams(Design& design) {
  if (runtime_of(design).streams() && condition::kSeveralStreams.holds(design)) design.streams = kMaxStreams;
}

}  // namespace

Machine without(Machine machine, CostGroup group) {
  set_to_nothing(machine, group);
  if (group == CostGroup::kFences) {
    for (KernelCost& cost : machine.kernels) cost.publish = cost.release = Nanoseconds{0};
  }
  if (group == CostGroup::kBandwidth && machine.memory && machine.memory->bandwidth > 0) machine.memory->bandwidth = kBandwidthWithoutEnd;
  return machine;
}

scenarios::Scenario without(scenarios::Scenario scenario, CostGroup group) {
  scenario.machine = without(std::move(scenario.machine), group);
  if (group == CostGroup::kHost && scenario.program) scenario.program = without_host_time(*scenario.program);
  return scenario;
}

namespace {

/// What calls take that allocate, or free.
void set_allocations_to_nothing(Machine& machine, Operation operation, Allocator allocator) {
  if (!machine.allocators) return;
  constexpr Nanoseconds kNothing{0};
  mechanism::Allocators& times = *machine.allocators;
  if (allocator == Allocator::kPool) {
    times.malloc_async = times.pool_look = times.pool_grow_per_mib = times.pool_trim = kNothing;
  } else if (operation == Operation::kAlloc) {
    times.malloc = times.malloc_per_mib = times.malloc_new = kNothing;
    if (allocator == Allocator::kCaching) times.free = times.free_per_mib = kNothing;  // of what a cache gives back to grow
  } else if (allocator == Allocator::kMalloc) {
    times.free = times.free_per_mib = kNothing;
  } else if (machine.host_calls) {
    machine.host_calls->event_record = kNothing;
  }
}

/// What a captured program's host takes for calls that a design makes in place of the program's.
void set_own_calls_to_nothing(Machine& machine) {
  constexpr Nanoseconds kNothing{0};
  if (machine.host_calls) {
    mechanism::HostCalls& times = *machine.host_calls;
    times.launch = times.first_launches = times.event_record = times.stream_wait = times.sync = kNothing;
  }
  if (machine.copies) machine.copies->call = kNothing;
  if (machine.peers) machine.peers->set_device = kNothing;
  if (machine.collectives) machine.collectives->call = machine.collectives->group = kNothing;
}

/// The host's constants without calls that count as `host_call`.
void set_launches_to_nothing(Machine& machine, const scenarios::Scenario& scenario, const Design& design) {
  const Machine before = machine;
  machine = without(std::move(machine), CostGroup::kHost);
  machine.allocators = before.allocators;
  if (!scenario.program || !runtime_of(design).streams()) return;
  machine.host_calls = before.host_calls;
  if (machine.copies) machine.copies->call = before.copies->call;
  if (machine.peers) machine.peers->set_device = before.peers->set_device;
  machine.collectives = before.collectives;
}

}  // namespace

bool calls_itself(const scenarios::Scenario& scenario, const Design& design) {
  return !scenario.program || runtime_of(design).id != RuntimeId::kHostProgram;
}

std::string_view call_of_design(const scenarios::Scenario& scenario, const Design& design, TaskId task) {
  const Operation operation = scenario.graph[task].operation;
  if (!is_allocation(operation)) return "calls of the design's own";
  if (design.allocator == Allocator::kPool) return "cudaMallocAsync and cudaFreeAsync";
  if (operation == Operation::kAlloc) return "cudaMalloc";
  return design.allocator == Allocator::kMalloc ? "cudaFree" : "cudaEventRecord";
}

Hypothetical without_call(const scenarios::Scenario& scenario, const Design& design, const PathSegment& segment) {
  Hypothetical imagined{scenario, design};
  if (segment.cause != PathCause::kHostCall || segment.call != 0 || !calls_itself(scenario, design)) {
    imagined.scenario.program = program_without(scenario, design, segment.cause, segment.call);
  } else if (const Operation operation = scenario.graph[segment.task].operation; is_allocation(operation)) {
    set_allocations_to_nothing(imagined.scenario.machine, operation, design.allocator);
  } else {
    set_own_calls_to_nothing(imagined.scenario.machine);
  }
  return imagined;
}

/// A design with calls of its own makes its launches by one host, and of the program's other calls those that order nothing.
HostProgram program_without(const scenarios::Scenario& scenario, const Design& design, PathCause cause, std::optional<std::uint32_t> name) {
  const bool again = runtime_of(design).id == RuntimeId::kHostProgram;
  if (again && cause != PathCause::kLaunch && scenario.program->threads.size() > 1) {
    const HostTurns turns = host_turns(*scenario.program, Hypothetical{scenario, design}.timeline(scenario.seed).host_steps);
    const HostPart part = cause == PathCause::kHostOwn ? HostPart::kOwn : cause == PathCause::kHostCall ? HostPart::kCall : HostPart::kSync;
    return without(with_lent_ranges(*scenario.program, turns), turns, part, name);
  }
  HostProgram quicker = again ? *scenario.program : on_one_thread(*scenario.program, scenario.graph.size());
  switch (cause) {
    case PathCause::kLaunch:
      set_latencies_to_nothing(quicker);
      return quicker;
    case PathCause::kHostOwn:
      return without(quicker, HostPart::kOwn, name);
    case PathCause::kHostCall:
      return without(quicker, HostPart::kCall, name);
    default:
      return without(quicker, HostPart::kSync, name);
  }
}

std::vector<CostGroup> cost_groups_named(std::string_view words, std::string_view option) {
  std::set<CostGroup> groups;
  for (const auto part : words | std::views::split(',')) {
    const std::string_view word(part.begin(), part.end());
    if (word == "all") {
      for (const auto& [group, name] : Words<CostGroup>::entries) groups.insert(group);
      continue;
    }
    const auto group = from_word<CostGroup>(word);
    if (!group) {
      throw InputError(std::string(option) + ": unknown group of costs '" + std::string(word) + "'" +
                       suggest(word, all_words<CostGroup>()));
    }
    groups.insert(*group);
  }
  return {groups.begin(), groups.end()};
}

Timeline Hypothetical::timeline(std::uint64_t seed) const {
  if (bodies.empty()) return predict(scenario, design, seed).timeline;
  sim::SimulationOptions options{.seed = seed, .host_pace = scenario.host_pace, .bodies = bodies};
  options.replayed = scenario.replayed(design);
  options.program = scenario.program ? &*scenario.program : nullptr;
  try {
    return sim::simulate(scenario.graph, scenario.machine, design, options).timeline;
  } catch (const InternalError& fault) {
    throw in_scenario(scenario, fault);
  }
}

Hypothetical without(const scenarios::Scenario& scenario, const Design& design, PathCause cause) {
  Hypothetical imagined{scenario, design};
  Machine& machine = imagined.scenario.machine;
  Design& changed = imagined.design;
  switch (cause) {
    case PathCause::kCollective:
      imagined.scenario.graph = changed_graph(scenario.graph, shorten_collective);
      break;
    case PathCause::kSkew:
    case PathCause::kRest:
    case PathCause::kReplays:
      throw InputError("a run without what counts as '" + std::string(to_word(cause)) + "' cannot be imagined");
    case PathCause::kBody:
      imagined.bodies.assign(scenario.graph.size(), Duration{0});
      if (scenario.graph.has_operations()) imagined.scenario.graph = changed_graph(scenario.graph, shorten_operation);
      break;
    case PathCause::kBandwidth:
      machine = without(std::move(machine), CostGroup::kBandwidth);
      break;
    case PathCause::kTransfer:
      set_transfers_to_nothing(machine);
      imagined.scenario.graph = changed_graph(scenario.graph, [](Task&) {});
      break;
    case PathCause::kWaves:
    case PathCause::kCoreWait:
    case PathCause::kCopyEngine:
    case PathCause::kRoom:
    case PathCause::kGang:
      add_cores(machine);
      spread_out(imagined.scenario, changed);
      add_streams(changed);
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
      machine = without(std::move(machine), CostGroup::kDispatch);
      break;
    case PathCause::kLock:
      set_locks_to_nothing(machine);
      break;
    case PathCause::kQueue:
      machine = without(without(std::move(machine), CostGroup::kDispatch), CostGroup::kHops);
      break;
    case PathCause::kNotification:
      machine = without(without(std::move(machine), CostGroup::kHops), CostGroup::kPolling);
      break;
    case PathCause::kStart:
      set_starts_to_nothing(machine);
      break;
    case PathCause::kPublish:
      machine = without(std::move(machine), CostGroup::kFences);
      break;
    case PathCause::kLaunch:
      set_launches_to_nothing(machine, scenario, design);
      if (scenario.program) imagined.scenario.program = program_without(scenario, design, cause);
      break;
    case PathCause::kHostCall:
      if (calls_itself(scenario, design)) {
        for (const Operation operation : {Operation::kAlloc, Operation::kFree})
          set_allocations_to_nothing(machine, operation, changed.allocator);
        if (scenario.program) set_own_calls_to_nothing(machine);
      }
      [[fallthrough]];
    case PathCause::kHostOwn:
    case PathCause::kHostSync:
      if (scenario.program) imagined.scenario.program = program_without(scenario, design, cause);
      break;
    case PathCause::kHostBlocked:
      machine.launch_limits.stream_launches = 0;
      if (runtime_of(changed).streams()) changed.stream_wait = StreamWait::kEvents;
      if (changed.allocator == Allocator::kMalloc) changed.allocator = Allocator::kPool;  // in which nothing blocks the host
      break;
    case PathCause::kStartUp:
      if (machine.first_poll) machine.first_poll.emplace();
      break;
    case PathCause::kSubmit:
      machine = without(std::move(machine), CostGroup::kDispatch);
      if (machine.host_build) machine.host_build.emplace();
      break;
    case PathCause::kWindow:
      changed.window = changed.heap_kib = changed.dependency_pool = 0;
      break;
  }
  return imagined;
}

}  // namespace tasktwin::verify
