#include "gpu/device_graph.hpp"

namespace tasktwin::gpu {

DeviceGraph::DeviceGraph(const TaskGraph& graph, const RunOptions& options) {
  const std::vector<TaskDescriptor> bodies = make_descriptors(graph);
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint32_t> counts(graph.size());
  rows.reserve(graph.edge_count());
  offsets.reserve(graph.size() + 1);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId successor : graph.successors(task_id(i))) {
      if (options.ignores(task_id(i), successor)) continue;
      rows.push_back(static_cast<std::uint32_t>(successor));
      ++counts[index(successor)];
    }
    offsets.push_back(static_cast<std::uint32_t>(rows.size()));
  }
  for (const TaskId task : options.never_released) ++counts[index(task)];

  const auto& before = graph.predecessor_rows().m_forward;
  host_tasks.reserve(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    host_tasks.push_back(
        {bodies[i], offsets[i], offsets[i + 1] - offsets[i], before.m_rowstart[i], before.m_rowstart[i + 1] - before.m_rowstart[i]});
    if (counts[i] == 0) roots.push_back(static_cast<std::uint32_t>(i));
  }
  tasks = {std::span<const DeviceTask>(host_tasks), "the tasks"};
  successors = {std::span<const std::uint32_t>(rows), "the edges"};
  successor_offsets = {std::span<const std::uint32_t>(offsets), "the edges"};
  predecessors = {std::span<const std::uint32_t>(before.m_column), "the edges"};
  predecessor_counts = {std::span<const std::uint32_t>(counts), "the dependency counters"};
}

}  // namespace tasktwin::gpu
