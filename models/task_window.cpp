#include "models/task_window.hpp"

#include <algorithm>
#include <vector>

namespace tasktwin {

namespace {

/// By TaskId, a place in the topological order: the last of the tasks that must complete before it does, itself among them.
/// Follows edges and lists from tasks that wait for nothing on.
std::vector<int> last_awaited(const TaskGraph& graph, const FrozenSchedule& lists, const std::vector<int>& places) {
  std::vector<int> last = places;
  if (lists.empty()) return last;  // predecessors come before it
  std::vector<std::optional<TaskId>> next(graph.size());
  std::vector<std::size_t> waits(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) waits[i] = graph.in_degree(task_id(i));
  for (const auto& list : lists) {
    for (std::size_t i = 1; i < list.size(); ++i) {
      next[index(list[i - 1])] = list[i];
      ++waits[index(list[i])];
    }
  }
  std::vector<TaskId> free;
  for (const TaskId task : graph.topological_order()) {
    if (waits[index(task)] == 0) free.push_back(task);
  }
  while (!free.empty()) {
    const TaskId task = free.back();
    free.pop_back();
    const auto done = [&](TaskId waiting) {
      last[index(waiting)] = std::max(last[index(waiting)], last[index(task)]);
      if (--waits[index(waiting)] == 0) free.push_back(waiting);
    };
    for (const TaskId successor : graph.successors(task)) done(successor);
    if (next[index(task)]) done(*next[index(task)]);
  }
  return last;
}

}  // namespace

WindowNeed smallest_window(const TaskGraph& graph, const FrozenSchedule& lists) {
  const std::vector<TaskId>& order = graph.topological_order();
  std::vector<int> places(graph.size());
  int number = 0;
  for (const TaskId task : order) places[index(task)] = number++;
  const std::vector<int> last = last_awaited(graph, lists, places);
  WindowNeed need;
  for (const TaskId task : order) {
    int awaited = last[index(task)];
    for (const TaskId successor : graph.successors(task)) awaited = std::max(awaited, last[index(successor)]);
    const int span = awaited - places[index(task)] + 1;
    if (span > need.smallest) need = {span, task, order[static_cast<std::size_t>(awaited)]};
  }
  return need;
}

std::optional<std::string> window_deadlock(const TaskGraph& graph, const Design& design, const FrozenSchedule& lists) {
  if (design.graph_build != GraphBuild::kDevice || design.window == 0) return std::nullopt;
  const WindowNeed need = smallest_window(graph, lists);
  if (design.window >= need.smallest) return std::nullopt;
  const auto name = [&graph](TaskId task) { return "'" + std::string(graph.name(task)) + "'"; };
  const bool edge = std::ranges::count(graph.successors(need.from), need.to) > 0;
  return "a window of " + std::to_string(design.window) + " tasks is too small for the graph" +
         (lists.empty() ? "" : " and the workers' lists") + ": " + name(need.to) + " waits to be submitted until " + name(need.from) +
         " is retired, " + name(need.from) + " is not retired before " + (edge ? "its successor " : "") + name(need.to) + " has completed" +
         (edge ? "" : ", which a list has before it or before what it or a successor waits for") + ", and " + name(need.to) +
         " cannot complete before it is submitted; the smallest window that works is " + std::to_string(need.smallest);
}

}  // namespace tasktwin
