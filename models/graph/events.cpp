#include "models/graph/events.hpp"

#include <algorithm>

#include "models/base/error.hpp"

namespace tasktwin {

std::size_t event_count(const TaskGraph& graph) {
  return graph.has_operations() ? static_cast<std::size_t>(std::ranges::count_if(graph.tasks(), is_event)) : 0;
}

std::vector<std::vector<TaskId>> tasks_behind_events(const TaskGraph& graph) {
  std::vector<std::vector<TaskId>> behind(graph.size());
  std::size_t all = 0;
  for (const TaskId event : graph.topological_order()) {
    if (!is_event(graph[event])) continue;
    std::vector<TaskId>& tasks = behind[index(event)];
    for (const TaskId before : graph.predecessors(event)) {
      const std::vector<TaskId>& through = behind[index(before)];
      if (is_event(graph[before])) {
        tasks.insert(tasks.end(), through.begin(), through.end());
      } else {
        tasks.push_back(before);
      }
    }
    std::ranges::sort(tasks);
    const auto repeated = std::ranges::unique(tasks);
    tasks.erase(repeated.begin(), repeated.end());
    all += tasks.size();
    if (all > kMostJoinedEdges)
      throw InputError("its events follow each other so that more than " + std::to_string(kMostJoinedEdges) + " tasks stand behind them");
  }
  return behind;
}

GraphPart with_edges_for_events(const TaskGraph& graph) {
  const std::vector<std::vector<TaskId>> behind = tasks_behind_events(graph);
  TaskGraphBuilder builder;
  GraphPart part;
  std::vector<std::uint32_t> place(graph.size(), kNoPlace);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (is_event(graph[task_id(i)])) continue;
    place[i] = static_cast<std::uint32_t>(index(copy_task(builder, graph, task_id(i))));
    part.original.push_back(task_id(i));
  }
  copy_edges(builder, graph, place);
  std::size_t edges = 0;
  for (const TaskId task : part.original) {
    for (const TaskId before : graph.predecessors(task)) {
      if (!is_event(graph[before])) continue;
      edges += behind[index(before)].size();
      if (edges > kMostJoinedEdges)
        throw InputError("its events stand for more than " + std::to_string(kMostJoinedEdges) +
                         " edges; a design of release 'counters' or 'dispatcher' takes them as the counters that they are");
      for (const TaskId from : behind[index(before)]) builder.add_edge(TaskId{place[index(from)]}, TaskId{place[index(task)]});
    }
  }
  copy_buffer_names(builder, graph);
  builder.set_problem(graph.problem());
  part.graph = std::move(builder).build();
  return part;
}

}  // namespace tasktwin
