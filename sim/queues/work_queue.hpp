#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "models/base/sparse.hpp"
#include "models/policies/policies.hpp"
#include "sim/engine/calendar.hpp"

namespace tasktwin::sim {

/// The ready tasks that wait for a core: `shards` times a queue for each core type, the lowest key of the task order first.
/// A task that may run on two types waits for the one whose queued work, shared among its cores, ends first.
class WorkQueues {
 public:
  /// `durations` by TaskId, expected; `cores` the machine's; `calendar` tells orders the time. Contract: `graph`, `cores` and `calendar`
  /// outlive this.
  WorkQueues(const TaskGraph& graph, std::unique_ptr<TaskOrderPolicy> order, TaskOrder kind, std::span<const CoreType> cores,
             std::span<const Duration> durations, std::size_t shards = 1, const Calendar* calendar = nullptr);

  std::size_t shards() const { return shards_.size(); }

  /// Returns the type whose queue holds the task.
  CoreType push(std::size_t shard, TaskId task);
  CoreType push(TaskId task) { return push(0, task); }
  /// Which queue push(task) chooses.
  CoreType choose_type(TaskId task) const;
  /// For cores of `type`, whatever else it could run on: a task that is moved.
  void push(std::size_t shard, TaskId task, CoreType type);

  /// The first by the task order. Contract: !empty(shard, type).
  TaskId pop(std::size_t shard, CoreType type);
  TaskId pop(CoreType type) { return pop(0, type); }
  /// The last by the task order: what a thief takes. Contract: !empty(shard, type).
  TaskId pop_last(std::size_t shard, CoreType type);
  /// The last by the task order, left in place. Contract: !empty(shard, type).
  TaskId back(std::size_t shard, CoreType type) const;
  /// Whether the first of `type` is the first of all types; a queue that is asked this must be set up for it before the first push.
  bool is_head(std::size_t shard, CoreType type) const;
  void compare_types(std::size_t tasks) { arrived_.resize(tasks); }
  /// The first by the task order, left in place. Contract: !empty(shard, type).
  TaskId front(std::size_t shard, CoreType type) const;

  std::size_t size(std::size_t shard, CoreType type) const { return queue(shard, type).size(); }
  bool empty(std::size_t shard, CoreType type) const { return queue(shard, type).empty(); }
  bool empty(CoreType type) const { return empty(0, type); }

 private:
  struct Entry {
    std::int64_t key;
    std::uint64_t arrival;
    TaskId task;
    bool operator<(const Entry& other) const { return key != other.key ? key < other.key : arrival < other.arrival; }
  };
  struct Queue {
    std::vector<TaskId> line;  ///< first in, first out; last in, first out: in the order of arrival, from `head` on
    std::size_t head = 0;
    std::unique_ptr<std::set<Entry>> sorted = {};  ///< any other order; made when the first task comes
    bool empty() const { return head == line.size() && (!sorted || sorted->empty()); }
    std::size_t size() const { return line.size() - head + (sorted ? sorted->size() : 0); }
  };
  using Shard = std::array<Queue, kCoreTypeCount>;

  const Queue& queue(std::size_t shard, CoreType type) const { return shards_[shard][static_cast<std::size_t>(type)]; }
  Queue& queue(std::size_t shard, CoreType type) { return shards_[shard][static_cast<std::size_t>(type)]; }
  bool in_line() const { return kind_ == TaskOrder::kFifo || kind_ == TaskOrder::kLifo; }
  Entry first(const Queue& of) const;
  OrderMoment moment(TimePoint ready, std::uint64_t arrival, std::size_t waiting) const;
  void ask_again(const Queue& of) const;
  TaskId take_end(Queue& from, bool newest);
  TaskId taken(TaskId task, CoreType type);

  const TaskGraph& graph_;
  std::unique_ptr<TaskOrderPolicy> order_;
  TaskOrder kind_;
  const Calendar* calendar_;
  bool changes_;  ///< keys do while tasks wait
  std::uint64_t arrivals_ = 0;
  std::uint64_t taken_ = 0;
  std::vector<TimePoint> ready_;  ///< by TaskId, where keys change
  Sparse<Shard> shards_;
  std::vector<std::uint64_t> arrived_;  ///< by TaskId, where types are compared: when it was pushed
  std::optional<CoreType> only_type_;   ///< of all tasks, which need not be looked at then
  // Only where some task may run on two types:
  bool choices_ = false;
  std::vector<Duration> durations_;
  std::array<std::int64_t, kCoreTypeCount> cores_{};
  std::array<Duration, kCoreTypeCount> queued_{};  ///< expected work that waits, by type
};

}  // namespace tasktwin::sim
