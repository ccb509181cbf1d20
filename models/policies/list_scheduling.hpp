#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "models/base/sparse.hpp"
#include "models/policies/policies.hpp"
#include "models/policies/worker_gaps.hpp"

namespace tasktwin {

// What the static schedulers share. Contract of them all: every task has a worker that can run it (make_frozen_schedule sees
// to that), no communication is negative, and none is dearer on the same worker than on another.

/// Where and when a static scheduler has put a task, in nanoseconds from the start of its schedule.
struct Slot {
  std::size_t worker = 0;
  std::int64_t start = 0;
  std::int64_t finish = 0;
  friend bool operator==(const Slot&, const Slot&) = default;
};

struct StaticSchedule {
  std::vector<Slot> slots;  ///< by TaskId
  FrozenSchedule lists;
  std::int64_t makespan() const;
};

/// Each task's cost averaged over the workers that can run it.
std::vector<double> mean_costs(const StaticInputs& inputs);

/// The costliest way from each task to the end: its mean cost and that of what follows, communication between workers included.
std::vector<double> upward_ranks(const StaticInputs& inputs, const std::vector<double>& costs);

/// The costliest way from the start to each task, its own cost left out.
std::vector<double> downward_ranks(const StaticInputs& inputs, const std::vector<double>& costs);

/// When a worker is taken, ascending; touching intervals are merged.
class BusyIntervals {
 public:
  /// Earliest start at or after `ready` of a gap that holds `length`.
  std::int64_t earliest_start(std::int64_t ready, std::int64_t length) const;

  struct Interval {
    std::int64_t begin;
    std::int64_t end;
  };
  /// Returns the gap in which that lay, to WorkerGaps::kForever where it is the last one.
  Interval take(std::int64_t begin, std::int64_t end);

 private:
  std::vector<Interval> intervals_;
};

/// When the inputs of a task have arrived, by worker. One worker alone can have them earlier than the others: the one that
/// runs the predecessor whose message arrives last elsewhere.
struct Arrival {
  std::int64_t elsewhere = 0;
  std::size_t near = 0;
  std::int64_t there = 0;  ///< at `near`; never later than elsewhere
  std::int64_t at(std::size_t worker) const { return worker == near ? there : elsewhere; }
};

/// Workers that have the same cost for every task.
struct WorkerClasses {
  std::size_t of(std::size_t worker) const { return of_worker.empty() ? 0 : of_worker[worker]; }

  std::vector<std::size_t> of_worker;     ///< empty where all are of one
  std::vector<std::size_t> first_worker;  ///< by class
};
WorkerClasses worker_classes(const StaticInputs& inputs);

/// A schedule as it grows, task by task, each after its predecessors.
class PartialSchedule {
 public:
  explicit PartialSchedule(const StaticInputs& inputs);

  /// Of those predecessors that are placed.
  Arrival arrival(TaskId task) const;

  /// The slot on `worker` that finishes first, in a gap if one is long enough (the insertion policy of Topcuoglu, Hariri, Wu
  /// 2002). Contract: cost >= 0.
  Slot earliest(const Arrival& arrival, std::size_t worker, std::int64_t cost) const {
    const std::int64_t start = busy_[worker].earliest_start(arrival.at(worker), cost);
    return {worker, start, start + cost};
  }

  /// Calls visit(slot) with the earliest slot on each worker that can run the task, ascending.
  template <class Visit>
  void for_each_slot(TaskId task, Visit visit) const {
    const Arrival inputs_there = arrival(task);
    for (std::size_t worker = 0; worker < inputs_.workers; ++worker) {
      const std::int64_t cost = inputs_.cost(task, worker);
      if (cost >= 0) visit(earliest(inputs_there, worker, cost));
    }
  }

  /// The slot that finishes first; equal ones on the lowest worker.
  Slot earliest_finish(TaskId task) const;

  void place(TaskId task, const Slot& slot);
  bool is_placed(TaskId task) const { return slots_[index(task)].finish >= 0; }
  const Slot& slot(TaskId task) const { return slots_[index(task)]; }

  /// Takes the task out again; `busy` is what busy(its worker) was before it was placed.
  void unplace(TaskId task, BusyIntervals busy);
  const BusyIntervals& busy(std::size_t worker) const { return busy_[worker]; }

  /// Contract: all tasks are placed, in the order of `placed`.
  StaticSchedule finish(const std::vector<TaskId>& placed) &&;

 private:
  static constexpr std::int64_t kUnplaced = -1;

  const StaticInputs& inputs_;
  std::vector<Slot> slots_;
  Sparse<BusyIntervals> busy_;
  WorkerClasses classes_;
  std::vector<WorkerGaps> gaps_;  ///< by class; empty once a task was taken out again
};

/// The tasks whose predecessors have been taken: highest priority first, equal ones in topological order.
class ReadyTasks {
 public:
  ReadyTasks(const TaskGraph& graph, const std::vector<double>& priorities);
  bool empty() const { return ready_.empty(); }
  /// Its successors may become ready.
  TaskId take();

 private:
  struct Entry {
    double priority;
    std::size_t position;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.priority != b.priority ? a.priority < b.priority : a.position > b.position;
    }
  };

  const TaskGraph& graph_;
  const std::vector<double>& priorities_;
  std::vector<std::size_t> positions_;  ///< in topological order
  std::vector<std::size_t> waiting_;    ///< predecessors not taken
  std::priority_queue<Entry> ready_;
};

/// The position of every task in the topological order, by TaskId.
std::vector<std::size_t> topological_positions(const TaskGraph& graph);

}  // namespace tasktwin
