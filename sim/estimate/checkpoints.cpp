#include "sim/estimate/checkpoints.hpp"

#include <algorithm>
#include <ranges>

namespace tasktwin::sim {

namespace {

class Sameness {
 public:
  Sameness(const Checkpoint& at, const TaskGraph& before, const TaskGraph& graph) : at_(at), before_(before), graph_(graph) {}

  bool of_time(TaskId task) const { return !is_present(at_.tasks[index(task)].started); }

  bool of_edge(TaskId from, TaskId to) const { return !is_present(at_.tasks[index(from)].ended) && never_ready(to); }

  /// From `place` on the core's list is another. Its core may wait for what stands there.
  bool of_list(CoreId core, std::size_t place, const std::vector<TaskId>& before, const std::vector<TaskId>& now) const {
    if (at_.wiring->taken[index(core)] > place + 1) return false;
    return (place >= before.size() || never_ready(before[place])) && (place >= now.size() || never_ready(now[place]));
  }

 private:
  /// Whoever asked found that it waits for something, in either graph.
  bool never_ready(TaskId task) const { return waits(before_, task) && waits(graph_, task); }
  bool waits(const TaskGraph& graph, TaskId task) const {
    return std::ranges::any_of(graph.predecessors(task), [this](TaskId before) {
      const TimePoint published = at_.tasks[index(before)].published;
      return !is_present(published) || published > at_.wiring->horizon;
    });
  }

  const Checkpoint& at_;
  const TaskGraph& before_;
  const TaskGraph& graph_;
};

}  // namespace

const Checkpoint* last_before(const std::vector<Checkpoint>& checkpoints, const Change& change, const TaskGraph& graph,
                              const FrozenSchedule& lists_before, const FrozenSchedule& lists) {
  for (const Checkpoint& at : checkpoints | std::views::reverse) {
    const Sameness same(at, change.before, graph);
    const bool all = std::ranges::all_of(change.times, [&](TaskId task) { return same.of_time(task); }) &&
                     std::ranges::all_of(change.edges, [&](const auto& edge) { return same.of_edge(edge.first, edge.second); }) &&
                     std::ranges::all_of(change.lists, [&](const auto& list) {
                       return same.of_list(list.first, list.second, lists_before[index(list.first)], lists[index(list.first)]);
                     });
    if (all) return &at;
  }
  return nullptr;
}

}  // namespace tasktwin::sim
