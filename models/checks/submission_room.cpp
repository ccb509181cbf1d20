#include "models/checks/submission_room.hpp"

#include <map>

namespace tasktwin {

namespace {

template <class Takes>
Ring ring(const TaskGraph& graph, std::string_view axis, std::int64_t size, Takes takes) {
  Ring made{axis, size, {0}};
  made.ends.reserve(graph.size() + 1);
  for (const TaskId task : graph.topological_order()) made.ends.push_back(made.ends.back() + takes(task));
  return made;
}

}  // namespace

std::vector<Ring> rings(const TaskGraph& graph, const Design& design) {
  std::vector<Ring> all;
  if (design.graph_build != GraphBuild::kDevice) return all;
  if (design.window > 0) all.push_back(ring(graph, "window", design.window, [](TaskId) { return std::int64_t{1}; }));
  if (design.heap_kib > 0)
    all.push_back(
        ring(graph, "heap_kib", std::int64_t{design.heap_kib} << 10, [&graph](TaskId task) { return graph.traits(task).output; }));
  if (design.dependency_pool > 0) {
    all.push_back(ring(graph, "dependency_pool", design.dependency_pool,
                       [&graph](TaskId task) { return static_cast<std::int64_t>(graph.in_degree(task)); }));
  }
  return all;
}

std::vector<TaskId> scope_ends(const TaskGraph& graph) {
  std::map<int, TaskId> last;
  for (const TaskId task : graph.topological_order()) last[graph.traits(task).scope] = task;
  std::vector<TaskId> ends(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const int scope = graph.traits(task_id(i)).scope;
    ends[i] = scope == 0 ? task_id(i) : last[scope];
  }
  return ends;
}

}  // namespace tasktwin
