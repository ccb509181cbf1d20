#include "gpu/operations/operation_layout.hpp"

#include <unordered_map>
#include <utility>

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kAlignment = 512;

/// Where that many bytes begin in a piece of memory that grows by them.
std::size_t take(std::size_t& total, std::int64_t bytes) {
  const std::size_t rounded = (static_cast<std::size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
  return std::exchange(total, total + rounded);
}

struct BufferUse {
  std::uint32_t stream = 0;
  int tasks = 0;
  int transfers = 0;
  bool one_stream = true;
};

}  // namespace

OperationLayout::OperationLayout(const TaskGraph& graph, std::span<const std::uint32_t> streams) : places(graph.size()) {
  std::unordered_map<std::int32_t, BufferUse> buffers;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (task.operation == Operation::kKernel || task.operation == Operation::kHost) continue;
    OperationPlace& place = places[i];
    if (touches_host_memory(task.operation))
      place.host = take(graph.traits(task_id(i)).pageable ? pageable_bytes : pinned_bytes, task.cost.bytes.count);
    if (task.args[0] == 0) {
      place.device = take(device_bytes, task.cost.bytes.count);
      place.checked = true;
      continue;
    }
    const std::uint32_t stream = streams.empty() ? static_cast<std::uint32_t>(i) : streams[i];
    BufferUse& use = buffers.try_emplace(task.args[0], BufferUse{.stream = stream}).first->second;
    ++use.tasks;
    use.transfers += is_transfer(task.operation) ? 1 : 0;
    use.one_stream = use.one_stream && use.stream == stream;
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    const auto found = buffers.find(task.args[0]);
    if (task.operation == Operation::kKernel || task.operation == Operation::kHost || found == buffers.end()) continue;
    const BufferUse& use = found->second;
    places[i].checked = is_transfer(task.operation) ? use.one_stream || use.transfers == 1 : use.transfers == 0;
  }
}

}  // namespace tasktwin::gpu
