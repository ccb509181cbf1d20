#include "models/task_window.hpp"

#include <algorithm>
#include <vector>

namespace tasktwin {

namespace {

/// By TaskId: the last place in the order of submission of any task that must have run, or be submitted, before it has run.
std::vector<int> last_needed(const TaskGraph& graph, const std::vector<int>& place, const FrozenSchedule& lists) {
  std::vector<int> needed = place;
  if (lists.empty()) return needed;  // all predecessors are submitted before
  constexpr int kNone = -1;
  std::vector<int> next_in_list(graph.size(), kNone);
  std::vector<std::size_t> waits(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) waits[i] = graph.in_degree(task_id(i));
  for (const auto& list : lists) {
    for (std::size_t i = 1; i < list.size(); ++i) {
      next_in_list[index(list[i - 1])] = static_cast<int>(index(list[i]));
      ++waits[index(list[i])];
    }
  }
  std::vector<TaskId> open;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (waits[i] == 0) open.push_back(task_id(i));
  }
  while (!open.empty()) {
    const TaskId task = open.back();
    open.pop_back();
    const auto pass_on = [&](TaskId after) {
      needed[index(after)] = std::max(needed[index(after)], needed[index(task)]);
      if (--waits[index(after)] == 0) open.push_back(after);
    };
    for (const TaskId successor : graph.successors(task)) pass_on(successor);
    if (next_in_list[index(task)] != kNone) pass_on(task_id(static_cast<std::size_t>(next_in_list[index(task)])));
  }
  return needed;
}

}  // namespace

WindowNeed smallest_window(const TaskGraph& graph, const FrozenSchedule& lists) {
  const std::vector<TaskId>& order = graph.topological_order();
  std::vector<int> place(graph.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[index(order[i])] = static_cast<int>(i);
  const std::vector<int> needed = last_needed(graph, place, lists);
  WindowNeed need;
  for (const TaskId task : order) {
    int last = needed[index(task)];
    for (const TaskId successor : graph.successors(task)) last = std::max(last, needed[index(successor)]);
    const int span = last - place[index(task)] + 1;
    if (span > need.smallest) need = {span, task, order[static_cast<std::size_t>(last)]};
  }
  return need;
}

bool in_list_order(const Design& design) {
  return design.release == Release::kCounters && design.ready_queue == ReadyQueue::kPerWorker && is_static(design.placement) &&
         design.stealing == Stealing::kOff;
}

std::optional<std::string> window_deadlock(const TaskGraph& graph, const Design& design, const FrozenSchedule& lists) {
  if (design.graph_build != GraphBuild::kDevice || design.window == 0) return std::nullopt;
  const WindowNeed need = smallest_window(graph, lists);
  if (design.window >= need.smallest) return std::nullopt;
  const auto name = [&graph](TaskId task) { return "'" + std::string(graph.name(task)) + "'"; };
  const bool successor = std::ranges::any_of(graph.successors(need.from), [&](TaskId task) { return task == need.to; });
  const std::string needs = successor ? "its successor " + name(need.to) + " has completed"
                                      : name(need.to) + " has, which stands before it, or before a successor of it, in the frozen lists";
  return "a window of " + std::to_string(design.window) + " tasks is too small for the graph: " + name(need.to) +
         " waits to be submitted until " + name(need.from) + " is retired, " + name(need.from) + " is not retired before " + needs +
         ", and " + name(need.to) + " cannot complete before it is submitted; the smallest window that works is " +
         std::to_string(need.smallest);
}

}  // namespace tasktwin
