#pragma once

#include "models/policies/list_scheduling.hpp"
#include "models/policies/policies.hpp"

namespace tasktwin {

// Orders of ready tasks.
std::unique_ptr<TaskOrderPolicy> make_fifo(const PolicyInputs& inputs);                   ///< in order of becoming ready
std::unique_ptr<TaskOrderPolicy> make_lifo(const PolicyInputs& inputs);                   ///< the last to become ready first
std::unique_ptr<TaskOrderPolicy> make_random_order(const PolicyInputs& inputs);           ///< by a hash of seed and task
std::unique_ptr<TaskOrderPolicy> make_critical_path_order(const PolicyInputs& inputs);    ///< highest bottom level first
std::unique_ptr<TaskOrderPolicy> make_longest_first(const PolicyInputs& inputs);          ///< longest expected duration first
std::unique_ptr<TaskOrderPolicy> make_shortest_first(const PolicyInputs& inputs);         ///< shortest expected duration first
std::unique_ptr<TaskOrderPolicy> make_most_successors_first(const PolicyInputs& inputs);  ///< most direct successors first
std::unique_ptr<TaskOrderPolicy> make_priority_order(const PolicyInputs& inputs);         ///< highest Task::priority first

// Which core a ready task goes to.
std::unique_ptr<CorePolicy> make_any_idle(const TaskGraph& graph, std::span<const PastRun> so_far);  ///< the first candidate
std::unique_ptr<CorePolicy> make_least_loaded(const TaskGraph& graph,
                                              std::span<const PastRun> so_far);  ///< least expected load; ties: lowest core
/// The candidate that ran the predecessors with the most input bytes together; where edges have no bytes, the one that ran
/// the predecessor that ended last. The first candidate if none ran any predecessor, and on ties.
std::unique_ptr<CorePolicy> make_locality(const TaskGraph& graph, std::span<const PastRun> so_far);

// Victims of thieves.
// The orders are those of models/rules/victim.hpp.
std::unique_ptr<VictimPolicy> make_ordered_victim(Victim victim, std::uint64_t seed);  ///< random, next, nearest
std::unique_ptr<VictimPolicy> make_most_loaded_victim(Victim victim, std::uint64_t seed);

// Placements made before the run.

/// Of the tasks that the same workers can run, in topological order, the i-th goes to the i-th of those workers, modulo their
/// number. O(tasks · workers).
FrozenSchedule round_robin(const StaticInputs& inputs);

/// Every task on the core that it had in inputs.replayed, each core's tasks in the order in which they started there; those
/// that started together in topological order. Throws InputError if there is no timeline, if it is of another number of tasks
/// or lacks one, if a core is not among the workers or cannot run its task, or if a task started before a predecessor of it.
/// O(edges + tasks · log tasks).
FrozenSchedule replay(const StaticInputs& inputs);

/// Heterogeneous Earliest Finish Time (Topcuoglu, Hariri, Wu: "Performance-effective and low-complexity task scheduling
/// for heterogeneous computing", IEEE TPDS 13(3), 2002), with the paper's insertion policy: tasks by decreasing upward rank,
/// each where it finishes first. Equal ranks in topological order, equal finish times on the lowest worker.
/// O(edges + tasks · workers), times the gaps looked at.
StaticSchedule heft(const StaticInputs& inputs);

/// Critical Path on a Processor (Topcuoglu, Hariri, Wu 2002, the same paper as HEFT): of the ready tasks always the one with
/// the highest upward plus downward rank; those of one critical path all go to the worker on which they cost least together,
/// the others where they finish first, with insertion. The critical path is walked from the first entry task of highest
/// priority, to the first successor of highest priority each time. Where no worker can run the whole of it (core types), its
/// worker is one that can run most of its tasks, and the rest of them go like the others.
/// O(edges + tasks · (workers + log tasks)), times the gaps looked at.
StaticSchedule cpop(const StaticInputs& inputs);

/// By task · workers + worker: the shortest way from a task's end to the end of the graph, over its costliest successor, if
/// the task runs on that worker, every later task on its best one, and no task waits for a worker. Also for workers that
/// cannot run the task itself.
std::vector<std::int64_t> optimistic_costs(const StaticInputs& inputs);

/// optimistic_costs averaged over the workers that can run the task, by TaskId.
std::vector<double> optimistic_ranks(const StaticInputs& inputs, const std::vector<std::int64_t>& costs);

/// Predict Earliest Finish Time (Arabnejad, Barbosa: "List scheduling algorithm for heterogeneous systems by an optimistic
/// cost table", IEEE TPDS 25(3), 2014): of the ready tasks always the one with the highest optimistic rank, to the worker on
/// which its earliest finish (with insertion) plus its optimistic cost is least; ties go to the first in topological order and to
/// the lowest worker. O((edges + tasks) · workers) time, times the gaps looked at; 8 · tasks · workers bytes.
StaticSchedule peft(const StaticInputs& inputs);

/// The adjusted median cost of each task, by TaskId: the median over all workers, the lower of the middle two, where a worker
/// that cannot run the task counts as the dearest of those that can.
std::vector<std::int64_t> median_costs(const StaticInputs& inputs);

/// The costliest way from each task to the end at `costs`, its own included and communication left out.
std::vector<std::int64_t> static_levels(const TaskGraph& graph, const std::vector<std::int64_t>& costs);

/// Dynamic Level Scheduling (Sih, Lee: "A compile-time scheduling heuristic for interconnection-constrained heterogeneous
/// processor architectures", IEEE TPDS 4(2), 1993): always the ready task and worker with the highest dynamic level
///     static level − max(inputs arrived at the worker, worker free) + (median cost − cost on the worker).
/// Messages do not contend. Ties, and what it costs: pair_selection.hpp.
StaticSchedule dls(const StaticInputs& inputs);

/// Lookahead (Bittencourt, Sakellariou, Madeira: "DAG scheduling using a lookahead variant of the heterogeneous earliest
/// finish time algorithm", PDP 2010), the variant that keeps HEFT's order of tasks: each goes to the worker from which its
/// successors, placed one after the other in that order where each finishes first, are all finished first; of their predecessors
/// only those already placed count. Ties go to the worker on which the task itself finishes first, then to the lowest; so does
/// a task without successors.
/// O((tasks + edges) · workers²) where no gap is free at once: about a minute for 65 000 tasks on 132 workers.
StaticSchedule lookahead(const StaticInputs& inputs);

/// Min-min (Ibarra, Kim: "Heuristic algorithms for scheduling independent tasks on nonidentical processors", J. ACM 24(2), 1977,
/// there Algorithm D; the name from Maheswaran et al., HCW 1999) on the ready tasks of a graph: always the task and worker that
/// finish first. Ties, and what it costs: pair_selection.hpp.
StaticSchedule min_min(const StaticInputs& inputs);

}  // namespace tasktwin
