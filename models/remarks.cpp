#include "models/remarks.hpp"

#include <algorithm>
#include <array>

#include "models/stream_plan.hpp"

namespace tasktwin {

namespace {

/// A field of tasks that only some designs read.
struct TaskField {
  std::string_view name;  ///< in scenario files
  bool (*stated)(const Task&, const TaskTraits&);
  std::string_view (*needs)(const TaskGraph&, const Design&);  ///< what it would need to count; empty where it counts
};

bool plans_streams(const Design& design) {
  return design.driver == Driver::kStreams || (design.driver == Driver::kCudaGraph && design.graph_source == GraphSource::kCapture);
}

/// Otherwise layers_of() takes the tasks' depths in place of the layers that they state.
bool has_rising_layers(const TaskGraph& graph) {
  return std::ranges::all_of(graph.topological_order(), [&](TaskId task) {
    return std::ranges::all_of(graph.successors(task), [&](TaskId next) { return graph[task].layer < graph[next].layer; });
  });
}

std::string_view priority_needs(const TaskGraph&, const Design& design) {
  if (design.order == TaskOrder::kPriority || design.stream_priorities == StreamPriorities::kTask) return {};
  return "order 'priority', or driver 'streams' and stream_priorities 'task'";
}

std::string_view layer_needs(const TaskGraph& graph, const Design& design) {
  if (plans_streams(design) && design.stream_granularity == StreamGranularity::kPerLayer) return {};
  if (design.release != Release::kBarrier && design.driver != Driver::kCudaGraph)
    return "release 'barrier', driver 'cuda_graph' or stream_granularity 'per_layer'";
  return has_rising_layers(graph) ? "" : "layers that rise along every dependency; here the tasks' depths stand in for them";
}

std::string_view stream_needs(const TaskGraph&, const Design& design) {
  if (plans_streams(design) && design.stream_granularity == StreamGranularity::kHinted) return {};
  return "stream_granularity 'hinted'";
}

std::string_view footprint_needs(const TaskGraph&, const Design& design) {
  return has_workers(design.driver) ? "a driver that launches kernels, not 'persistent' or 'host_dispatcher'" : "";
}

constexpr std::array kTaskFields{
    TaskField{"priority", [](const Task& task, const TaskTraits&) { return task.priority != 0 && task.operation == Operation::kKernel; },
              priority_needs},
    TaskField{"priority", [](const Task& task, const TaskTraits&) { return task.priority != 0 && task.operation != Operation::kKernel; },
              [](const TaskGraph&, const Design&) -> std::string_view { return "operation 'kernel'"; }},
    TaskField{"layer", [](const Task& task, const TaskTraits&) { return task.layer != 0; }, layer_needs},
    TaskField{"stream", [](const Task&, const TaskTraits& traits) { return traits.stream != 0; }, stream_needs},
    TaskField{"threads", [](const Task&, const TaskTraits& traits) { return traits.threads != 0; }, footprint_needs},
    TaskField{"registers", [](const Task&, const TaskTraits& traits) { return traits.registers != 0; }, footprint_needs},
    TaskField{"shared_memory_bytes", [](const Task&, const TaskTraits& traits) { return traits.shared_memory != 0; }, footprint_needs},
};

/// A design on its way to a run.
struct Case {
  const TaskGraph& graph;
  const Machine& machine;
  const Design& design;
  const Design& base;

  /// Whether both designs have one of two values.
  template <class E>
  bool between(E Design::*axis, E one, E other) const {
    return (design.*axis == one && base.*axis == other) || (design.*axis == other && base.*axis == one);
  }
  bool any_task(bool (*is)(const Task&, const TaskTraits&)) const {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (is(graph[task_id(i)], graph.traits(task_id(i)))) return true;
    }
    return false;
  }
};

bool has_one_core_type(const Machine& machine, const Design& design) {
  const std::vector<CoreType> cores = worker_cores(design, machine);
  return std::ranges::count(cores, cores.front()) == std::ssize(cores);
}

/// Whether an operation on a ready queue holds it for no time, so that nobody waits for another.
bool holds_no_queue(const Machine& machine, const Design& design) {
  const Constants c = machine_as_run(design, machine).constants;
  if (c.queue_service > Nanoseconds{0}) return false;
  return (design.release == Release::kDispatcher ? c.locked_queue : c.atomic_service) == Nanoseconds{0};
}

/// Whether all tasks wait in what is one ready queue, whatever its layout is called.
bool has_one_queue(const Machine& machine, const Design& design) {
  const bool dispatched = design.release == Release::kDispatcher;
  const auto takers = dispatched ? dispatcher_count(design, machine) : static_cast<int>(worker_cores(design, machine).size());
  switch (design.ready_queue) {
    case ReadyQueue::kShared:
      return true;
    case ReadyQueue::kPerCoreType:
      return has_one_core_type(machine, design) || holds_no_queue(machine, design);
    case ReadyQueue::kPerDispatcher:
      return takers == 1 && design.stealing == Stealing::kOff;
    case ReadyQueue::kSharded:
      return (design.shards > 0 ? design.shards : takers) == 1 && design.stealing == Stealing::kOff;
    default:
      return false;
  }
}

/// Whether each stream has a hardware queue to itself.
bool shares_no_queue(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const int queues = design.hardware_queues > 0 ? design.hardware_queues : machine.launch_limits.hardware_queues;
  return queues == 0 || static_cast<std::uint32_t>(queues) >= stream_count(graph, design);
}

/// Whether the whole graph fits into the window.
bool has_room_for_all(const TaskGraph& graph, const Design& design) {
  return design.window == 0 || static_cast<std::size_t>(design.window) >= graph.size();
}

bool one_priority(const Case& c) {
  return std::ranges::adjacent_find(c.graph.tasks(), std::ranges::not_equal_to{}, &Task::priority) == c.graph.tasks().end();
}

bool allocates_nothing(const Case& c) {
  return !c.any_task([](const Task& task, const TaskTraits&) { return task.operation == Operation::kAlloc; });
}

/// Nothing of one run makes a pool give memory back.
bool never_synchronises(const Case& c) {
  const StreamWait wait = c.design.stream_wait;
  if (c.design.replays > 1) return wait == StreamWait::kEvents;
  return !host_waits(wait) || wait == StreamWait::kEventQuery;
}

/// An axis that makes no difference under certain other axes, on certain machines or to certain graphs.
struct AxisRemark {
  std::string_view axis;
  bool (*holds)(const Case&);
  std::string_view why;
};

constexpr std::array kAxisRemarks{
    AxisRemark{"ready_queue",
               [](const Case& c) {
                 return c.design.driver == c.base.driver && c.design.release == c.base.release && has_one_queue(c.machine, c.design) &&
                        has_one_queue(c.machine, c.base);
               },
               "ready tasks wait in one queue either way, or each type's cores are served alike, for nobody waits for an operation on it"},
    AxisRemark{"order", [](const Case& c) { return c.between(&Design::order, TaskOrder::kFifo, TaskOrder::kPriority) && one_priority(c); },
               "all tasks have the same priority, so the first to become ready goes first"},
    AxisRemark{"hardware_queues",
               [](const Case& c) { return shares_no_queue(c.graph, c.machine, c.design) && shares_no_queue(c.graph, c.machine, c.base); },
               "there are no more streams than hardware queues"},
    AxisRemark{"default_stream",
               [](const Case& c) { return c.between(&Design::default_stream, DefaultStream::kNone, DefaultStream::kPerThread); },
               "a thread's own default stream waits for no other, like any stream"},
    AxisRemark{"stream_priorities",
               [](const Case& c) {
                 return c.between(&Design::stream_priorities, StreamPriorities::kNone, StreamPriorities::kTask) && one_priority(c);
               },
               "all tasks have the same priority"},
    AxisRemark{"graph_predicates", [](const Case& c) { return !c.graph.has_predicates(); }, "no task has a predicate"},
    AxisRemark{"allocator", allocates_nothing, "no task allocates memory"},
    AxisRemark{"release_threshold", [](const Case& c) { return allocates_nothing(c) || never_synchronises(c); },
               "it needs tasks that allocate, and a host that synchronises within a run: by stream_wait 'event_sync', 'stream_sync' or "
               "'device_sync', or between replays by a stream_wait other than 'events'"},
    AxisRemark{"pool_reuse", allocates_nothing, "no task allocates memory"},
    AxisRemark{"ownership", [](const Case& c) { return dispatcher_count(c.design, c.machine) == 1; },
               "the only dispatcher looks after all cores"},
    AxisRemark{"claim",
               [](const Case& c) {
                 return c.design.release == Release::kCounters && has_workers(c.design.driver) && c.design.claim_size == 1 &&
                        c.base.claim_size == 1 && c.between(&Design::claim, Claim::kAll, Claim::kFixed);
               },
               "a worker claims one task at a time, under 'all' as well"},
    AxisRemark{"fill", [](const Case& c) { return c.design.mailbox_depth == 1; },
               "a core holds one task (mailbox_depth 1), never one ahead"},
    AxisRemark{"window", [](const Case& c) { return has_room_for_all(c.graph, c.design) && has_room_for_all(c.graph, c.base); },
               "the graph has no more tasks than a window has room for"},
    AxisRemark{"gang", [](const Case& c) { return !c.any_task([](const Task&, const TaskTraits& traits) { return traits.blocks > 1; }); },
               "no task has several blocks"},
};

}  // namespace

std::vector<std::string> task_remarks(const TaskGraph& graph, const Design& design) {
  std::vector<std::string> remarks;
  for (const TaskField& field : kTaskFields) {
    const std::string_view needs = field.needs(graph, design);
    if (needs.empty()) continue;
    std::size_t count = 0;
    TaskId first{};
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (field.stated(graph[task_id(i)], graph.traits(task_id(i))) && count++ == 0) first = task_id(i);
    }
    if (count == 0) continue;
    const std::string name = "task '" + std::string(graph.name(first)) + "'";
    remarks.push_back(std::string(field.name) + " of " + (count == 1 ? name : std::to_string(count) + " tasks, the first " + name + ",") +
                      " does not count here: it needs " + std::string(needs));
  }
  return remarks;
}

std::vector<std::string> axis_remarks(const TaskGraph& graph, const Machine& machine, const Design& design, const Design& base) {
  std::vector<std::string> remarks;
  for (const AxisField& field : axis_fields()) {
    if (field.text(design) == field.text(base)) continue;
    for (const AxisRemark& remark : kAxisRemarks) {
      if (remark.axis != field.name || !remark.holds({graph, machine, design, base})) continue;
      remarks.push_back(std::string(field.name) + " " + field.quoted(design) + " changes nothing here: " + std::string(remark.why));
    }
  }
  return remarks;
}

}  // namespace tasktwin
