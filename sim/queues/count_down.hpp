#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin::sim {

/// Counts `task` down, and after each event (Operation::kEvent) that comes to zero its successors in turn, depth first, however many
/// events follow each other. `is_last(task)` decrements a counter and says whether it is at zero; at_zero(task) is called for each that is.
/// After events of which passes(event) is not true no further ones are counted down.
void count_down(const TaskGraph& graph, TaskId task, auto is_last, auto at_zero, auto passes) {
  std::vector<std::pair<TaskId, std::size_t>> events;  // with how many of their successors are counted down
  const auto count = [&](TaskId one) {
    if (!is_last(one)) return;
    at_zero(one);
    if (graph[one].operation == Operation::kEvent && passes(one)) events.emplace_back(one, 0);
  };
  count(task);
  while (!events.empty()) {
    auto& [event, counted] = events.back();
    if (counted == graph.out_degree(event))
      events.pop_back();
    else
      count(graph.successors(event)[static_cast<std::ptrdiff_t>(counted++)]);
  }
}

/// After all of them.
void count_down(const TaskGraph& graph, TaskId task, auto is_last, auto at_zero) {
  count_down(graph, task, is_last, at_zero, [](TaskId) { return true; });
}

}  // namespace tasktwin::sim
