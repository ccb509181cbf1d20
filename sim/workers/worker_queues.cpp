#include "sim/workers/worker_queues.hpp"

#include <algorithm>
#include <ranges>

#include "models/runtimes/runtimes.hpp"
#include "sim/queues/frozen_order.hpp"

namespace tasktwin::sim {

namespace {

/// Frozen lists, and queues that are not shards, are each worker's own.
std::size_t home_count(const Design& design, std::size_t workers) {
  if (design.ready_queue != ReadyQueue::kSharded) return workers;
  return rules::home_count(design.ready_queue, static_cast<std::uint32_t>(design.shards), static_cast<std::uint32_t>(workers));
}

}  // namespace

WorkerQueues::WorkerQueues(const WiringInputs& inputs)
    : graph_(inputs.graph),
      workers_(inputs.cores),
      homes_(workers_, home_count(inputs.design, workers_.size())),
      newest_first_(inputs.lists.empty() && inputs.design.order == TaskOrder::kLifo),
      queues_(graph_, order_of(inputs), inputs.lists.empty() ? inputs.design.order : TaskOrder::kPriority, workers_, inputs.durations,
              homes_.count() + (lists_some(inputs.design) ? 1 : 0), &inputs.calendar) {
  if (queues_.shards() > homes_.count()) shared_ = static_cast<std::uint32_t>(homes_.count());
  for (const CoreType type : workers_) types_ |= bit_of(type);
  for (std::size_t type = 0; type < kCoreTypeCount; ++type) {
    if (!has(CoreType(type))) continue;
    lengths_[type] = Zeroed<std::size_t>(homes_.count());
    at_[type] = Zeroed<std::uint32_t>(homes_.count());
  }
  if (inputs.lists.empty()) return;
  seats_ = task_seats(graph_, inputs.design);
  frozen_.assign(graph_.size(), kNoCore);
  for (std::size_t worker = 0; worker < inputs.lists.size(); ++worker) {
    for (const TaskId task : inputs.lists[worker]) frozen_[index(task)] = core_id(worker);
  }
}

WorkerQueues::Place WorkerQueues::place(TaskId task, CoreId by) {
  if (!seats_.empty() && seats_[index(task)] == TaskSeat::kList) {
    const CoreId worker = frozen_[index(task)];
    return {static_cast<std::uint32_t>(index(worker)), workers_[index(worker)]};
  }
  const CoreType type = queues_.choose_type(task);
  return {shared_ && is_claimed(task) ? *shared_ : static_cast<std::uint32_t>(homes_.place(by, type)), type};
}

void WorkerQueues::push(Place place, TaskId task) {
  const int blocks = graph_.traits(task).blocks;
  for (int block = 0; block < blocks; ++block) queues_.push(place.queue, task, place.type);
  changed(place, blocks);
}

void WorkerQueues::restore(Place place, std::span<const TaskId> tasks) {
  const auto push = [&](TaskId task) { queues_.push(place.queue, task, place.type); };
  if (newest_first_) {
    std::ranges::for_each(std::views::reverse(tasks), push);
  } else {
    std::ranges::for_each(tasks, push);
  }
  changed(place, static_cast<int>(tasks.size()));
}

TaskId WorkerQueues::pop(Place place) {
  changed(place, -1);
  return queues_.pop(place.queue, place.type);
}

TaskId WorkerQueues::pop_last(Place place) {
  changed(place, -1);
  return queues_.pop_last(place.queue, place.type);
}

void WorkerQueues::changed(Place place, int by) {
  if (shared_ == place.queue) return;
  const auto type = static_cast<std::size_t>(place.type);
  std::size_t& length = lengths_[type][place.queue];
  std::vector<std::uint32_t>& filled = filled_[type];
  const bool was_filled = length > 0;
  length += static_cast<std::size_t>(by);
  in_homes_[type] += static_cast<std::size_t>(by);
  if (!was_filled && length > 0) {
    at_[type][place.queue] = static_cast<std::uint32_t>(filled.size());
    filled.push_back(place.queue);
  } else if (was_filled && length == 0) {
    const std::uint32_t last = filled.back();
    filled[at_[type][place.queue]] = last;
    at_[type][last] = at_[type][place.queue];
    filled.pop_back();
  }
}

}  // namespace tasktwin::sim
