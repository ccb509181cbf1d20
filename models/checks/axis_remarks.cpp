#include "models/checks/remarks.hpp"

#include <algorithm>
#include <array>

#include "models/checks/submission_room.hpp"
#include "models/cost/body_cost.hpp"
#include "models/cost/prefetch.hpp"
#include "models/machine/clusters.hpp"
#include "models/program/stream_plan.hpp"
#include "models/run/as_run.hpp"
#include "models/run/fallback.hpp"
#include "models/runtimes/conditions.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

/// A design before its run, and the same design without the axis in question.
struct Case {
  const TaskGraph& graph;
  const Machine& machine;
  const Design& design;
  const Design& without;

  /// Whether the axis has one of two values in one of them and the other in the other.
  template <class E>
  bool between(E Design::*axis, E one, E other) const {
    return (design.*axis == one && without.*axis == other) || (design.*axis == other && without.*axis == one);
  }
  bool any_task(bool (*is)(const Task&, const TaskTraits&)) const {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (is(graph[task_id(i)], graph.traits(task_id(i)))) return true;
    }
    return false;
  }
};

bool dispatched(const Design& design) { return runtime_of(design).dispatched(); }

bool has_one_core_type(const Machine& machine, const Design& design) {
  const std::vector<CoreType> cores = worker_cores(design, machine);
  return std::ranges::count(cores, cores.front()) == std::ssize(cores);
}

/// Whether an operation on a ready queue holds it for no time, so that no operation waits for another.
bool holds_no_queue(const Machine& machine, const Design& design) {
  const AsRun met = as_run(design, machine);
  const Nanoseconds held = met.ready_queues ? met.ready_queues->service : Nanoseconds{0};
  return held + (dispatched(design) ? met.control.locked_queue : met.memory->atomic_service) == Nanoseconds{0};
}

/// Queues that have a dispatcher or worker of their own to push to them, 0 where there are no such queues.
int homes(const Machine& machine, const Design& design) {
  const auto cores = static_cast<int>(worker_cores(design, machine).size());
  const int takers = dispatched(design) ? dispatcher_count(design, machine) : cores;
  switch (design.ready_queue) {
    case ReadyQueue::kPerDispatcher:
      return takers;
    case ReadyQueue::kSharded:
      return design.shards > 0 ? design.shards : takers;
    case ReadyQueue::kPerWorker:
    case ReadyQueue::kPerWorkerAndShared:
      return cores;
    default:
      return 0;
  }
}

/// Whether all tasks wait in a single ready queue, under any of its layouts.
bool has_one_queue(const Machine& machine, const Design& design) {
  if (design.ready_queue == ReadyQueue::kPerCoreType) return has_one_core_type(machine, design);
  const bool one_home = homes(machine, design) == 1 && design.stealing == Stealing::kOff;
  return design.ready_queue == ReadyQueue::kShared ||
         (one_home && (design.ready_queue == ReadyQueue::kPerDispatcher || design.ready_queue == ReadyQueue::kSharded));
}

/// Whether each stream has a hardware queue to itself.
bool shares_no_queue(const Case& c, const Design& design) {
  const int queues = design.hardware_queues > 0 ? design.hardware_queues : c.machine.launch_limits.hardware_queues;
  return queues == 0 || static_cast<std::uint32_t>(queues) >= stream_count(c.graph, design);
}

bool has_one_stream(const Case& c) { return stream_count(c.graph, c.design) == 1 && stream_count(c.graph, c.without) == 1; }

/// Whether a ring of that axis, if the design has one, holds what all tasks take together.
bool has_room_for_all(const Case& c, const Design& design, std::string_view axis) {
  const std::vector<Ring> all = rings(c.graph, design);
  const auto ring = std::ranges::find(all, axis, &Ring::axis);
  if (ring == all.end()) return true;
  const auto has_gates = [](const DesignPart& part) { return part.release == Release::kBarrier; };  // which are submitted as well
  return ring->ends.back() <= ring->size && std::ranges::none_of(design.parts, has_gates);
}

template <const char* Axis>
bool never_fills(const Case& c) {
  return has_room_for_all(c, c.design, Axis) && has_room_for_all(c, c.without, Axis);
}
constexpr char kWindow[] = "window";
constexpr char kHeap[] = "heap_kib";
constexpr char kDependencies[] = "dependency_pool";

/// Whether no two tasks can ever be ready at once.
bool is_chain(const Case& c) {
  if (c.graph.has_spawns() || c.graph.has_wide_tasks()) return false;
  const auto order = c.graph.topological_order();
  return std::ranges::adjacent_find(order, [&c](TaskId before, TaskId after) {
           return !std::ranges::binary_search(c.graph.predecessors(after), before);
         }) == std::ranges::end(order);
}

bool waits_for_nothing(const Case& c) { return c.graph.edge_count() == 0; }

/// Neither replays a captured program, whose waits are its own.
bool replays_no_program(const Case& c) {
  return c.design.stream_wait != StreamWait::kProgram && c.without.stream_wait != StreamWait::kProgram;
}

bool has_one_priority(const Case& c) {
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

bool has_one_dispatcher(const Case& c) { return dispatched(c.design) && dispatcher_count(c.design, c.machine) == 1; }

bool has_one_dispatcher_bound(const Case& c) {
  return has_one_dispatcher(c) && c.between(&Design::early_bound, EarlyBound::kSum, EarlyBound::kPerDispatcher);
}

/// Cores that hold tasks which wait are at most as many as there are, and for an edge as many as the widest task needs.
bool has_room_for_all_early(const Case& c) {
  int most = static_cast<int>(worker_cores(c.design, c.machine).size());
  if (c.design.early_bound == EarlyBound::kPerEdge) {
    int widest = 1;
    for (std::size_t i = 0; i < c.graph.size(); ++i) widest = std::max(widest, width(c.graph, c.machine, task_id(i)));
    most = std::min(most, widest);
  }
  return c.design.early_limit >= most && c.without.early_limit >= most;
}

bool has_no_mix_tasks(const Case& c) { return !has_mix_tasks(c.graph); }

/// Of the waits in which the two differ neither takes any time.
bool flushes_at_once(const Case& c) {
  const mechanism::ResidentCores& cores = *c.machine.resident_cores;
  const OutputFlush one = c.design.output_flush;
  const OutputFlush other = c.without.output_flush;
  return (writer_waits(one) == writer_waits(other) || cores.flush == Nanoseconds{0}) &&
         (reader_waits(one) == reader_waits(other) || cores.ordered_read == Nanoseconds{0});
}

bool has_one_home(const Case& c) { return homes(c.machine, c.design) == 1; }

bool has_no_pages(const Case& c) { return page_ring(c.graph, c.machine).pages == 0; }

/// Whether the lists are empty that workers could steal from.
bool freezes_nothing(const Case& c) {
  return runtime_of(c.design).id == RuntimeId::kHybrid && lists_some(c.design) && c.design.parts.empty() &&
         c.graph.size() * static_cast<std::size_t>(c.design.static_percent) < 100;
}

bool all_name_devices(const Case& c) {
  return std::ranges::none_of(c.graph.tasks(), [](const Task& task) { return task.device == kAnyDevice; });
}

/// An axis that makes no difference under certain other axes, on certain machines or to certain graphs.
struct AxisRemark {
  std::string_view axis;
  bool (*holds)(const Case&);
  std::string_view why;
  std::string_view where = "here";  ///< after "changes nothing"
};

constexpr std::string_view kOnePriority = "all tasks have the same priority";
constexpr std::string_view kOneStream = "all tasks go into one stream";
constexpr std::string_view kNoDependency = "no task waits for another";
constexpr std::string_view kNoAllocation = "no task allocates memory";
constexpr std::string_view kOneHome = "there is one queue, and nobody to steal from";
constexpr std::string_view kNothingFrozen = "no task is in a list that could be stolen from";

constexpr std::array kAxisRemarks{
    AxisRemark{"ready_queue", [](const Case& c) { return has_one_queue(c.machine, c.design) && has_one_queue(c.machine, c.without); },
               "ready tasks wait in one queue either way"},
    AxisRemark{"ready_queue",
               [](const Case& c) {
                 return c.between(&Design::ready_queue, ReadyQueue::kShared, ReadyQueue::kPerCoreType) &&
                        c.design.head_of_line == HeadOfLine::kByType && holds_no_queue(c.machine, c.design);
               },
               "a core takes the first task of its type either way, and no operation on a queue takes any time on this machine"},
    AxisRemark{"order",
               [](const Case& c) { return c.between(&Design::order, TaskOrder::kFifo, TaskOrder::kPriority) && has_one_priority(c); },
               kOnePriority},
    AxisRemark{"order", is_chain, "the tasks are a chain, of which one at a time is ready"},
    AxisRemark{"placement",
               [](const Case& c) {
                 return c.design.mailbox_depth == 1 && c.between(&Design::placement, Placement::kAnyIdle, Placement::kLeastLoaded) &&
                        // a core that several threads of the host see may be kept for a task of several cores
                        (runtime_of(c.design).host_dispatched() ? c.design.loop == Loop::kCompleteFirst && !c.graph.has_wide_tasks()
                                                                : homes(c.machine, c.design) > 1);
               },
               "a core that can be given a task holds none (mailbox_depth 1), so all such cores are loaded alike"},
    AxisRemark{"device_placement", all_name_devices, "all tasks name their device"},
    AxisRemark{"peer_data", [](const Case& c) { return !c.graph.has_edge_bytes(); }, "no bytes come with any edge"},
    AxisRemark{"collective", [](const Case& c) { return !c.graph.has_collectives(); }, "there is no collective"},
    AxisRemark{"collective_blocks", [](const Case& c) { return !c.graph.has_collectives(); }, "there is no collective"},
    AxisRemark{"head_of_line", [](const Case& c) { return c.graph.has_one_core_type(); }, "all tasks are for one type of core"},
    AxisRemark{
        "head_of_line",
        [](const Case& c) { return c.between(&Design::head_of_line, HeadOfLine::kByType, HeadOfLine::kMixFirst) && has_no_mix_tasks(c); },
        "no task is for a cluster"},
    AxisRemark{"record_stream", allocates_nothing, kNoAllocation},
    AxisRemark{"record_stream", has_one_stream, kOneStream},
    AxisRemark{"segments", allocates_nothing, kNoAllocation},
    AxisRemark{"max_split_mib", allocates_nothing, kNoAllocation},
    AxisRemark{"hardware_queues", [](const Case& c) { return shares_no_queue(c, c.design) && shares_no_queue(c, c.without); },
               "there are no more streams than hardware queues"},
    AxisRemark{"stream_wait", [](const Case& c) { return has_one_stream(c) && c.design.replays == 1 && replays_no_program(c); },
               kOneStream},
    AxisRemark{
        "stream_wait",
        [](const Case& c) { return waits_for_nothing(c) && c.design.replays == 1 && replays_no_program(c) && !c.graph.has_operations(); },
        kNoDependency},
    AxisRemark{"programmatic_launch",
               [](const Case& c) {
                 const bool from_streams = c.design.graph_source == GraphSource::kCapture;  // whose order makes dependencies
                 return runtime_of(c.design).graph() && !from_streams && waits_for_nothing(c) && !c.graph.has_prologues();
               },
               kNoDependency},
    AxisRemark{"notification", [](const Case& c) { return waits_for_nothing(c) && c.design.graph_build == GraphBuild::kHost; },
               kNoDependency},
    AxisRemark{"own_list", waits_for_nothing, kNoDependency},
    AxisRemark{"default_stream",
               [](const Case& c) {
                 return has_one_stream(c) || c.between(&Design::default_stream, DefaultStream::kNone, DefaultStream::kPerThread);
               },
               "stream 0 is the only one, or a thread's own default stream, which waits for no other"},
    AxisRemark{"stream_priorities",
               [](const Case& c) {
                 return c.between(&Design::stream_priorities, StreamPriorities::kNone, StreamPriorities::kTask) && has_one_priority(c);
               },
               kOnePriority},
    AxisRemark{"stream_priorities",
               [](const Case& c) { return has_one_stream(c) && c.design.programmatic_launch == ProgrammaticLaunch::kOff; }, kOneStream},
    AxisRemark{"graph_predicates", [](const Case& c) { return !c.graph.has_predicates(); }, "no task has a predicate"},
    AxisRemark{"allocator", allocates_nothing, kNoAllocation},
    AxisRemark{"release_threshold", allocates_nothing, kNoAllocation},
    AxisRemark{
        "release_threshold", never_synchronises,
        "the host does not synchronise before its end, as it does by stream_wait 'event_sync', 'stream_sync' or 'device_sync', or by "
        "replays and a stream_wait other than 'events'; a program's next run would find what the pool keeps, but each run that is "
        "predicted or measured begins with an empty pool",
        "within one run"},
    AxisRemark{"pool_reuse", allocates_nothing, kNoAllocation},
    AxisRemark{"pool_reuse", [](const Case& c) { return has_one_stream(c) && c.design.replays == 1; }, kOneStream},
    AxisRemark{"ownership", has_one_dispatcher, "the only dispatcher looks after all cores"},
    AxisRemark{"claim",
               [](const Case& c) {
                 return runtime_of(c.design).fetching() && !runtime_of(c.design).barrier() && c.design.claim_size == 1 &&
                        c.between(&Design::claim, Claim::kAll, Claim::kFixed);
               },
               "a worker claims one task at a time, under 'all' as well"},
    AxisRemark{"stealing",
               [](const Case& c) { return has_one_home(c) && condition::kThieves.holds(c.design) && condition::kThieves.holds(c.without); },
               kOneHome},
    AxisRemark{"steal_batch", has_one_home, kOneHome},
    AxisRemark{"steal_batch", freezes_nothing, kNothingFrozen},
    AxisRemark{"victim",
               [](const Case& c) {
                 return homes(c.machine, c.design) <= 2 && c.design.victim != Victim::kMostLoaded &&
                        c.without.victim != Victim::kMostLoaded;
               },
               "a thief has one other queue to try"},
    AxisRemark{"victim", freezes_nothing, kNothingFrozen},
    AxisRemark{"fill", [](const Case& c) { return c.design.mailbox_depth == 1; },
               "a core holds one task (mailbox_depth 1), never one ahead"},
    AxisRemark{"fill",
               [](const Case& c) { return has_one_dispatcher(c) && c.between(&Design::fill, Fill::kAlways, Fill::kWhenNoCoreIdle); },
               "the only dispatcher serves idle cores first anyway"},
    // With cores of one type tasks may bypass the queue, but not where some could be handed over early.
    AxisRemark{"early_dispatch", [](const Case& c) { return waits_for_nothing(c) && c.machine.compute_cores.size() > 1; }, kNoDependency},
    AxisRemark{"early_dispatch",
               [](const Case& c) {
                 return c.design.mailbox_depth == 1 && c.between(&Design::early_dispatch, EarlyDispatch::kOn, EarlyDispatch::kAnySlot);
               },
               "a core holds one task (mailbox_depth 1), so that none can wait behind the one that it runs"},
    AxisRemark{"early_bound", has_one_dispatcher_bound, "the only dispatcher looks after all cores"},
    AxisRemark{"early_bound", waits_for_nothing, kNoDependency},
    AxisRemark{"early_limit", has_room_for_all_early, "no more cores than that can hold tasks that wait"},
    AxisRemark{"early_limit", waits_for_nothing, kNoDependency},
    AxisRemark{"early_order", has_no_mix_tasks, "no task is for the cores of a cluster"},
    AxisRemark{"early_order", waits_for_nothing, kNoDependency},
    AxisRemark{"prefetch", has_no_pages, "no task has inputs that no other writes, or bodies leave no shared memory for them"},
    AxisRemark{"prologues", [](const Case& c) { return !c.graph.has_prologues(); }, "no task states a prologue"},
    AxisRemark{"window", never_fills<kWindow>, "the graph has no more tasks than a window has room for"},
    AxisRemark{"heap_kib", never_fills<kHeap>, "the tasks state no more output_bytes than the ring has room for"},
    AxisRemark{"dependency_pool", never_fills<kDependencies>, "the graph has no more dependencies than the pool has room for"},
    AxisRemark{"spin_limit_us",
               [](const Case& c) { return never_fills<kWindow>(c) && never_fills<kHeap>(c) && never_fills<kDependencies>(c); },
               "no orchestrator ever waits for room"},
    AxisRemark{"gang", [](const Case& c) { return !c.graph.has_wide_tasks(); }, "no task has several blocks"},
    AxisRemark{"gang", [](const Case& c) { return c.between(&Design::gang, Gang::kTogether, Gang::kPartsApart) && has_no_mix_tasks(c); },
               "no task is for the cores of a cluster"},
    AxisRemark{"fallback",
               [](const Case& c) {
                 return !first_beyond_workers(c.graph, c.machine, c.design) &&
                        worker_cores(c.design, c.machine) == worker_cores(c.without, c.machine);
               },
               "workers can take every task"},
    AxisRemark{"output_flush", flushes_at_once, "waiting takes no time on this machine"},
    AxisRemark{
        "termination",
        [](const Case& c) { return has_one_dispatcher(c) && c.between(&Design::termination, Termination::kCounter, Termination::kVote); },
        "the only dispatcher has nobody to vote with"},
};

/// `design` with one axis as in `base`.
Design without(const AxisField& field, const Design& design, const Design& base) {
  Design before = design;
  if (field.is_word()) {
    field.set_word(before, field.word(base));
  } else {
    before.*field.number = base.*field.number;
  }
  return before;
}

}  // namespace

std::vector<std::string> axis_remarks(const TaskGraph& graph, const Machine& machine, const Design& design, const Design& base) {
  std::vector<std::string> remarks;
  for (const AxisField& field : axis_fields()) {
    if (field.text(design) == field.text(base) || field.own_policy(design) != nullptr) continue;
    const Design before = without(field, design, base);
    const auto found = std::ranges::find_if(kAxisRemarks, [&](const AxisRemark& remark) {
      return remark.axis == field.name && remark.holds({graph, machine, design, before});
    });
    if (found == kAxisRemarks.end()) continue;
    remarks.push_back(std::string(field.name) + " " + field.quoted(design) + " changes nothing " + std::string(found->where) + ": " +
                      std::string(found->why));
  }
  return remarks;
}

}  // namespace tasktwin
