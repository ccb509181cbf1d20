#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin {

/// What a policy may look at when it is built.
struct PolicyInputs {
  const TaskGraph& graph;
  std::span<const Duration> durations;  ///< expected, by TaskId
  std::uint64_t seed = 0;
};

/// When an order is asked for the place of a ready task.
struct OrderMoment {
  TimePoint now{};            ///< of the run
  TimePoint ready{};          ///< when the task became ready: before `now` where the order is asked again
  std::uint64_t arrival = 0;  ///< how many became ready before it
  std::size_t waiting = 0;    ///< ready tasks that wait for a core, itself left out
};

/// Which ready task goes first: the lowest key; equal keys in order of arrival. `arrival` counts tasks as they become ready.
class TaskOrderPolicy {
 public:
  virtual ~TaskOrderPolicy() = default;
  virtual std::int64_t key(TaskId task, std::uint64_t arrival) const = 0;
  virtual std::int64_t key_at(TaskId task, const OrderMoment& moment) const { return key(task, moment.arrival); }
  /// Whether keys change while tasks wait; then all that wait in a queue are asked again whenever one is looked for.
  virtual bool changes() const { return false; }
};

std::unique_ptr<TaskOrderPolicy> make_task_order(TaskOrder order, const PolicyInputs& inputs);
/// The design's: its own, if it has one.
std::unique_ptr<TaskOrderPolicy> make_task_order(const Design& design, const PolicyInputs& inputs);

/// A core that could be given the task at hand.
struct Candidate {
  CoreId core{};
  int held = 0;              ///< tasks it holds, the running one included
  Duration expected_load{};  ///< expected durations of those, together
};

/// Which core a task that is handed over goes to: a position in `candidates`, or nothing where there is none.
class CorePolicy {
 public:
  virtual ~CorePolicy() = default;
  virtual std::optional<std::size_t> choose(TaskId task, std::span<const Candidate> candidates) const = 0;
};

/// Where a task ran, and when it ended; neither before.
struct PastRun {
  CoreId core = kNoCore;
  TimePoint ended = kAbsent;
};

/// `so_far` is the run up to now, by TaskId. Contract: !is_static(placement); `graph` and `so_far` outlive the policy.
std::unique_ptr<CorePolicy> make_core_policy(Placement placement, const TaskGraph& graph, std::span<const PastRun> so_far);
std::unique_ptr<CorePolicy> make_core_policy(const Design& design, const TaskGraph& graph, std::span<const PastRun> so_far);

/// Whose queue a thief tries at the `attempt`-th attempt (from 0) of its `round`-th round (from 0), or nothing when the round
/// is over: after an attempt on each of the others, or, under most_loaded, on each that has tasks. `lengths` are the queues'
/// lengths, the thief's own among them; while they stay, no victim comes twice in a round.
class VictimPolicy {
 public:
  virtual ~VictimPolicy() = default;
  virtual std::optional<std::size_t> next_victim(std::size_t thief, std::uint64_t round, std::size_t attempt,
                                                 std::span<const std::size_t> lengths) const = 0;

  struct Attempt {
    std::size_t attempt = 0;
    std::size_t queue = 0;
  };
  /// The first attempt of the round that is on a queue with tasks; nothing where there is none. `filled`: those with tasks, in any order.
  /// tasktwin's own take as long as there are such queues, however many others there are; by default it makes the round's attempts.
  virtual std::optional<Attempt> first_filled(std::size_t thief, std::uint64_t round, std::span<const std::uint32_t> /*filled*/,
                                              std::span<const std::size_t> lengths) const {
    for (std::size_t attempt = 0;; ++attempt) {
      const std::optional<std::size_t> victim = next_victim(thief, round, attempt, lengths);
      if (!victim) return std::nullopt;
      if (lengths[*victim] > 0) return Attempt{attempt, *victim};
    }
  }
};

std::unique_ptr<VictimPolicy> make_victim_policy(Victim victim, std::uint64_t seed);
std::unique_ptr<VictimPolicy> make_victim_policy(const Design& design, std::uint64_t seed);

/// How many tasks a thief takes of a queue of that length, at least one. Contract: the design steals; there are some.
std::function<std::uint32_t(std::uint32_t there)> make_steal_size(const Design& design);

/// Where a frozen placement puts every task: for each worker its tasks in the order in which it runs them.
/// Contract: the orders together never deadlock: there is one topological order that all of them follow.
using FrozenSchedule = std::vector<std::vector<TaskId>>;

/// What a static scheduler knows, in nanoseconds. Contract: no communication is negative, and none is dearer on the same worker
/// than on another.
struct StaticInputs {
  const TaskGraph& graph;
  std::size_t workers = 0;
  /// Time for which a task occupies a worker; negative where that worker cannot run it.
  std::function<std::int64_t(TaskId, std::size_t worker)> cost;
  /// Time from a task's end to its successor's earliest start on the same worker, or on another.
  std::function<std::int64_t(TaskId from, TaskId to, bool same_worker)> communication;
  const Timeline* replayed = nullptr;  ///< what placement `replay` follows
  std::vector<int> kinds = {};         ///< of workers: those of one kind have the same costs. Empty where that is not known
};

/// Throws InputError if no worker can run a task, or if placement `replay` has no timeline or one that does not fit.
/// Contract: is_static(placement).
FrozenSchedule make_frozen_schedule(Placement placement, const StaticInputs& inputs);

/// Throws InputError for the first task that names workers (TaskTraits::workers) beyond those of a device, names none that it can run on,
/// or names any where not all tasks are in lists. `workers` are a device's (design.hpp: worker_cores). Contract: has_lists(design).
void check_worker_ranges(const TaskGraph& graph, const Design& design, std::span<const CoreType> workers);

/// The frozen schedule of `design`, the same for the simulator and for every executor: of the first static_percent of the
/// tasks, in topological order. `replayed` is the timeline that placement `replay` needs. Throws InputError as
/// make_frozen_schedule does, and for a task that needs several cores or is spawned; under ready_queue per_worker_and_shared
/// spawned tasks are in no list. On several devices lists are of one device's workers after the other's; each task of `graph` has its
/// device.
FrozenSchedule frozen_schedule(const TaskGraph& graph, const Machine& machine, const Design& design, const Timeline* replayed = nullptr);

}  // namespace tasktwin
