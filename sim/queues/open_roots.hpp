#pragma once

#include <algorithm>
#include <vector>

#include "sim/queues/count_down.hpp"
#include "sim/queues/event_semaphore.hpp"

namespace tasktwin::sim {

/// The tasks that wait for nothing, ascending, and for events that count nothing: those are at zero from the beginning. `passed(event)` is
/// called for each event that is.
std::vector<TaskId> open_roots(const TaskGraph& graph, EventSemaphores& semaphores, auto passed) {
  std::vector<TaskId> roots;
  std::vector<TaskId> events;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (semaphores.open(task_id(i))) (graph[task_id(i)].operation == Operation::kEvent ? events : roots).push_back(task_id(i));
  }
  for (const TaskId event : events) {
    passed(event);
    for (const TaskId successor : graph.successors(event)) {
      count_down(
          graph, successor, [&](TaskId one) { return semaphores.signal(one); },
          [&](TaskId one) {
            if (graph[one].operation != Operation::kEvent) return roots.push_back(one);
            passed(one);
          });
    }
  }
  std::ranges::sort(roots);
  return roots;
}

inline std::vector<TaskId> open_roots(const TaskGraph& graph, EventSemaphores& semaphores) {
  return open_roots(graph, semaphores, [](TaskId) {});
}

}  // namespace tasktwin::sim
