#include "sim/work_queue.hpp"

#include <algorithm>

namespace tasktwin::sim {

WorkQueues::WorkQueues(const TaskGraph& graph, std::unique_ptr<TaskOrderPolicy> order, TaskOrder kind, std::span<const CoreType> cores,
                       std::span<const Duration> durations, std::size_t shards)
    : graph_(graph), order_(std::move(order)), kind_(kind), shards_(shards) {
  for (const CoreType type : cores) ++cores_[static_cast<std::size_t>(type)];
  for (std::size_t i = 0; i < graph.size() && !choices_; ++i) choices_ = graph.traits(task_id(i)).other_type.has_value();
  if (choices_) durations_.assign(durations.begin(), durations.end());
}

CoreType WorkQueues::push(std::size_t shard, TaskId task) {
  const CoreType type = choose_type(task);
  push(shard, task, type);
  return type;
}

void WorkQueues::push(std::size_t shard, TaskId task, CoreType type) {
  Queue& to = queue(shard, type);
  const std::uint64_t arrival = arrivals_++;
  if (kind_ == TaskOrder::kFifo) {
    to.line.push_back(task);
  } else if (kind_ == TaskOrder::kLifo) {
    to.line.push_front(task);
  } else {
    to.sorted.insert({order_->key(task, arrival), arrival, task});
  }
  if (choices_)
    queued_[static_cast<std::size_t>(type)] += type == graph_[task].core_type ? durations_[index(task)] : graph_.traits(task).other_time;
}

TaskId WorkQueues::pop(std::size_t shard, CoreType type) {
  Queue& from = queue(shard, type);
  if (from.line.empty()) return taken(from.sorted.extract(from.sorted.begin()).value().task, type);
  const TaskId task = from.line.front();
  from.line.pop_front();
  return taken(task, type);
}

TaskId WorkQueues::pop_last(std::size_t shard, CoreType type) {
  Queue& from = queue(shard, type);
  if (from.line.empty()) return taken(from.sorted.extract(std::prev(from.sorted.end())).value().task, type);
  const TaskId task = from.line.back();
  from.line.pop_back();
  return taken(task, type);
}

TaskId WorkQueues::front(std::size_t shard, CoreType type) const {
  const Queue& of = queue(shard, type);
  return of.line.empty() ? of.sorted.begin()->task : of.line.front();
}

TaskId WorkQueues::back(std::size_t shard, CoreType type) const {
  const Queue& of = queue(shard, type);
  return of.line.empty() ? of.sorted.rbegin()->task : of.line.back();
}

CoreType WorkQueues::choose_type(TaskId task) const {
  const CoreType own = graph_[task].core_type;
  if (!choices_) return own;
  const TaskTraits& traits = graph_.traits(task);
  if (!traits.other_type) return own;
  const auto ends = [this](CoreType type, Duration time) {
    const std::int64_t cores = cores_[static_cast<std::size_t>(type)];
    return cores == 0 ? Duration::max() : queued_[static_cast<std::size_t>(type)] / cores + time;
  };
  return ends(*traits.other_type, traits.other_time) < ends(own, durations_[index(task)]) ? *traits.other_type : own;
}

TaskId WorkQueues::taken(TaskId task, CoreType type) {
  if (choices_)
    queued_[static_cast<std::size_t>(type)] -= type == graph_[task].core_type ? durations_[index(task)] : graph_.traits(task).other_time;
  return task;
}

}  // namespace tasktwin::sim
