#include "models/graph/graph_edits.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "models/base/error.hpp"
#include "models/base/name_pattern.hpp"
#include "models/graph/graph_copy.hpp"

namespace tasktwin {

std::vector<bool> tasks_meant(const TaskGraph& graph, std::string_view pattern) {
  std::vector<bool> marks(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) marks[i] = matches(pattern, graph.name(task_id(i)));
  return marks;
}

namespace {

std::size_t count(const std::vector<bool>& marks) { return static_cast<std::size_t>(std::ranges::count(marks, true)); }

std::vector<std::vector<TaskId>> unchanged(std::size_t tasks) {
  std::vector<std::vector<TaskId>> from(tasks);
  for (std::size_t i = 0; i < tasks; ++i) from[i] = {task_id(i)};
  return from;
}

/// The same tasks at the same places, each changed, as are the bytes that come over edges into them.
template <class Inputs, class Change>
EditedGraph changed(const TaskGraph& graph, std::string_view pattern, Inputs inputs, Change change) {
  const std::vector<bool> marks = tasks_meant(graph, pattern);
  TaskGraphBuilder builder;
  copy_tasks(builder, graph, [&](TaskId id, Task& task, TaskTraits& traits) {
    if (marks[index(id)]) change(task, traits);
  });
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for_each_input(graph, task_id(i),
                   [&](TaskId from, std::int64_t bytes) { builder.add_edge(from, task_id(i), Bytes{marks[i] ? inputs(bytes) : bytes}); });
    if (const auto spawner = graph.spawner(task_id(i))) builder.set_spawner(task_id(i), *spawner);
  }
  builder.set_problem(graph.problem());
  return {std::move(builder).build(), unchanged(graph.size()), count(marks)};
}

std::int64_t scaled(std::int64_t value, double factor, std::int64_t least) {
  constexpr double kMost = 9e18;  // below 2^63
  return value == 0 ? 0 : std::max(least, static_cast<std::int64_t>(std::min(std::round(static_cast<double>(value) * factor), kMost)));
}

/// What the tasks are that a new one waits for or that wait for it.
struct Neighbours {
  std::set<std::int32_t> devices;
  std::set<CoreType> types;  ///< of kernels
  std::set<int> streams;
};

Neighbours neighbours(const TaskGraph& graph, const std::vector<bool>& after, const std::vector<bool>& before) {
  Neighbours found;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if ((!after[i] && !before[i]) || task.operation == Operation::kEvent) continue;
    // A copy leaves its bytes where it goes to.
    const bool arrives = after[i] && task.operation == Operation::kCopyP2p && graph.devices() > 1;
    const std::int32_t device = arrives ? task.args[2] : task.device;
    if (device != kAnyDevice || task.operation != Operation::kHost) found.devices.insert(device);
    if (task.operation == Operation::kKernel) found.types.insert(task.core_type);
    found.streams.insert(graph.traits(task_id(i)).stream);
  }
  return found;
}

std::int32_t device_of(const NewTask& task, const std::set<std::int32_t>& around, int devices) {
  if (task.device) return *task.device;
  if (around.size() == 1) return *around.begin();
  if (around.empty() || devices == 1) return kAnyDevice;
  std::string all;
  for (const std::int32_t device : around) all += (all.empty() ? "" : ", ") + (device == kAnyDevice ? "none" : std::to_string(device));
  throw InputError("'" + task.name + "' stands between tasks that state unlike devices (" + all +
                   "): say which it runs on, as device:" + std::to_string(*around.rbegin()));
}

CoreType core_type_of(const NewTask& task, const TaskGraph& graph, std::set<CoreType> around) {
  if (task.core_type) return *task.core_type;
  if (around.empty()) {
    const auto first = std::ranges::find(graph.tasks(), Operation::kKernel, &Task::operation);
    around.insert(first == graph.tasks().end() ? CoreType::kSm : first->core_type);
  }
  if (around.size() == 1 && *around.begin() != CoreType::kMix) return *around.begin();
  std::string all;
  for (const CoreType type : around) all += (all.empty() ? "" : ", ") + std::string(to_word(type));
  throw InputError("'" + task.name + "' stands beside tasks of core_type " + all + ": say which core it runs on, as core_type:" +
                   std::string(to_word(*around.begin() == CoreType::kMix ? CoreType::kAiv : *around.begin())));
}

}  // namespace

EditedGraph scale_tasks(const TaskGraph& graph, std::string_view pattern, double factor) {
  const auto inputs = [factor](std::int64_t bytes) { return scaled(bytes, factor, 1); };
  return changed(graph, pattern, inputs, [factor](Task& task, TaskTraits& traits) {
    const bool allocates = is_allocation(task.operation);
    task.cost.time = Duration{scaled(to_ns(task.cost.time), factor, 0)};
    task.cost.sigma_ns = static_cast<std::uint32_t>(std::min<std::int64_t>(scaled(task.cost.sigma_ns, factor, 0), 0xFFFFFFFF));
    task.cost.flops = {scaled(task.cost.flops.count, factor, 1)};
    if (!allocates) task.cost.bytes = {scaled(task.cost.bytes.count, factor, 1)};
    if (reads_rows(task.kernel))
      task.args[2] = static_cast<std::int32_t>(std::min<std::int64_t>(scaled(task.args[2], factor, 1), 0x7FFFFFFF));
    for (Duration& sample : traits.samples) sample = Duration{scaled(to_ns(sample), factor, 0)};
    for (Duration& part : traits.parts) part = Duration{scaled(to_ns(part), factor, 0)};
    traits.other_time = Duration{scaled(to_ns(traits.other_time), factor, 0)};
    traits.prologue = Duration{scaled(to_ns(traits.prologue), factor, 0)};
    traits.prologue_bytes = scaled(traits.prologue_bytes, factor, 0);
    if (traits.estimate >= Duration{}) traits.estimate = Duration{scaled(to_ns(traits.estimate), factor, 0)};
  });
}

EditedGraph move_tasks(const TaskGraph& graph, std::string_view pattern, int stream) {
  return changed(graph, pattern, std::identity{}, [stream](Task&, TaskTraits& traits) { traits.stream = stream; });
}

EditedGraph insert_task(const TaskGraph& graph, const NewTask& task) {
  std::vector<bool> after(graph.size());
  std::vector<bool> before(graph.size());
  if (!task.after.empty()) after = tasks_meant(graph, task.after);
  if (!task.before.empty()) before = tasks_meant(graph, task.before);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.name(task_id(i)) == task.name) throw InputError("a task is called '" + task.name + "' already");
  }
  const auto first_behind = static_cast<std::size_t>(std::ranges::find(before, true) - before.begin());
  const auto last_before = static_cast<std::size_t>(std::find(after.rbegin(), after.rend(), true).base() - after.begin());
  const std::size_t at = first_behind < graph.size() ? first_behind : last_before > 0 ? last_before : graph.size();
  const Neighbours around = neighbours(graph, after, before);
  EditedGraph edited;
  TaskGraphBuilder builder;
  std::vector<std::uint32_t> place(graph.size());
  const auto add_new = [&] {
    Task made;
    made.cost.time = task.time;
    if (task.time == Duration{}) made.kernel = Kernel::kEmpty;
    made.core_type = core_type_of(task, graph, around.types);
    made.device = device_of(task, around.devices, graph.devices());
    made.traits = builder.add_traits({.stream = task.stream.value_or(around.streams.size() == 1 ? *around.streams.begin() : 0)});
    builder.add_task(task.name, made);
    edited.from.emplace_back();
  };
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (i == at) add_new();
    place[i] = static_cast<std::uint32_t>(builder.size());
    copy_task(builder, graph, task_id(i));
    edited.from.push_back({task_id(i)});
  }
  if (at == graph.size()) add_new();
  copy_edges(builder, graph, place);
  copy_buffer_names(builder, graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (after[i]) builder.add_edge(TaskId{place[i]}, task_id(at));
    if (before[i]) builder.add_edge(task_id(at), TaskId{place[i]});
  }
  builder.set_problem(graph.problem());
  edited.matched = count(after) + count(before);
  edited.graph = std::move(builder).build();
  return edited;
}

}  // namespace tasktwin
