#include "verify/rerun/needed_iterations.hpp"

#include <utility>

#include "models/graph/graph_copy.hpp"
#include "verify/explain/needed_order.hpp"

namespace tasktwin::verify {

namespace {

bool launches_the_same(const TaskGraph& one, const TaskGraph& other) {
  if (one.size() != other.size()) return false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one.name(task_id(i)) != other.name(task_id(i)) || one[task_id(i)].operation != other[task_id(i)].operation) return false;
  }
  return true;
}

}  // namespace

NeededIterations needed_by_any(const scenarios::Scenario& iteration, std::span<const scenarios::Scenario> others, bool own_memory) {
  const auto needed = [own_memory](const scenarios::Scenario& scenario) {
    return with_needed_edges(scenario, {.unordered = !shows_all_order(*scenario.program), .reuse = !own_memory});
  };
  TaskGraphBuilder builder;
  copy_tasks(builder, iteration.graph);
  copy_edges(builder, needed(iteration));
  std::size_t iterations = 1;
  for (const scenarios::Scenario& other : others) {
    if (!other.needs || !launches_the_same(other.graph, iteration.graph)) continue;
    copy_edges(builder, needed(other));
    ++iterations;
  }
  return {std::move(builder).build(), iterations};
}

}  // namespace tasktwin::verify
