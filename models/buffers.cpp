#include "models/buffers.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "models/stream_plan.hpp"

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

/// What comes before what under driver `streams`: by dependencies, and in a stream by the order of launches.
class Order {
 public:
  Order(const TaskGraph& graph, const Design& design)
      : graph_(graph), before_(graph.size()), position_(graph.size()), stream_(graph.size()) {
    std::vector<std::optional<TaskId>> last(stream_count(graph, design));
    const std::vector<std::uint32_t> streams = assign_streams(graph, design);
    for (std::uint32_t at = 0; const TaskId task : graph.topological_order()) {
      stream_[index(task)] = streams[at];
      before_[index(task)] = last[streams[at]];
      last[streams[at]] = task;
      position_[index(task)] = at++;
    }
  }

  bool comes_after(TaskId first, TaskId task) const {
    std::vector<TaskId> open{task};
    std::unordered_set<std::uint32_t> met;
    while (!open.empty()) {
      const TaskId at = open.back();
      open.pop_back();
      const auto look = [&](TaskId before) {
        if (position_[index(before)] >= position_[index(first)] && met.insert(static_cast<std::uint32_t>(before)).second)
          open.push_back(before);
      };
      if (at == first && task != first) return true;
      for (const TaskId before : graph_.predecessors(at)) look(before);
      if (before_[index(at)]) look(*before_[index(at)]);
    }
    return false;
  }

  /// The first task behind `free` in its stream that allocates, in words.
  std::string next_owner(TaskId free) const {
    for (std::size_t at = position_[index(free)] + 1; at < graph_.size(); ++at) {
      const TaskId task = graph_.topological_order()[at];
      if (graph_[task].operation == Operation::kAlloc && stream_[index(task)] == stream_[index(free)])
        return "task " + quoted(graph_, task);
    }
    return "another";
  }

 private:
  const TaskGraph& graph_;
  std::vector<std::optional<TaskId>> before_;  ///< by TaskId: in its stream
  std::vector<std::uint32_t> position_;        ///< by TaskId: in the order of launches
  std::vector<std::uint32_t> stream_;          ///< by TaskId
};

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

std::map<std::int32_t, std::vector<TaskId>> buffer_users(const TaskGraph& graph) {
  std::map<std::int32_t, std::vector<TaskId>> users;
  if (!graph.has_operations()) return users;
  bool stated = false;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskId task = task_id(i);
    stated = stated || !graph.traits(task).uses.empty();
    for (const std::int32_t buffer : graph.traits(task).uses) users[buffer].push_back(task);
    if (is_transfer(graph[task].operation) && graph[task].args[0] != 0) users[graph[task].args[0]].push_back(task);
  }
  for (std::size_t i = 0; i < graph.size() && !stated; ++i) {
    if (graph[task_id(i)].operation != Operation::kAlloc) continue;
    for (const TaskId next : graph.successors(task_id(i))) {
      if (graph[next].operation == Operation::kKernel) users[graph[task_id(i)].args[0]].push_back(next);
    }
  }
  for (auto& [buffer, tasks] : users) {
    std::ranges::sort(tasks);
    tasks.erase(std::ranges::unique(tasks).begin(), tasks.end());
  }
  return users;
}

std::vector<std::string> buffer_races(const TaskGraph& graph, const Design& design) {
  std::vector<std::string> races;
  if (design.driver != Driver::kStreams || !graph.has_operations()) return races;
  const bool frees_wait =
      design.allocator == Allocator::kMalloc || (design.allocator == Allocator::kCaching && design.record_stream == RecordStream::kOn);
  const Order order(graph, design);
  std::map<std::int32_t, Buffer> buffers;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskId task = task_id(i);
    if (graph[task].operation == Operation::kAlloc) buffers[graph[task].args[0]].allocated = task;
    if (graph[task].operation == Operation::kFree) buffers[graph[task].args[0]].freed = task;
  }
  for (const auto& [number, users] : buffer_users(graph)) {
    const Buffer& buffer = buffers[number];
    const auto named = [&, number = number](TaskId user) {
      const std::string_view name = graph.buffer_name(number);
      return "task " + quoted(graph, user) + " uses buffer " +
             (name.empty() ? buffer.allocated ? "of task " + quoted(graph, *buffer.allocated) : std::to_string(number)
                           : "'" + std::string(name) + "'");
    };
    for (const TaskId user : users) {
      if (buffer.allocated && !order.comes_after(*buffer.allocated, user))
        races.push_back(named(user) + ", but nothing makes it wait for task " + quoted(graph, *buffer.allocated) + ", which allocates it");
      if (!buffer.freed) continue;
      if (order.comes_after(*buffer.freed, user)) {
        races.push_back(named(user) + " after task " + quoted(graph, *buffer.freed) + " has freed it");
      } else if (!frees_wait && !order.comes_after(user, *buffer.freed)) {
        races.push_back(named(user) + " without a wait between it and task " + quoted(graph, *buffer.freed) +
                        ", which frees it: " + order.next_owner(*buffer.freed) + " may be given the memory while it is in use");
      }
    }
  }
  return races;
}

}  // namespace tasktwin
