#include "models/program/buffers.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "models/program/race_check.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"

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

namespace {

/// The calls of a host that launches `graph` under driver `streams`, for find_races: each buffer at an address of its own, which its users
/// read. Frees that wait for what uses their buffer are in an additional stream, which waits for all of it and for which no task
/// waits.
class Calls {
 public:
  Calls(const TaskGraph& graph, const Design& design, const std::map<std::int32_t, std::vector<TaskId>>& users)
      : graph_(graph),
        users_(users),
        waits_for_device_(design.allocator == Allocator::kMalloc),
        waits_for_users_(design.allocator == Allocator::kCaching && design.record_stream == RecordStream::kOn),
        order_(launch_order(graph)),
        stream_of_(graph.size()),
        used_(graph.size()) {
    const std::uint32_t count = total_streams(graph, design);
    orders_.assign(count + 1, StreamOrder::kOwn);
    for (const auto& [buffer, tasks] : users) {
      for (const TaskId task : tasks) used_[index(task)].push_back(buffer);
    }
    const std::vector<std::uint32_t> streams = assign_streams(graph, design);
    for (std::size_t at = 0; at < order_.size(); ++at) stream_of_[index(order_[at])] = streams[at];
    for (const TaskId task : order_) call(task, count);
  }

  std::span<const OrderStep> steps() const { return steps_; }
  std::span<const StreamOrder> orders() const { return orders_; }
  TaskId task(std::size_t step) const { return tasks_[step]; }
  static std::int32_t buffer(std::uint64_t address) { return static_cast<std::int32_t>(address >> 32); }

  /// The first task after `free` in its stream that allocates, in words.
  std::string next_owner(TaskId free) const {
    for (auto next = std::ranges::find(order_, free); next != order_.end(); ++next) {
      if (graph_[*next].operation == Operation::kAlloc && stream_of_[index(*next)] == stream_of_[index(free)])
        return "task " + quoted(graph_, *next);
    }
    return "another";
  }

 private:
  static std::uint64_t address(std::int32_t buffer) { return static_cast<std::uint64_t>(buffer) << 32; }

  void call(TaskId task, std::uint32_t beside) {
    const std::uint32_t stream = stream_of_[index(task)];
    const Operation operation = graph_[task].operation;
    const std::int32_t number = graph_[task].args[0];
    for (const TaskId before : graph_.predecessors(task)) {
      if (stream_of_[index(before)] != stream) await(stream, before);
    }
    if (operation == Operation::kFree && waits_for_users_) {
      record(task);
      await(beside, task);
      if (users_.contains(number)) {
        for (const TaskId user : users_.at(number)) await(beside, user);
      }
      add({.kind = OrderStepKind::kFree, .stream = beside, .address = address(number)}, task);
      return;
    }
    OrderStep step{.kind = OrderStepKind::kWork, .stream = stream};
    if (operation == Operation::kAlloc) step = {.kind = OrderStepKind::kAllocate, .stream = stream, .address = address(number), .bytes = 1};
    if (operation == Operation::kFree)
      step = {.kind = OrderStepKind::kFree, .stream = waits_for_device_ ? OrderStep::kNone : stream, .address = address(number)};
    for (const std::int32_t used : used_[index(task)]) step.accesses.push_back({address(used), address(used) + 1, false});
    add(std::move(step), task);
    if (is_awaited(task)) record(task);
  }

  bool is_awaited(TaskId task) const {
    if (waits_for_users_ && !used_[index(task)].empty()) return true;
    const auto elsewhere = [&](TaskId successor) { return stream_of_[index(successor)] != stream_of_[index(task)]; };
    return std::ranges::any_of(graph_.successors(task), elsewhere);
  }

  void record(TaskId task) {
    add({.kind = OrderStepKind::kRecord, .stream = stream_of_[index(task)], .record = static_cast<std::uint32_t>(index(task))}, task);
  }

  void await(std::uint32_t stream, TaskId before) {
    add({.kind = OrderStepKind::kStreamWait, .stream = stream, .record = static_cast<std::uint32_t>(index(before))}, before);
  }

  void add(OrderStep step, TaskId task) {
    steps_.push_back(std::move(step));
    tasks_.push_back(task);
  }

  const TaskGraph& graph_;
  const std::map<std::int32_t, std::vector<TaskId>>& users_;
  bool waits_for_device_;                        ///< the call that frees
  bool waits_for_users_;                         ///< likewise, as far as they are launched
  std::vector<TaskId> order_;                    ///< of launches
  std::vector<std::uint32_t> stream_of_;         ///< by TaskId
  std::vector<std::vector<std::int32_t>> used_;  ///< by TaskId: buffers
  std::vector<StreamOrder> orders_;
  std::vector<OrderStep> steps_;
  std::vector<TaskId> tasks_;  ///< by step
};

}  // namespace

std::vector<std::string> buffer_races(const TaskGraph& graph, const Design& design) {
  std::vector<std::string> races;
  if (!runtime_of(design).streams() || !graph.has_operations()) return races;
  const std::map<std::int32_t, std::vector<TaskId>> users = buffer_users(graph);
  if (users.empty()) return races;
  const Calls calls(graph, design, users);
  for (const Race& race : find_races(calls.steps(), calls.orders())) {
    const TaskId first = calls.task(race.first);
    const TaskId second = calls.task(race.second);
    const std::int32_t number = Calls::buffer(race.address);
    const std::string_view name = graph.buffer_name(number);
    const auto uses = [&](TaskId user) {
      return "task " + quoted(graph, user) + " uses buffer " + (name.empty() ? std::to_string(number) : "'" + std::string(name) + "'");
    };
    if (race.kind == RaceKind::kUseWithoutWait) {
      races.push_back(uses(second) + ", but nothing makes it wait for task " + quoted(graph, first) + ", which allocates it");
    } else if (graph[first].operation == Operation::kFree) {
      races.push_back(uses(second) + " after task " + quoted(graph, first) + " has freed it");
    } else {
      races.push_back(uses(first) + " without a wait between it and task " + quoted(graph, second) +
                      ", which frees it: " + calls.next_owner(second) + " may be given the memory while it is in use");
    }
  }
  return races;
}

}  // namespace tasktwin
