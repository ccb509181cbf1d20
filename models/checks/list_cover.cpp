#include "models/checks/list_cover.hpp"

#include <algorithm>

#include "models/graph/events.hpp"

namespace tasktwin {

namespace {

/// What is known of a group of workers at a time, for each task.
constexpr std::size_t kMostClocks = std::size_t{1} << 26;

/// Tasks' positions in lists; those of none, events, have no list.
struct Places {
  Places(std::size_t tasks, const FrozenSchedule& lists) : list(tasks, kNone), at(tasks), before(tasks, kNone) {
    for (std::size_t worker = 0; worker < lists.size(); ++worker) {
      for (std::size_t i = 0; i < lists[worker].size(); ++i) {
        const std::size_t task = index(lists[worker][i]);
        list[task] = static_cast<std::uint32_t>(worker);
        at[task] = static_cast<std::uint32_t>(i);
        if (i > 0) before[task] = static_cast<std::uint32_t>(lists[worker][i - 1]);
      }
    }
  }

  static constexpr std::uint32_t kNone = ~0u;
  std::vector<std::uint32_t> list;
  std::vector<std::uint32_t> at;
  std::vector<std::uint32_t> before;  ///< TaskId of the one before it
};

/// By task and worker, of some workers: how many tasks of the worker's list have ended.
class Clocks {
 public:
  Clocks(std::size_t tasks, std::size_t first, std::size_t count) : first_(first), count_(count), ended_(tasks * count) {}

  std::span<std::uint32_t> of(TaskId task) { return std::span(ended_).subspan(index(task) * count_, count_); }

  /// `task` knows what `other` knows, and that this has ended.
  void join(TaskId task, TaskId other, std::uint32_t list, std::uint32_t at) {
    const std::span<std::uint32_t> to = of(task);
    const std::span<std::uint32_t> from = of(other);
    for (std::size_t i = 0; i < count_; ++i) to[i] = std::max(to[i], from[i]);
    note(task, list, at);
  }

  void note(TaskId task, std::uint32_t list, std::uint32_t at) {
    if (covers(list)) of(task)[list - first_] = std::max(of(task)[list - first_], at + 1);
  }

  bool covers(std::uint32_t list) const { return list >= first_ && list < first_ + count_; }
  bool knows(TaskId task, std::uint32_t list, std::uint32_t at) { return !covers(list) || of(task)[list - first_] > at; }

 private:
  std::size_t first_;
  std::size_t count_;
  std::vector<std::uint32_t> ended_;
};

class CoverCheck {
 public:
  CoverCheck(const TaskGraph& needed, const TaskGraph& planned, const FrozenSchedule& lists, std::span<const TaskId> place)
      : needed_(needed), planned_(planned), place_(place), places_(planned.size(), lists), order_(order_of_lists(planned, lists)) {}

  std::optional<Uncovered> of_workers(std::size_t first, std::size_t count) const {
    Clocks known(planned_.size(), first, count);
    for (const TaskId task : order_) {
      const std::uint32_t before = places_.before[index(task)];
      if (before != Places::kNone) join(known, task, TaskId{before});
      for (const TaskId awaited : planned_.predecessors(task)) join(known, task, awaited);
    }
    Clocks behind(event_count(needed_) > 0 ? needed_.size() : 0, first, count);  // events: all that they count
    for (const TaskId task : needed_.topological_order()) {
      for (const TaskId before : needed_.predecessors(task)) {
        if (is_event(needed_[task])) {
          if (is_event(needed_[before]))
            behind.join(task, before, Places::kNone, 0);
          else
            behind.note(task, list_of(before), at_of(before));
        } else if (is_event(needed_[before]) ? !all_known(known.of(place_[index(task)]), behind.of(before))
                                             : !known.knows(place_[index(task)], list_of(before), at_of(before))) {
          return Uncovered{task, is_event(needed_[before]) ? unknown_behind(known, task, before) : before};
        }
      }
    }
    return std::nullopt;
  }

 private:
  std::uint32_t list_of(TaskId needed) const { return places_.list[index(place_[index(needed)])]; }
  std::uint32_t at_of(TaskId needed) const { return places_.at[index(place_[index(needed)])]; }

  void join(Clocks& known, TaskId task, TaskId other) const {
    known.join(task, other, places_.list[index(other)], places_.at[index(other)]);
  }

  static bool all_known(std::span<const std::uint32_t> known, std::span<const std::uint32_t> wanted) {
    return std::ranges::equal(known, wanted, std::ranges::greater_equal{});
  }

  /// One that the event counts and the task does not know. Contract: there is one.
  TaskId unknown_behind(Clocks& known, TaskId task, TaskId event) const {
    std::vector<TaskId> events{event};
    for (std::size_t i = 0; i < events.size(); ++i) {
      for (const TaskId before : needed_.predecessors(events[i])) {
        if (is_event(needed_[before]))
          events.push_back(before);
        else if (!known.knows(place_[index(task)], list_of(before), at_of(before)))
          return before;
      }
    }
    return event;
  }

  const TaskGraph& needed_;
  const TaskGraph& planned_;
  std::span<const TaskId> place_;
  Places places_;
  std::vector<TaskId> order_;
};

}  // namespace

std::vector<TaskId> order_of_lists(const TaskGraph& planned, const FrozenSchedule& lists) {
  const Places places(planned.size(), lists);
  std::vector<std::size_t> waits(planned.size());
  std::vector<TaskId> order;
  order.reserve(planned.size());
  for (std::size_t i = 0; i < planned.size(); ++i) {
    waits[i] = planned.in_degree(task_id(i)) + (places.before[i] != Places::kNone ? 1 : 0);
    if (waits[i] == 0) order.push_back(task_id(i));
  }
  const auto done_for = [&](TaskId waiting) {
    if (--waits[index(waiting)] == 0) order.push_back(waiting);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const TaskId task = order[i];
    for (const TaskId successor : planned.successors(task)) done_for(successor);
    const std::uint32_t list = places.list[index(task)];
    if (list == Places::kNone) continue;
    const std::size_t next = places.at[index(task)] + std::size_t{1};
    if (next < lists[list].size()) done_for(lists[list][next]);
  }
  return order;
}

std::optional<Uncovered> first_uncovered(const TaskGraph& needed, const TaskGraph& planned, const FrozenSchedule& lists,
                                         std::span<const TaskId> place) {
  const CoverCheck check(needed, planned, lists, place);
  const std::size_t together = std::max<std::size_t>(1, kMostClocks / std::max<std::size_t>(1, planned.size()));
  for (std::size_t first = 0; first < lists.size(); first += together) {
    if (auto found = check.of_workers(first, std::min(together, lists.size() - first))) return found;
  }
  return std::nullopt;
}

}  // namespace tasktwin
