#include "gpu/bodies/task_descriptor.hpp"

#include "models/task_graph.hpp"

namespace tasktwin::gpu {
namespace {

TaskDescriptor describe(const Task& task, std::size_t position, std::uint64_t stream_offset) {
  TaskDescriptor descriptor{};
  descriptor.task = static_cast<std::uint32_t>(position);
  descriptor.kernel = static_cast<std::uint32_t>(task.kernel);
  for (std::size_t i = 0; i < task.args.size(); ++i) descriptor.args[i] = task.args[i];
  descriptor.spin_ns = static_cast<std::uint64_t>(to_ns(task.cost.time));
  descriptor.flops = static_cast<std::uint64_t>(task.cost.flops.count);
  descriptor.bytes = static_cast<std::uint64_t>(task.cost.bytes.count);
  descriptor.stream_offset = stream_offset;
  return descriptor;
}

std::uint64_t streamed_bytes(const Task& task) {
  if (task.kernel != Kernel::kStream) return 0;
  return (static_cast<std::uint64_t>(task.cost.bytes.count) + 511) / 512 * 512;
}

}  // namespace

std::vector<TaskDescriptor> make_descriptors(const TaskGraph& graph) {
  std::vector<TaskDescriptor> descriptors;
  descriptors.reserve(graph.size());
  std::uint64_t offset = 0;
  for (const Task& task : graph.tasks()) {
    descriptors.push_back(describe(task, descriptors.size(), offset));
    offset += streamed_bytes(task);
  }
  return descriptors;
}

TaskDescriptor make_descriptor(const TaskGraph& graph, TaskId id) {
  std::uint64_t offset = 0;
  for (const Task& task : graph.tasks().first(index(id))) offset += streamed_bytes(task);
  return describe(graph[id], index(id), offset);
}

}  // namespace tasktwin::gpu
