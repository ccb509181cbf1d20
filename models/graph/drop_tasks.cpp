#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/even_share.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/graph/graph_edits.hpp"

namespace tasktwin {

namespace {

[[noreturn]] void refuse_bridges() {
  throw InputError("more than " + std::to_string(kMostEditedEdges) + " dependencies would go past the tasks that are dropped");
}

/// For each remaining task, the remaining tasks that it waits for through removed ones, in addition to its own predecessors, and the bytes
/// that it got from those that are removed.
class Bridges {
 public:
  Bridges(const TaskGraph& graph, const std::vector<bool>& gone) : graph_(graph), gone_(gone), behind_(graph.size()) {}

  void add_to(TaskGraphBuilder& builder, const std::vector<std::uint32_t>& place) {
    for (const TaskId task : graph_.topological_order()) {
      if (gone_[index(task)])
        find_behind(task);
      else
        add_edges(builder, place, task);
    }
  }

 private:
  void find_behind(TaskId task) {
    std::vector<TaskId>& all = behind_[index(task)];
    for (const TaskId from : graph_.predecessors(task)) {
      const std::vector<TaskId>& through = behind_[index(from)];
      if (gone_[index(from)])
        all.insert(all.end(), through.begin(), through.end());
      else
        all.push_back(from);
    }
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    count(all.size());
  }

  void add_edges(TaskGraphBuilder& builder, const std::vector<std::uint32_t>& place, TaskId task) {
    std::vector<std::pair<TaskId, std::int64_t>> all;
    for_each_input(graph_, task, [&](TaskId from, std::int64_t bytes) {
      if (!gone_[index(from)]) return;
      const std::vector<TaskId>& through = behind_[index(from)];
      for (std::size_t k = 0; k < through.size(); ++k) all.emplace_back(through[k], even_share(bytes, k, through.size()));
    });
    if (all.empty()) return;
    for_each_input(graph_, task, [&](TaskId from, std::int64_t bytes) {
      if (!gone_[index(from)]) all.emplace_back(from, bytes);
    });
    std::ranges::sort(all);
    std::size_t edges = 0;
    for (std::size_t i = 0; i < all.size(); ++edges) {
      const TaskId from = all[i].first;
      std::int64_t bytes = 0;
      for (; i < all.size() && all[i].first == from; ++i) bytes += all[i].second;
      builder.add_edge(TaskId{place[index(from)]}, TaskId{place[index(task)]}, Bytes{bytes});
    }
    count(edges);
  }

  void count(std::size_t edges) {
    if ((edges_ += edges) > kMostEditedEdges) refuse_bridges();
  }

  const TaskGraph& graph_;
  const std::vector<bool>& gone_;
  std::vector<std::vector<TaskId>> behind_;  ///< of tasks that go
  std::size_t edges_ = 0;
};

/// Whether bytes come with an edge into it or out of it, which an event could not pass on.
bool passes_bytes(const TaskGraph& graph, TaskId task) {
  if (!graph.has_edge_bytes()) return false;
  bool passes = false;
  const auto look = [&passes](std::int64_t bytes) { passes = passes || bytes > 0; };
  for_each_input(graph, task, [&look](TaskId, std::int64_t bytes) { look(bytes); });
  for (const TaskId next : graph.successors(task)) {
    for_each_input(graph, next, [&](TaskId from, std::int64_t bytes) { look(from == task ? bytes : 0); });
  }
  return passes;
}

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
    kept[index(task)] = !spawns && pairs > all.size() + behind[index(task)].size() && !passes_bytes(graph, task);
  }
  return kept;
}

}  // namespace

EditedGraph drop_tasks(const TaskGraph& graph, std::string_view pattern, DroppedJoins how) {
  std::vector<bool> gone = tasks_meant(graph, pattern);
  const std::size_t matched = static_cast<std::size_t>(std::ranges::count(gone, true));
  if (matched == 0) {
    std::vector<std::vector<TaskId>> from(graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) from[i] = {task_id(i)};
    return {graph, std::move(from)};
  }
  if (matched == graph.size()) throw InputError("no task would be left");
  const std::vector<bool> joins = how == DroppedJoins::kEvents ? joins_of(graph, gone) : std::vector<bool>(graph.size());
  EditedGraph edited;
  edited.joins = static_cast<std::size_t>(std::ranges::count(joins, true));
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

}  // namespace tasktwin
