#include "sim/work_queue.hpp"

#include <algorithm>

namespace tasktwin::sim {

WorkQueues::WorkQueues(std::unique_ptr<TaskOrderPolicy> order, TaskOrder kind)
    : order_(std::move(order)), fifo_(kind == TaskOrder::kFifo) {}

void WorkQueues::push(CoreType type, TaskId task) {
  Queue& queue = queues_[static_cast<std::size_t>(type)];
  const std::uint64_t arrival = arrivals_++;
  if (fifo_) {
    queue.line.push_back(task);
    return;
  }
  queue.heap.push_back({order_->key(task, arrival), arrival, task});
  std::ranges::push_heap(queue.heap, Later{});
}

TaskId WorkQueues::pop(CoreType type) {
  Queue& queue = queues_[static_cast<std::size_t>(type)];
  if (fifo_) {
    const TaskId task = queue.line[queue.head++];
    if (queue.head == queue.line.size()) {
      queue.line.clear();
      queue.head = 0;
    }
    return task;
  }
  const TaskId task = queue.heap.front().task;
  std::ranges::pop_heap(queue.heap, Later{});
  queue.heap.pop_back();
  return task;
}

}  // namespace tasktwin::sim
