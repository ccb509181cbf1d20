#include "gpu/bodies/task_descriptor.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "gpu/bodies/block_arguments.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {
namespace {

/// What one block reads, rounded up to 512.
std::uint64_t streamed_bytes(const Task& task) {
  if (task.kernel != Kernel::kStream) return 0;
  return (static_cast<std::uint64_t>(task.cost.bytes.count) + 511) / 512 * 512;
}

TaskDescriptor describe(const TaskGraph& graph, TaskId id, std::uint64_t stream_offset) {
  const Task& task = graph[id];
  TaskDescriptor descriptor{};
  descriptor.task = static_cast<std::uint32_t>(index(id));
  descriptor.kernel = static_cast<std::uint32_t>(task.kernel);
  if (is_own(task.kernel)) {
    const ArgumentRow& row = std::get<OwnKernels>(graph.problem()).arguments[static_cast<std::size_t>(task.args[0])];
    const auto blocks = static_cast<std::uint32_t>(graph.traits(id).blocks);
    auto* const words = reinterpret_cast<std::byte*>(&descriptor.spin_ns);
    static_assert(offsetof(TaskDescriptor, spin_ns) + sizeof blocks + sizeof row == sizeof(TaskDescriptor));
    std::memcpy(words, &blocks, sizeof blocks);
    std::memcpy(words + sizeof blocks, row.data(), sizeof row);
    return descriptor;
  }
  for (std::size_t i = 0; i < task.args.size(); ++i) descriptor.args[i] = task.args[i];
  descriptor.spin_ns = static_cast<std::uint64_t>(to_ns(task.cost.time + graph.traits(id).prologue));
  descriptor.flops = static_cast<std::uint64_t>(task.cost.flops.count);
  descriptor.bytes = static_cast<std::uint64_t>(task.cost.bytes.count);
  descriptor.stream_offset = stream_offset;
  descriptor.stream_stride = graph.traits(id).blocks > 1 ? streamed_bytes(task) : 0;
  return descriptor;
}

std::uint64_t all_streamed_bytes(const TaskGraph& graph, TaskId id) {
  return streamed_bytes(graph[id]) * static_cast<std::uint64_t>(graph.traits(id).blocks);
}

}  // namespace

std::vector<TaskDescriptor> make_descriptors(const TaskGraph& graph) {
  std::vector<TaskDescriptor> descriptors;
  descriptors.reserve(graph.size());
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    descriptors.push_back(describe(graph, task_id(i), offset));
    offset += all_streamed_bytes(graph, task_id(i));
  }
  return descriptors;
}

std::vector<TaskDescriptor> make_block_descriptors(const TaskGraph& graph) {
  std::vector<TaskDescriptor> descriptors;
  const auto* const problem = std::get_if<DecodeProblem>(&graph.problem());
  if (problem == nullptr) return descriptors;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const int blocks = graph.traits(task_id(i)).blocks;
    TaskDescriptor descriptor = describe(graph, task_id(i), 0);
    for (int block = 0; blocks > 1 && block < blocks; ++block) {
      if (has_block_arguments(graph[task_id(i)].kernel))
        std::ranges::copy(block_arguments(*problem, graph[task_id(i)], block), descriptor.args);
      descriptors.push_back(descriptor);
    }
  }
  return descriptors;
}

TaskDescriptor make_descriptor(const TaskGraph& graph, TaskId id) {
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < index(id); ++i) offset += all_streamed_bytes(graph, task_id(i));
  return describe(graph, id, offset);
}

}  // namespace tasktwin::gpu
