#include "sim/queues/work_queue.hpp"

#include <algorithm>

namespace tasktwin::sim {

WorkQueues::WorkQueues(const TaskGraph& graph, std::unique_ptr<TaskOrderPolicy> order, TaskOrder kind, std::span<const CoreType> cores,
                       std::span<const Duration> durations, std::size_t shards, const Calendar* calendar)
    : graph_(graph), order_(std::move(order)), kind_(kind), calendar_(calendar), changes_(order_->changes()), shards_(shards) {
  if (changes_) ready_.resize(graph.size(), kAbsent);
  for (const CoreType type : cores) ++cores_[static_cast<std::size_t>(type)];
  for (std::size_t i = 0; i < graph.size() && !choices_; ++i) choices_ = graph.traits(task_id(i)).other_type.has_value();
  if (graph.size() > 0 && graph.has_one_core_type()) only_type_ = graph[task_id(0)].core_type;
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
  if (!arrived_.empty()) arrived_[index(task)] = arrival;
  if (in_line()) {
    to.line.push_back(task);
  } else {
    if (!to.sorted) to.sorted = std::make_unique<std::set<Entry>>();
    const TimePoint now = calendar_ == nullptr ? TimePoint{} : calendar_->now();
    if (changes_ && !is_present(ready_[index(task)])) ready_[index(task)] = now;
    to.sorted->insert({order_->key_at(task, moment(now, arrival, arrival - taken_)), arrival, task});
  }
  if (choices_)
    queued_[static_cast<std::size_t>(type)] += type == graph_[task].core_type ? durations_[index(task)] : graph_.traits(task).other_time;
}

OrderMoment WorkQueues::moment(TimePoint ready, std::uint64_t arrival, std::size_t waiting) const {
  return {.now = calendar_ == nullptr ? TimePoint{} : calendar_->now(), .ready = ready, .arrival = arrival, .waiting = waiting};
}

/// Sorts what waits by what the keys are now.
void WorkQueues::ask_again(const Queue& of) const {
  if (!changes_ || !of.sorted || of.sorted->size() < 2) return;
  std::set<Entry> sorted;
  for (Entry entry : *of.sorted) {
    entry.key = order_->key_at(entry.task, moment(ready_[index(entry.task)], entry.arrival, arrivals_ - taken_ - 1));
    sorted.insert(entry);
  }
  *of.sorted = std::move(sorted);
}

TaskId WorkQueues::take_end(Queue& from, bool newest) {
  TaskId task;
  if (newest) {
    task = from.line.back();
    from.line.pop_back();
  } else {
    task = from.line[from.head++];
  }
  if (from.head == from.line.size()) {
    from.line.clear();
    from.head = 0;
  }
  return task;
}

TaskId WorkQueues::pop(std::size_t shard, CoreType type) {
  Queue& from = queue(shard, type);
  ask_again(from);
  ++taken_;
  if (in_line()) return taken(take_end(from, kind_ == TaskOrder::kLifo), type);
  return taken(from.sorted->extract(from.sorted->begin()).value().task, type);
}

TaskId WorkQueues::pop_last(std::size_t shard, CoreType type) {
  Queue& from = queue(shard, type);
  ask_again(from);
  ++taken_;
  if (in_line()) return taken(take_end(from, kind_ == TaskOrder::kFifo), type);
  return taken(from.sorted->extract(std::prev(from.sorted->end())).value().task, type);
}

TaskId WorkQueues::front(std::size_t shard, CoreType type) const {
  const Queue& of = queue(shard, type);
  ask_again(of);
  if (!in_line()) return of.sorted->begin()->task;
  return kind_ == TaskOrder::kLifo ? of.line.back() : of.line[of.head];
}

TaskId WorkQueues::back(std::size_t shard, CoreType type) const {
  const Queue& of = queue(shard, type);
  ask_again(of);
  if (!in_line()) return of.sorted->rbegin()->task;
  return kind_ == TaskOrder::kFifo ? of.line.back() : of.line[of.head];
}

/// With a key by which the entries of several types compare. Contract: not empty.
WorkQueues::Entry WorkQueues::first(const Queue& of) const {
  ask_again(of);
  if (!in_line()) return *of.sorted->begin();
  const TaskId task = kind_ == TaskOrder::kLifo ? of.line.back() : of.line[of.head];
  const std::uint64_t arrival = arrived_[index(task)];
  return {kind_ == TaskOrder::kLifo ? -static_cast<std::int64_t>(arrival) : 0, arrival, task};
}

bool WorkQueues::is_head(std::size_t shard, CoreType type) const {
  const Entry mine = first(queue(shard, type));
  return std::ranges::none_of(shards_[shard], [&](const Queue& other) { return !other.empty() && first(other) < mine; });
}

CoreType WorkQueues::choose_type(TaskId task) const {
  if (only_type_) return *only_type_;
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
