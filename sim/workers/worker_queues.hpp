#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/base/zeroed.hpp"
#include "models/design/design_parts.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/queues/work_queue.hpp"
#include "sim/workers/homes.hpp"

namespace tasktwin::sim {

/// The ready queues of workers that have homes:
///   per_worker             one a worker; a task goes to the pusher's own, or to the worker whose frozen list it is in
///   sharded                worker w's home is shard w modulo their number; a task goes to the pusher's home
///   per_worker_and_shared  one a worker for the tasks of its frozen list, and one for all others, but for those that a part of the design
///                          leaves with the worker that released them (TaskSeat)
/// A task that no worker of its home can run goes to the next home with one that can. Roots are dealt out in turn.
class WorkerQueues {
 public:
  explicit WorkerQueues(const WiringInputs& inputs);

  struct Place {
    std::uint32_t queue = 0;
    CoreType type{};
  };
  /// Where a task goes that `by` has released (kNoCore: no core).
  Place place(TaskId task, CoreId by);
  /// All blocks of `task`.
  void push(Place place, TaskId task);
  /// Puts back what was taken: `tasks` in the order of the queue, before and after each other as they were.
  void restore(Place place, std::span<const TaskId> tasks);
  /// The first, or the last, by the task order. Contract: the queue is not empty.
  TaskId pop(Place place);
  TaskId pop_last(Place place);

  /// Whether some worker is of `type`.
  bool has(CoreType type) const { return (types_ & bit_of(type)) != 0; }
  std::size_t home(CoreId worker) const { return homes_.of(worker); }
  /// The queue for tasks that are in no frozen list.
  std::optional<std::uint32_t> shared() const { return shared_; }
  /// Whether it is claimed from a queue of several.
  bool is_claimed(TaskId task) const { return seats_.empty() || seats_[index(task)] == TaskSeat::kShared; }
  std::size_t size(Place place) const { return queues_.size(place.queue, place.type); }
  std::size_t queues() const { return queues_.shards(); }
  std::size_t homes() const { return homes_.count(); }
  /// By home: how many tasks for `type` wait there, empty where no worker is of it; and in all homes.
  std::span<const std::size_t> lengths(CoreType type) const {
    const Zeroed<std::size_t>& lengths = lengths_[static_cast<std::size_t>(type)];
    return {lengths.data(), lengths.size()};
  }
  std::size_t in_homes(CoreType type) const { return in_homes_[static_cast<std::size_t>(type)]; }
  /// Whether no task waits anywhere.
  bool all_empty() const {
    for (std::size_t type = 0; type < kCoreTypeCount; ++type) {
      if (in_homes_[type] > 0 || (shared_ && queues_.size(*shared_, CoreType(type)) > 0)) return false;
    }
    return true;
  }
  /// Homes where tasks for `type` wait, in no order.
  std::span<const std::uint32_t> filled(CoreType type) const { return filled_[static_cast<std::size_t>(type)]; }

 private:
  void changed(Place place, int by);

  const TaskGraph& graph_;
  std::span<const CoreType> workers_;
  std::uint32_t types_ = 0;  ///< of workers, as bits
  Homes homes_;
  std::optional<std::uint32_t> shared_;
  std::vector<TaskSeat> seats_;  ///< by TaskId; empty where nothing is frozen
  std::vector<CoreId> frozen_;   ///< by TaskId: whose list it is in; likewise
  bool newest_first_;            ///< a queue is a stack
  WorkQueues queues_;
  std::array<Zeroed<std::size_t>, kCoreTypeCount> lengths_;
  std::array<std::size_t, kCoreTypeCount> in_homes_{};
  std::array<std::vector<std::uint32_t>, kCoreTypeCount> filled_;
  std::array<Zeroed<std::uint32_t>, kCoreTypeCount> at_;  ///< by home: its place there
};

}  // namespace tasktwin::sim
