#include "models/graph/graph_edits.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/error.hpp"
#include "models/base/name_pattern.hpp"
#include "models/graph/graph_copy.hpp"

namespace tasktwin {

namespace {

std::vector<bool> meant(const TaskGraph& graph, std::string_view pattern) {
  std::vector<bool> marks(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) marks[i] = matches(pattern, graph.name(task_id(i)));
  return marks;
}

std::size_t count(const std::vector<bool>& marks) { return static_cast<std::size_t>(std::ranges::count(marks, true)); }

std::vector<std::vector<TaskId>> unchanged(std::size_t tasks) {
  std::vector<std::vector<TaskId>> from(tasks);
  for (std::size_t i = 0; i < tasks; ++i) from[i] = {task_id(i)};
  return from;
}

/// The same tasks at the same places, each changed.
template <class Change>
EditedGraph changed(const TaskGraph& graph, std::string_view pattern, Change change) {
  const std::vector<bool> marks = meant(graph, pattern);
  TaskGraphBuilder builder;
  copy_tasks(builder, graph, [&](TaskId id, Task& task, TaskTraits& traits) {
    if (marks[index(id)]) change(task, traits);
  });
  copy_edges(builder, graph);
  builder.set_problem(graph.problem());
  return {std::move(builder).build(), unchanged(graph.size()), count(marks)};
}

std::int64_t scaled(std::int64_t value, double factor, std::int64_t least) {
  constexpr double kMost = 9e18;  // below 2^63
  return value == 0 ? 0 : std::max(least, static_cast<std::int64_t>(std::min(std::round(static_cast<double>(value) * factor), kMost)));
}

[[noreturn]] void refuse_bridges() {
  throw InputError("more than " + std::to_string(kMostEditedEdges) + " dependencies would go past the tasks that are dropped");
}

/// For each remaining task, the remaining tasks that it waits for through removed ones, in addition to its own predecessors.
class Bridges {
 public:
  Bridges(const TaskGraph& graph, const std::vector<bool>& gone) : graph_(graph), gone_(gone), behind_(graph.size()) {}

  void add_to(TaskGraphBuilder& builder, const std::vector<std::uint32_t>& place) {
    std::size_t edges = 0;
    for (const TaskId task : graph_.topological_order()) {
      std::vector<TaskId>& all = behind_[index(task)];
      for (const TaskId from : graph_.predecessors(task)) {
        if (!gone_[index(from)]) {
          if (gone_[index(task)]) all.push_back(from);
          continue;
        }
        const std::vector<TaskId>& through = behind_[index(from)];
        all.insert(all.end(), through.begin(), through.end());
      }
      std::ranges::sort(all);
      const auto repeated = std::ranges::unique(all);
      all.erase(repeated.begin(), repeated.end());
      edges += all.size();
      if (edges > kMostEditedEdges) refuse_bridges();
      if (gone_[index(task)]) continue;
      for (const TaskId from : all) builder.add_edge(TaskId{place[index(from)]}, TaskId{place[index(task)]});
      all = {};
    }
  }

 private:
  const TaskGraph& graph_;
  const std::vector<bool>& gone_;
  std::vector<std::vector<TaskId>> behind_;  ///< of tasks that go
};

void unite(std::vector<TaskId>& all, std::size_t& so_far) {
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  if ((so_far += all.size()) > kMostEditedEdges) refuse_bridges();
}

/// Of the tasks that go, those in whose place an event is fewer edges than one for each pair of a predecessor and a successor.
std::vector<bool> joins_of(const TaskGraph& graph, const std::vector<bool>& gone) {
  const std::vector<TaskId>& order = graph.topological_order();
  std::vector<std::vector<TaskId>> behind(graph.size());  // of those that go: what stays, through others that go
  std::size_t united = 0;
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    if (!gone[index(*at)]) continue;
    std::vector<TaskId>& all = behind[index(*at)];
    for (const TaskId next : graph.successors(*at)) {
      if (gone[index(next)])
        all.insert(all.end(), behind[index(next)].begin(), behind[index(next)].end());
      else
        all.push_back(next);
    }
    unite(all, united);
  }
  std::vector<bool> kept(graph.size());
  std::vector<std::vector<TaskId>> before(graph.size());  // likewise, with those that are kept
  for (const TaskId task : order) {
    if (!gone[index(task)]) continue;
    bool spawns = graph.spawner(task).has_value();
    for (const TaskId next : graph.successors(task)) spawns = spawns || graph.spawner(next) == task;
    std::vector<TaskId>& all = before[index(task)];
    for (const TaskId from : graph.predecessors(task)) {
      if (gone[index(from)] && !kept[index(from)])
        all.insert(all.end(), before[index(from)].begin(), before[index(from)].end());
      else
        all.push_back(from);
    }
    unite(all, united);
    const std::size_t pairs = all.size() * behind[index(task)].size();
    kept[index(task)] = !spawns && pairs > all.size() + behind[index(task)].size();
  }
  return kept;
}

bool can_fuse(const TaskGraph& graph, TaskId first, TaskId second) {
  const auto is_plain = [&graph](TaskId task) {
    const TaskTraits& traits = graph.traits(task);
    return graph[task].operation == Operation::kKernel && traits.probability == 1 && !traits.other_type && traits.samples.empty() &&
           traits.parts.empty() && !graph.spawner(task);
  };
  const TaskTraits& then = graph.traits(second);
  if (then.prologue > Duration{0} || then.prologue_bytes > 0) return false;  // it would be no prologue in the middle of a body
  return is_plain(first) && is_plain(second) && graph[first].kernel == graph[second].kernel && !reads_rows(graph[first].kernel) &&
         graph[first].core_type == graph[second].core_type;
}

/// By TaskId the one that it goes into: itself, or the first of its chain.
std::vector<TaskId> chains(const TaskGraph& graph, const std::vector<bool>& marks) {
  std::vector<TaskId> head(graph.size());
  for (const TaskId task : graph.topological_order()) {
    head[index(task)] = task;
    if (!marks[index(task)] || graph.in_degree(task) != 1) continue;
    const TaskId before = *graph.predecessors(task).begin();
    if (marks[index(before)] && graph.out_degree(before) == 1 && can_fuse(graph, before, task)) head[index(task)] = head[index(before)];
  }
  return head;
}

void add_cost(Task& task, const Task& other) {
  task.cost.time += other.cost.time;
  task.cost.flops += other.cost.flops;
  task.cost.bytes += other.cost.bytes;
  const double sigma = std::hypot(static_cast<double>(task.cost.sigma_ns), static_cast<double>(other.cost.sigma_ns));
  task.cost.sigma_ns = static_cast<std::uint32_t>(std::lround(sigma));
}

}  // namespace

EditedGraph scale_tasks(const TaskGraph& graph, std::string_view pattern, double factor) {
  return changed(graph, pattern, [factor](Task& task, TaskTraits& traits) {
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
  });
}

EditedGraph move_tasks(const TaskGraph& graph, std::string_view pattern, int stream) {
  return changed(graph, pattern, [stream](Task&, TaskTraits& traits) { traits.stream = stream; });
}

EditedGraph drop_tasks(const TaskGraph& graph, std::string_view pattern, DroppedJoins how) {
  std::vector<bool> gone = meant(graph, pattern);
  const std::size_t matched = count(gone);
  if (matched == 0) return {graph, unchanged(graph.size()), 0};
  if (matched == graph.size()) throw InputError("no task would be left");
  const std::vector<bool> joins = how == DroppedJoins::kEvents ? joins_of(graph, gone) : std::vector<bool>(graph.size());
  EditedGraph edited;
  edited.joins = count(joins);
  TaskGraphBuilder builder;
  std::vector<std::uint32_t> place(graph.size(), kNoPlace);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (gone[i] && !joins[i]) continue;
    place[i] = static_cast<std::uint32_t>(builder.size());
    gone[i] = false;
    if (joins[i]) {
      const Task& task = graph[task_id(i)];
      builder.add_task(graph.name(task_id(i)),
                       {.layer = task.layer, .kernel = Kernel::kEmpty, .core_type = task.core_type, .operation = Operation::kEvent});
      edited.from.emplace_back();
      continue;
    }
    copy_task(builder, graph, task_id(i));
    edited.from.push_back({task_id(i)});
  }
  copy_edges(builder, graph, place);
  copy_buffer_names(builder, graph);
  builder.set_problem(graph.problem());
  Bridges(graph, gone).add_to(builder, place);
  edited.graph = std::move(builder).build();
  edited.matched = matched;
  return edited;
}

EditedGraph insert_task(const TaskGraph& graph, const NewTask& task) {
  std::vector<bool> after(graph.size());
  std::vector<bool> before(graph.size());
  if (!task.after.empty()) after = meant(graph, task.after);
  if (!task.before.empty()) before = meant(graph, task.before);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.name(task_id(i)) == task.name) throw InputError("a task is called '" + task.name + "' already");
  }
  const auto first_behind = static_cast<std::size_t>(std::ranges::find(before, true) - before.begin());
  const auto last_before = static_cast<std::size_t>(std::find(after.rbegin(), after.rend(), true).base() - after.begin());
  const std::size_t at = first_behind < graph.size() ? first_behind : last_before > 0 ? last_before : graph.size();
  const auto kernel = std::ranges::find(graph.tasks(), Operation::kKernel, &Task::operation);
  EditedGraph edited;
  TaskGraphBuilder builder;
  std::vector<std::uint32_t> place(graph.size());
  const auto add_new = [&] {
    Task made;
    made.cost.time = task.time;
    if (task.time == Duration{}) made.kernel = Kernel::kEmpty;
    if (kernel != graph.tasks().end()) made.core_type = kernel->core_type;
    made.traits = builder.add_traits({.stream = task.stream});
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
  edited.matched = count(after) + count(before);
  edited.graph = std::move(builder).build();
  return edited;
}

EditedGraph fuse_tasks(const TaskGraph& graph, std::string_view pattern) {
  const std::vector<TaskId> head = chains(graph, meant(graph, pattern));
  std::vector<std::vector<TaskId>> parts(graph.size());
  for (const TaskId task : graph.topological_order()) parts[index(head[index(task)])].push_back(task);
  EditedGraph edited;
  TaskGraphBuilder builder;
  std::vector<std::uint32_t> place(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (parts[i].empty()) continue;
    Task task = graph[task_id(i)];
    TaskTraits traits = graph.traits(task_id(i));
    for (const TaskId part : parts[i]) {
      place[index(part)] = static_cast<std::uint32_t>(builder.size());
      if (part == task_id(i)) continue;
      add_cost(task, graph[part]);
      traits.blocks = std::max(traits.blocks, graph.traits(part).blocks);
    }
    if (parts[i].size() > 1) edited.matched += parts[i].size();
    task.traits = builder.add_traits(traits);
    builder.add_task(std::string(graph.name(task_id(i))) + (parts[i].size() > 1 ? " +" + std::to_string(parts[i].size() - 1) : ""), task);
    std::ranges::sort(parts[i]);
    edited.from.push_back(std::move(parts[i]));
  }
  copy_edges(builder, graph, place);
  copy_buffer_names(builder, graph);
  if (edited.matched == 0) builder.set_problem(graph.problem());
  edited.graph = std::move(builder).build();
  return edited;
}

}  // namespace tasktwin
