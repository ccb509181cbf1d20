#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/policies.hpp"

namespace tasktwin::sim {

/// The ready tasks that wait for a core, one queue a core type, the lowest key of the design's task order first.
class WorkQueues {
 public:
  WorkQueues(std::unique_ptr<TaskOrderPolicy> order, TaskOrder kind);

  void push(CoreType type, TaskId task);
  /// Contract: !empty(type).
  TaskId pop(CoreType type);
  bool empty(CoreType type) const {
    const Queue& queue = queues_[static_cast<std::size_t>(type)];
    return queue.head == queue.line.size() && queue.heap.empty();
  }

 private:
  struct Entry {
    std::int64_t key;
    std::uint64_t arrival;
    TaskId task;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const { return a.key != b.key ? a.key > b.key : a.arrival > b.arrival; }
  };
  struct Queue {
    std::vector<TaskId> line;  ///< first in, first out, from `head` on
    std::size_t head = 0;
    std::vector<Entry> heap;  ///< any other order
  };

  std::unique_ptr<TaskOrderPolicy> order_;
  bool fifo_;
  std::uint64_t arrivals_ = 0;
  std::array<Queue, kCoreTypeCount> queues_;
};

}  // namespace tasktwin::sim
