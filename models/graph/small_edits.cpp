#include "models/graph/small_edits.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "models/graph/graph_copy.hpp"

namespace tasktwin {

namespace {

/// Both give the place among all targets.
std::ptrdiff_t insert_target(EdgeRows& rows, TaskId row, TaskId target) {
  const auto begin = rows.targets.begin() + rows.offsets[index(row)];
  const auto end = rows.targets.begin() + rows.offsets[index(row) + 1];
  const auto value = static_cast<std::uint32_t>(target);
  const auto at = rows.targets.insert(std::lower_bound(begin, end, value), value);
  for (std::size_t next = index(row) + 1; next < rows.offsets.size(); ++next) ++rows.offsets[next];
  return at - rows.targets.begin();
}

std::ptrdiff_t erase_target(EdgeRows& rows, TaskId row, TaskId target) {
  const auto begin = rows.targets.begin() + rows.offsets[index(row)];
  const auto end = rows.targets.begin() + rows.offsets[index(row) + 1];
  const auto at = rows.targets.erase(std::lower_bound(begin, end, static_cast<std::uint32_t>(target)));
  for (std::size_t next = index(row) + 1; next < rows.offsets.size(); ++next) --rows.offsets[next];
  return at - rows.targets.begin();
}

/// Whether the topological order stays: of the orders that the edges allow the lowest. It does if each new edge agrees with it, as it then
/// is the lowest of fewer; and, where edges go, if it is the lowest of all that there are.
bool order_stays(const TaskGraph& graph, const SmallEdits& edits) {
  const std::vector<TaskId>& order = graph.topological_order();
  const auto agrees = [&order](const std::pair<TaskId, TaskId>& edge) {
    const auto first = std::ranges::find_if(order, [&edge](TaskId task) { return task == edge.first || task == edge.second; });
    return edge.first != edge.second && *first == edge.first;
  };
  return std::ranges::all_of(edits.added, agrees) && (edits.removed.empty() || std::ranges::is_sorted(order));
}

/// The slow way, which finds cycles.
TaskGraph rebuilt(const TaskGraph& graph, const SmallEdits& edits) {
  TaskGraphBuilder builder;
  copy_tasks(builder, graph);
  builder.set_problem(graph.problem());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for_each_input(graph, task_id(i), [&](TaskId before, std::int64_t bytes) {
      if (!edits.removed.contains({before, task_id(i)})) builder.add_edge(before, task_id(i), Bytes{bytes});
    });
    if (const auto spawner = graph.spawner(task_id(i))) builder.set_spawner(task_id(i), *spawner);
  }
  for (const auto& [from, to] : edits.added) builder.add_edge(from, to);
  return std::move(builder).build();
}

}  // namespace

bool has_edge(const TaskGraph& graph, TaskId from, TaskId to) { return std::ranges::binary_search(graph.predecessors(to), from); }

TaskGraph with_edits(const TaskGraph& graph, const SmallEdits& edits) {
  const bool stays = order_stays(graph, edits);
  TaskGraph edited = stays ? graph : rebuilt(graph, edits);
  for (const auto& [task, time] : edits.times) edited.tasks_[index(task)].cost.time = time;
  for (const auto& [task, priority] : edits.priorities) edited.tasks_[index(task)].priority = priority;
  if (!stays) return edited;
  for (const auto& [from, to] : edits.removed) {
    erase_target(edited.successors_, from, to);
    const std::ptrdiff_t place = erase_target(edited.predecessors_, to, from);
    if (!edited.input_bytes_.empty()) edited.input_bytes_.erase(edited.input_bytes_.begin() + place);
  }
  for (const auto& [from, to] : edits.added) {
    insert_target(edited.successors_, from, to);
    const std::ptrdiff_t place = insert_target(edited.predecessors_, to, from);
    if (!edited.input_bytes_.empty()) edited.input_bytes_.insert(edited.input_bytes_.begin() + place, 0);
  }
  return edited;
}

}  // namespace tasktwin
