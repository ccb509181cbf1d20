#include "models/graph/small_edits.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "models/graph/graph_copy.hpp"

namespace tasktwin {

bool has_edge(const TaskGraph& graph, TaskId from, TaskId to) { return std::ranges::binary_search(graph.predecessors(to), from); }

TaskGraph with_edits(const TaskGraph& graph, const SmallEdits& edits) {
  constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
  TaskGraphBuilder builder;
  std::vector<std::uint32_t> traits{0};  // by that of `graph`; few tasks have some, and many have the same
  for (std::size_t i = 0; i < graph.size(); ++i) {
    Task task = graph[task_id(i)];
    if (task.traits >= traits.size()) traits.resize(task.traits + 1, kUnknown);
    std::uint32_t& known = traits[task.traits];
    if (known == kUnknown) known = builder.add_traits(graph.traits(task_id(i)));
    task.traits = known;
    if (const auto time = edits.times.find(task_id(i)); time != edits.times.end()) task.cost.time = time->second;
    if (const auto priority = edits.priorities.find(task_id(i)); priority != edits.priorities.end()) task.priority = priority->second;
    builder.add_task(graph.name(task_id(i)), task);
  }
  copy_buffer_names(builder, graph);
  builder.set_problem(graph.problem());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for_each_input(graph, task_id(i), [&](TaskId before, std::int64_t bytes) {
      if (edits.removed.empty() || !edits.removed.contains({before, task_id(i)})) builder.add_edge(before, task_id(i), Bytes{bytes});
    });
    if (const auto spawner = graph.spawner(task_id(i))) builder.set_spawner(task_id(i), *spawner);
  }
  for (const auto& [from, to] : edits.added) builder.add_edge(from, to);
  return std::move(builder).build();
}

}  // namespace tasktwin
