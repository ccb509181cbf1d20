#include "models/graph/graph_copy.hpp"

#include <string>
#include <utility>
#include <vector>

#include "models/base/error.hpp"

namespace tasktwin {

TaskId copy_task(TaskGraphBuilder& builder, const TaskGraph& graph, TaskId id, const TaskChange& change) {
  Task task = graph[id];
  TaskTraits traits = graph.traits(id);
  if (change) change(id, task, traits);
  task.traits = builder.add_traits(traits);
  const TaskId copy = builder.add_task(graph.name(id), task);
  builder.set_draw(copy, graph.draw(id));
  return copy;
}

void copy_tasks(TaskGraphBuilder& builder, const TaskGraph& graph, const TaskChange& change) {
  for (std::size_t i = 0; i < graph.size(); ++i) copy_task(builder, graph, task_id(i), change);
  copy_buffer_names(builder, graph);
}

void copy_buffer_names(TaskGraphBuilder& builder, const TaskGraph& graph) {
  std::vector<std::string> names;
  for (std::int32_t number = 1; !graph.buffer_name(number).empty(); ++number) names.emplace_back(graph.buffer_name(number));
  builder.name_buffers(std::move(names));
}

void copy_edges(TaskGraphBuilder& builder, const TaskGraph& graph, std::span<const std::uint32_t> place) {
  const auto placed = [place](TaskId task) { return place.empty() ? task : TaskId{place[index(task)]}; };
  const auto is_gone = [](TaskId task) { return index(task) == kNoPlace; };
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskId to = placed(task_id(i));
    if (is_gone(to)) continue;
    for_each_input(graph, task_id(i), [&](TaskId before, std::int64_t bytes) {
      const TaskId from = placed(before);
      if (!is_gone(from) && from != to) builder.add_edge(from, to, Bytes{bytes});
    });
    const auto spawner = graph.spawner(task_id(i));
    if (!spawner) continue;
    if (is_gone(placed(*spawner))) {
      throw InputError("task '" + std::string(graph.name(*spawner)) + "' spawns '" + std::string(graph.name(task_id(i))) +
                       "', which would be left without it; drop both or neither");
    }
    builder.set_spawner(to, placed(*spawner));
  }
}

GraphPart part_of(const TaskGraph& graph, const std::vector<bool>& has) {
  GraphPart part;
  TaskGraphBuilder builder;
  std::vector<std::uint32_t> place(graph.size(), kNoPlace);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!has[i]) continue;
    place[i] = static_cast<std::uint32_t>(index(copy_task(builder, graph, task_id(i))));
    part.original.push_back(task_id(i));
  }
  copy_edges(builder, graph, place);
  copy_buffer_names(builder, graph);
  builder.set_problem(graph.problem());
  part.graph = std::move(builder).build();
  return part;
}

}  // namespace tasktwin
