#include "models/policies/list_scheduling.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

namespace tasktwin {

std::int64_t StaticSchedule::makespan() const {
  std::int64_t last = 0;
  for (const Slot& slot : slots) last = std::max(last, slot.finish);
  return last;
}

std::vector<double> mean_costs(const StaticInputs& inputs) {
  const WorkerClasses classes = worker_classes(inputs);
  std::vector<std::int64_t> members(classes.first_worker.size());
  for (std::size_t worker = 0; worker < inputs.workers; ++worker) ++members[classes.of(worker)];
  std::vector<double> costs(inputs.graph.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    double cost = 0;
    std::int64_t able = 0;
    for (std::size_t c = 0; c < members.size(); ++c) {
      const std::int64_t on_worker = inputs.cost(task_id(i), classes.first_worker[c]);
      if (on_worker < 0) continue;
      cost += static_cast<double>(on_worker * members[c]);
      able += members[c];
    }
    costs[i] = cost / static_cast<double>(able);
  }
  return costs;
}

std::vector<double> upward_ranks(const StaticInputs& inputs, const std::vector<double>& costs) {
  std::vector<double> ranks(costs.size());
  for (const TaskId task : inputs.graph.topological_order() | std::views::reverse) {
    double longest = 0;
    for (const TaskId successor : inputs.graph.successors(task)) {
      longest = std::max(longest, static_cast<double>(inputs.communication(task, successor, false)) + ranks[index(successor)]);
    }
    ranks[index(task)] = costs[index(task)] + longest;
  }
  return ranks;
}

std::vector<double> downward_ranks(const StaticInputs& inputs, const std::vector<double>& costs) {
  std::vector<double> ranks(costs.size());
  for (const TaskId task : inputs.graph.topological_order()) {
    for (const TaskId before : inputs.graph.predecessors(task)) {
      const double way = ranks[index(before)] + costs[index(before)] + static_cast<double>(inputs.communication(before, task, false));
      ranks[index(task)] = std::max(ranks[index(task)], way);
    }
  }
  return ranks;
}

std::int64_t BusyIntervals::earliest_start(std::int64_t ready, std::int64_t length) const {
  if (intervals_.empty() || intervals_.back().end <= ready) return ready;  // as most are asked
  auto next = std::ranges::upper_bound(intervals_, ready, {}, &Interval::end);
  for (; next != intervals_.end(); ++next) {
    if (ready + length <= next->begin) return ready;
    ready = std::max(ready, next->end);
  }
  return ready;
}

BusyIntervals::Interval BusyIntervals::take(std::int64_t begin, std::int64_t end) {
  auto next = std::ranges::upper_bound(intervals_, begin, {}, &Interval::begin);
  const Interval gap{next == intervals_.begin() ? 0 : std::prev(next)->end, next == intervals_.end() ? WorkerGaps::kForever : next->begin};
  if (begin == end) return gap;
  const bool touches_next = next != intervals_.end() && next->begin == end;
  if (next != intervals_.begin() && std::prev(next)->end == begin) {
    std::prev(next)->end = touches_next ? next->end : end;
    if (touches_next) intervals_.erase(next);
  } else if (touches_next) {
    next->begin = begin;
  } else {
    intervals_.insert(next, {begin, end});
  }
  return gap;
}

namespace {

/// The least that any task costs a worker of that kind.
std::int64_t shortest_cost(const StaticInputs& inputs, std::size_t worker) {
  std::int64_t shortest = WorkerGaps::kForever;
  for (std::size_t i = 0; i < inputs.graph.size(); ++i) {
    if (const std::int64_t cost = inputs.cost(task_id(i), worker); cost >= 0) shortest = std::min(shortest, cost);
  }
  return shortest;
}

}  // namespace

PartialSchedule::PartialSchedule(const StaticInputs& inputs)
    : inputs_(inputs), slots_(inputs.graph.size(), Slot{.finish = kUnplaced}), busy_(inputs.workers), classes_(worker_classes(inputs)) {
  std::vector<std::vector<std::size_t>> members(classes_.first_worker.size());
  if (members.size() == 1) members.front().reserve(inputs.workers);
  for (std::size_t worker = 0; worker < inputs.workers; ++worker) members[classes_.of(worker)].push_back(worker);
  gaps_.reserve(members.size());
  for (auto& of_class : members) {
    const std::int64_t shortest = shortest_cost(inputs, of_class.front());
    gaps_.emplace_back(std::move(of_class), shortest);
  }
}

Arrival PartialSchedule::arrival(TaskId task) const {
  Arrival arrival;
  for (const TaskId before : inputs_.graph.predecessors(task)) {
    if (!is_placed(before)) continue;
    const std::int64_t arrives = slot(before).finish + inputs_.communication(before, task, false);
    if (arrives < arrival.elsewhere) continue;
    arrival.elsewhere = arrives;
    arrival.near = slot(before).worker;
  }
  for (const TaskId before : inputs_.graph.predecessors(task)) {
    if (!is_placed(before)) continue;
    const bool same = slot(before).worker == arrival.near;
    arrival.there = std::max(arrival.there, slot(before).finish + inputs_.communication(before, task, same));
  }
  return arrival;
}

Slot PartialSchedule::earliest_finish(TaskId task) const {
  std::optional<Slot> best;
  const auto consider = [&best](const Slot& slot) {
    if (!best || std::pair(slot.finish, slot.worker) < std::pair(best->finish, best->worker)) best = slot;
  };
  if (gaps_.empty()) {
    for_each_slot(task, consider);
    return *best;
  }
  const Arrival inputs_there = arrival(task);
  for (std::size_t c = 0; c < gaps_.size(); ++c) {
    const std::int64_t cost = inputs_.cost(task, classes_.first_worker[c]);
    if (cost < 0) continue;
    const WorkerGaps::Place place = gaps_[c].earliest(inputs_there.elsewhere, cost);
    consider({place.worker, place.start, place.start + cost});
  }
  if (inputs_there.there < inputs_there.elsewhere) {
    const std::int64_t cost = inputs_.cost(task, inputs_there.near);
    if (cost >= 0) consider(earliest(inputs_there, inputs_there.near, cost));
  }
  return *best;
}

void PartialSchedule::place(TaskId task, const Slot& slot) {
  const BusyIntervals::Interval gap = busy_[slot.worker].take(slot.start, slot.finish);
  if (!gaps_.empty()) gaps_[classes_.of(slot.worker)].take(slot.worker, slot.start, slot.finish, gap.begin, gap.end);
  slots_[index(task)] = slot;
}

void PartialSchedule::unplace(TaskId task, BusyIntervals busy) {
  gaps_.clear();
  busy_[slots_[index(task)].worker] = std::move(busy);
  slots_[index(task)].finish = kUnplaced;
}

StaticSchedule PartialSchedule::finish(const std::vector<TaskId>& placed) && {
  StaticSchedule schedule{std::move(slots_), FrozenSchedule(inputs_.workers)};
  for (const TaskId task : placed) schedule.lists[schedule.slots[index(task)].worker].push_back(task);
  // Start and finish times follow the dependencies, and equal ones keep the order of placing, so all lists follow one
  // topological order; a task of no length goes before the one that starts with it.
  for (auto& list : schedule.lists) {
    if (list.size() < 2) continue;
    std::ranges::stable_sort(list, {}, [&schedule](TaskId task) {
      return std::pair{schedule.slots[index(task)].start, schedule.slots[index(task)].finish};
    });
  }
  return schedule;
}

ReadyTasks::ReadyTasks(const TaskGraph& graph, const std::vector<double>& priorities)
    : graph_(graph), priorities_(priorities), positions_(topological_positions(graph)), waiting_(graph.size()) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    waiting_[i] = graph.in_degree(task_id(i));
    if (waiting_[i] == 0) ready_.push({priorities_[i], positions_[i]});
  }
}

TaskId ReadyTasks::take() {
  const TaskId task = graph_.topological_order()[ready_.top().position];
  ready_.pop();
  for (const TaskId successor : graph_.successors(task)) {
    if (--waiting_[index(successor)] == 0) ready_.push({priorities_[index(successor)], positions_[index(successor)]});
  }
  return task;
}

std::vector<std::size_t> topological_positions(const TaskGraph& graph) {
  std::vector<std::size_t> positions(graph.size());
  for (std::size_t position = 0; position < graph.size(); ++position) positions[index(graph.topological_order()[position])] = position;
  return positions;
}

WorkerClasses worker_classes(const StaticInputs& inputs) {
  WorkerClasses classes;
  const std::vector<int>& kinds = inputs.kinds;
  if (!kinds.empty() && std::ranges::all_of(kinds, [&kinds](int kind) { return kind == kinds.front(); })) {
    classes.first_worker.push_back(0);
    return classes;
  }
  classes.of_worker.reserve(inputs.workers);
  if (!kinds.empty()) {
    std::map<int, std::size_t> known;
    for (std::size_t worker = 0; worker < inputs.workers; ++worker) {
      const auto [found, is_new] = known.emplace(kinds[worker], known.size());
      if (is_new) classes.first_worker.push_back(worker);
      classes.of_worker.push_back(found->second);
    }
    return classes;
  }
  const auto alike = [&inputs](std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < inputs.graph.size(); ++i) {
      if (inputs.cost(task_id(i), a) != inputs.cost(task_id(i), b)) return false;
    }
    return true;
  };
  for (std::size_t worker = 0; worker < inputs.workers; ++worker) {
    const auto like = std::ranges::find_if(classes.first_worker, [&](std::size_t first) { return alike(first, worker); });
    classes.of_worker.push_back(static_cast<std::size_t>(like - classes.first_worker.begin()));
    if (like == classes.first_worker.end()) classes.first_worker.push_back(worker);
  }
  return classes;
}

}  // namespace tasktwin
