#include "models/checks/list_order.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "models/checks/task_window.hpp"
#include "models/graph/events.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

constexpr std::uint32_t kNoList = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMostSearches = 16;  ///< for a shorter cycle, each through all edges at worst
constexpr std::size_t kMostSteps = 20;     ///< of a cycle in words

/// One wait of a cycle: `waiting` for `awaited`.
struct Wait {
  TaskId waiting{};
  TaskId awaited{};
  std::uint32_t core = kNoList;  ///< in whose list `awaited` precedes `waiting`; kNoList for an edge
};

/// The waits of a graph under lists, and those of its tasks that never come to run.
class Waits {
 public:
  Waits(const TaskGraph& graph, const FrozenSchedule& lists) : graph_(graph), before_(graph.size(), kNoList), core_(graph.size(), kNoList) {
    std::vector<std::uint32_t> after(graph.size(), kNoList);
    for (std::size_t core = 0; core < lists.size(); ++core) {
      for (std::size_t i = 0; i < lists[core].size(); ++i) {
        core_[index(lists[core][i])] = static_cast<std::uint32_t>(core);
        if (i == 0) continue;
        before_[index(lists[core][i])] = static_cast<std::uint32_t>(lists[core][i - 1]);
        after[index(lists[core][i - 1])] = static_cast<std::uint32_t>(lists[core][i]);
      }
    }
    run_what_can(after);
  }

  bool stuck(TaskId task) const { return stuck_[index(task)]; }
  std::uint32_t core(TaskId task) const { return core_[index(task)]; }

  std::optional<TaskId> first_stuck() const {
    const auto found = std::ranges::find(stuck_, true);
    return found == stuck_.end() ? std::nullopt : std::optional(task_id(static_cast<std::size_t>(found - stuck_.begin())));
  }

  /// Calls visit(awaited, by_list) for each task that `task` waits for and that never comes to run; edges first.
  template <class Visit>
  void for_each(TaskId task, Visit visit) const {
    for (const TaskId before : graph_.predecessors(task)) {
      if (stuck(before)) visit(before, false);
    }
    const std::uint32_t before = before_[index(task)];
    if (before != kNoList && stuck(TaskId{before})) visit(TaskId{before}, true);
  }

 private:
  /// Kahn's algorithm over edges and lists together; whatever is left waits for a cycle.
  void run_what_can(const std::vector<std::uint32_t>& after) {
    std::vector<std::size_t> waits(graph_.size());
    std::vector<TaskId> open;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      waits[i] = graph_.in_degree(task_id(i)) + (before_[i] != kNoList ? 1 : 0);
      if (waits[i] == 0) open.push_back(task_id(i));
    }
    while (!open.empty()) {
      const TaskId task = open.back();
      open.pop_back();
      const auto done_for = [&](TaskId waiting) {
        if (--waits[index(waiting)] == 0) open.push_back(waiting);
      };
      for (const TaskId successor : graph_.successors(task)) done_for(successor);
      if (after[index(task)] != kNoList) done_for(TaskId{after[index(task)]});
    }
    for (const std::size_t left : waits) stuck_.push_back(left > 0);
  }

  const TaskGraph& graph_;
  std::vector<std::uint32_t> before_;  ///< by TaskId, in its list
  std::vector<std::uint32_t> core_;    ///< by TaskId, whose list it is in
  std::vector<bool> stuck_;            ///< by TaskId
};

/// Any cycle: what never runs waits for something that never runs, so following one wait after the other comes round.
std::vector<TaskId> any_cycle(const Waits& waits, TaskId from, std::size_t tasks) {
  std::vector<bool> met(tasks);
  std::vector<TaskId> way;
  TaskId task = from;
  while (!met[index(task)]) {
    met[index(task)] = true;
    way.push_back(task);
    std::optional<TaskId> next;
    waits.for_each(task, [&](TaskId awaited, bool) {
      if (!next) next = awaited;
    });
    task = *next;
  }
  way.erase(way.begin(), std::ranges::find(way, task));
  return way;
}

/// The shortest cycle through `from`, which lies on one, in order of waiting; a breadth-first search.
std::vector<Wait> shortest_through(const Waits& waits, TaskId from, std::size_t tasks) {
  std::vector<Wait> reached_by(tasks);  // the wait through which each was met
  std::vector<bool> met(tasks);
  std::vector<TaskId> queue{from};
  for (std::size_t head = 0; head < queue.size() && !met[index(from)]; ++head) {
    const TaskId task = queue[head];
    waits.for_each(task, [&](TaskId awaited, bool by_list) {
      if (met[index(awaited)]) return;
      met[index(awaited)] = true;
      reached_by[index(awaited)] = {task, awaited, by_list ? waits.core(task) : kNoList};
      queue.push_back(awaited);
    });
  }
  std::vector<Wait> cycle;
  TaskId task = from;
  do {
    cycle.push_back(reached_by[index(task)]);
    task = cycle.back().waiting;
  } while (task != from);
  std::ranges::reverse(cycle);
  // Of several places in one list only the first and the last matter.
  std::vector<Wait> told;
  for (const Wait& wait : cycle) {
    if (!told.empty() && wait.core != kNoList && told.back().core == wait.core) {
      told.back().awaited = wait.awaited;
    } else {
      told.push_back(wait);
    }
  }
  if (told.size() > 1 && told.front().core != kNoList && told.front().core == told.back().core) {
    told.front().waiting = told.back().waiting;
    told.pop_back();
  }
  return told;
}

std::vector<Wait> shortest_found(const Waits& waits, TaskId stuck, std::size_t tasks) {
  const std::vector<TaskId> starts = any_cycle(waits, stuck, tasks);
  std::vector<Wait> best;
  const std::size_t stride = (starts.size() + kMostSearches - 1) / kMostSearches;
  for (std::size_t i = 0; i < starts.size(); i += stride) {
    std::vector<Wait> cycle = shortest_through(waits, starts[i], tasks);
    if (best.empty() || cycle.size() < best.size()) best = std::move(cycle);
  }
  return best;
}

std::string quoted(const TaskGraph& graph, TaskId task) { return "'" + std::string(graph.name(task)) + "'"; }

void refuse(const Design& design, const std::optional<std::string>& why) {
  if (why) throw InputError("design '" + design.name + "': " + *why);
}

}  // namespace

std::optional<std::string> list_deadlock(const TaskGraph& graph, const FrozenSchedule& lists) {
  const Waits waits(graph, lists);
  const std::optional<TaskId> stuck = waits.first_stuck();
  if (!stuck) return std::nullopt;
  const std::vector<Wait> cycle = shortest_found(waits, *stuck, graph.size());
  std::string text = "the lists and the edges wait for each other in a cycle: ";
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (i == kMostSteps && cycle.size() > kMostSteps + 1) {
      text += ", … (" + std::to_string(cycle.size() - 1 - kMostSteps) + " more)";
      i = cycle.size() - 1;
    }
    text +=
        (i > 0 ? ", " : "") + quoted(graph, cycle[i].waiting) + " waits for " + quoted(graph, cycle[i].awaited) +
        (cycle[i].core == kNoList ? " (an edge)" : " (which stands before it in the list of core " + std::to_string(cycle[i].core) + ")");
  }
  return text;
}

std::optional<std::string> list_fault(const TaskGraph& graph, const FrozenSchedule& lists, std::size_t workers, ListCover cover) {
  if (lists.size() > workers) return "there are " + std::to_string(lists.size()) + " lists, but " + std::to_string(workers) + " worker(s)";
  std::vector<std::uint32_t> core_of(graph.size(), kNoList);
  for (std::size_t core = 0; core < lists.size(); ++core) {
    for (const TaskId task : lists[core]) {
      if (index(task) >= graph.size()) {
        return "the list of core " + std::to_string(core) + " has task number " + std::to_string(index(task)) + ", but the graph has " +
               std::to_string(graph.size()) + " tasks";
      }
      const std::uint32_t met = std::exchange(core_of[index(task)], static_cast<std::uint32_t>(core));
      if (met == core) return "task " + quoted(graph, task) + " is twice in the list of core " + std::to_string(core);
      if (met != kNoList)
        return "task " + quoted(graph, task) + " is in the lists of cores " + std::to_string(met) + " and " + std::to_string(core);
    }
  }
  for (std::size_t i = 0; i < core_of.size() && cover == ListCover::kAll; ++i) {
    if (core_of[i] == kNoList && !is_event(graph[task_id(i)])) return "task " + quoted(graph, task_id(i)) + " is in no list";
  }
  return std::nullopt;
}

void check_lists(const TaskGraph& graph, const Design& design, const FrozenSchedule& lists, std::size_t workers) {
  const ListCover cover = lists_some(design) ? ListCover::kSome : ListCover::kAll;
  refuse(design, list_fault(graph, lists, workers, cover));
}

void prove_lists(const TaskGraph& graph, const Design& design, const FrozenSchedule& lists, std::size_t workers) {
  check_lists(graph, design, lists, workers);
  refuse(design, list_deadlock(graph, lists));
  refuse(design, window_deadlock(graph, design, lists));
}

}  // namespace tasktwin
