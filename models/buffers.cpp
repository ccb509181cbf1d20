#include "models/buffers.hpp"

#include <unordered_map>
#include <unordered_set>

namespace tasktwin {

namespace {

std::string quoted(const TaskGraph& graph, TaskId task) { return "'" + std::string(graph.name(task)) + "'"; }

/// Whether `task` has to wait for `first`. No task before `first` in the topological order is looked at.
bool comes_after(const TaskGraph& graph, const std::vector<std::uint32_t>& position, TaskId first, TaskId task) {
  std::vector<TaskId> open{task};
  std::unordered_set<std::uint32_t> met;
  while (!open.empty()) {
    const TaskId at = open.back();
    open.pop_back();
    for (const TaskId before : graph.predecessors(at)) {
      if (before == first) return true;
      if (position[index(before)] > position[index(first)] && met.insert(static_cast<std::uint32_t>(before)).second) open.push_back(before);
    }
  }
  return false;
}

struct Buffer {
  std::optional<TaskId> allocated;
  std::optional<TaskId> freed;
  std::vector<TaskId> users;
};

}  // namespace

std::optional<BufferFault> buffer_fault(const TaskGraph& graph) {
  if (!graph.has_operations()) return std::nullopt;
  std::vector<std::uint32_t> position(graph.size());
  for (std::uint32_t at = 0; const TaskId task : graph.topological_order()) position[index(task)] = at++;
  std::unordered_map<std::int32_t, Buffer> buffers;
  for (const TaskId task : graph.topological_order()) {
    const Operation operation = graph[task].operation;
    if (operation == Operation::kKernel) continue;
    const auto because = [&](const std::string& why) {
      return BufferFault{task, "task " + quoted(graph, task) + " is of operation '" + std::string(to_word(operation)) + "' and " + why};
    };
    const TaskTraits& traits = graph.traits(task);
    if (traits.blocks > 1) return because("has " + std::to_string(traits.blocks) + " blocks; only a kernel has several");
    if (traits.probability < 1) return because("has a predicate; only a kernel may have one");
    if (traits.other_type) return because("has another core type; only a kernel has core types");
    if (graph.spawner(task)) return because("is spawned by another task; only a kernel may be");
    if (traits.pageable && !touches_host_memory(operation)) return because("has pageable memory, which has nothing to do with it");
    const std::int32_t number = graph[task].args[0];
    if (number == 0 && !is_allocation(operation)) continue;
    if (number <= 0) return because("names no buffer");
    Buffer& buffer = buffers[number];
    if (operation == Operation::kAlloc) {
      if (graph[task].cost.bytes.count <= 0) return because("asks for no bytes");
      if (buffer.allocated) return because("allocates the buffer that task " + quoted(graph, *buffer.allocated) + " allocates");
      buffer.allocated = task;
      continue;
    }
    if (!buffer.allocated || !comes_after(graph, position, *buffer.allocated, task))
      return because("has a buffer that no task which it waits for allocates");
    if (buffer.freed) return because("has the buffer that task " + quoted(graph, *buffer.freed) + " frees, which does not wait for it");
    if (operation != Operation::kFree) {
      const std::int64_t bytes = graph[*buffer.allocated].cost.bytes.count;
      if (graph[task].cost.bytes.count > bytes) return because("moves more bytes than its buffer has, " + std::to_string(bytes));
      buffer.users.push_back(task);
      continue;
    }
    buffer.freed = task;
    for (const TaskId user : buffer.users) {
      if (!comes_after(graph, position, user, task))
        return because("does not wait for task " + quoted(graph, user) + ", which has its buffer");
    }
  }
  return std::nullopt;
}

}  // namespace tasktwin
