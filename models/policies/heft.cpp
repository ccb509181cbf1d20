#include "models/policies/heft.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "models/error.hpp"

namespace tasktwin {

namespace {

/// When a worker is taken, ascending; touching intervals are merged.
class BusyIntervals {
 public:
  /// Earliest start at or after `ready` of a gap that holds `length`.
  std::int64_t earliest_start(std::int64_t ready, std::int64_t length) const {
    auto next = std::ranges::upper_bound(intervals_, ready, {}, &Interval::end);
    for (; next != intervals_.end(); ++next) {
      if (ready + length <= next->begin) return ready;
      ready = std::max(ready, next->end);
    }
    return ready;
  }

  void take(std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    auto next = std::ranges::upper_bound(intervals_, begin, {}, &Interval::begin);
    const bool touches_next = next != intervals_.end() && next->begin == end;
    if (next != intervals_.begin() && std::prev(next)->end == begin) {
      std::prev(next)->end = touches_next ? next->end : end;
      if (touches_next) intervals_.erase(next);
    } else if (touches_next) {
      next->begin = begin;
    } else {
      intervals_.insert(next, {begin, end});
    }
  }

 private:
  struct Interval {
    std::int64_t begin;
    std::int64_t end;
  };
  std::vector<Interval> intervals_;
};

std::vector<double> upward_ranks(const HeftInputs& inputs) {
  const TaskGraph& graph = inputs.graph;
  std::vector<double> ranks(graph.size());
  for (const TaskId task : graph.topological_order() | std::views::reverse) {
    double cost = 0;
    int able = 0;
    for (std::size_t w = 0; w < inputs.workers; ++w) {
      const std::int64_t on_worker = inputs.cost(task, w);
      if (on_worker < 0) continue;
      cost += static_cast<double>(on_worker);
      ++able;
    }
    if (able == 0) throw InputError("task '" + std::string(graph.name(task)) + "' needs a core type that no worker has");
    double longest = 0;
    for (const TaskId successor : graph.successors(task)) {
      longest = std::max(longest, static_cast<double>(inputs.communication(task, successor, false)) + ranks[index(successor)]);
    }
    ranks[index(task)] = cost / able + longest;
  }
  return ranks;
}

}  // namespace

HeftResult heft(const HeftInputs& inputs) {
  const TaskGraph& graph = inputs.graph;
  HeftResult result{upward_ranks(inputs), std::vector<HeftPlacement>(graph.size()), FrozenSchedule(inputs.workers)};
  std::vector<TaskId> order = graph.topological_order();
  std::ranges::stable_sort(order, std::greater{}, [&result](TaskId task) { return result.upward_ranks[index(task)]; });

  std::vector<BusyIntervals> busy(inputs.workers);
  for (const TaskId task : order) {
    HeftPlacement best;
    bool found = false;
    for (std::size_t w = 0; w < inputs.workers; ++w) {
      const std::int64_t cost = inputs.cost(task, w);
      if (cost < 0) continue;
      std::int64_t ready = 0;
      for (const TaskId predecessor : graph.predecessors(task)) {
        const HeftPlacement& before = result.placements[index(predecessor)];
        ready = std::max(ready, before.finish + inputs.communication(predecessor, task, before.worker == w));
      }
      const std::int64_t start = busy[w].earliest_start(ready, cost);
      if (!found || start + cost < best.finish) best = {w, start, start + cost};
      found = true;
    }
    busy[best.worker].take(best.start, best.finish);
    result.placements[index(task)] = best;
    result.schedule[best.worker].push_back(task);
  }
  // Start and finish times follow the dependencies, and equal ones keep the rank's order, so all lists follow one
  // topological order; a task of no length goes before the one that starts with it.
  for (auto& list : result.schedule) {
    std::ranges::stable_sort(list, {}, [&result](TaskId task) {
      return std::pair{result.placements[index(task)].start, result.placements[index(task)].finish};
    });
  }
  return result;
}

FrozenSchedule schedule_heft(const StaticInputs& inputs) {
  return heft({inputs.graph, inputs.workers.size(),
               [&inputs](TaskId task, std::size_t worker) {
                 return inputs.graph[task].core_type == inputs.workers[worker] ? inputs.durations[index(task)].count() : -1;
               },
               [&inputs](TaskId, TaskId, bool same_worker) {
                 return same_worker ? inputs.same_worker_hop.count() : inputs.other_worker_hop.count();
               }})
      .schedule;
}

}  // namespace tasktwin
