#include "models/checks/task_window.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "models/checks/submission_room.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

/// By TaskId: the last place in the order of submission of any task that must have run, or be submitted, before it has run.
std::vector<int> last_needed(const TaskGraph& graph, const std::vector<int>& place, const FrozenSchedule& lists) {
  std::vector<int> needed = place;
  if (lists.empty()) return needed;  // all predecessors are submitted before
  constexpr int kNone = -1;
  std::vector<int> next_in_list(graph.size(), kNone);
  std::vector<std::size_t> waits(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) waits[i] = graph.in_degree(task_id(i));
  for (const auto& list : lists) {
    for (std::size_t i = 1; i < list.size(); ++i) {
      next_in_list[index(list[i - 1])] = static_cast<int>(index(list[i]));
      ++waits[index(list[i])];
    }
  }
  std::vector<TaskId> open;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (waits[i] == 0) open.push_back(task_id(i));
  }
  while (!open.empty()) {
    const TaskId task = open.back();
    open.pop_back();
    const auto pass_on = [&](TaskId after) {
      needed[index(after)] = std::max(needed[index(after)], needed[index(task)]);
      if (--waits[index(after)] == 0) open.push_back(after);
    };
    for (const TaskId successor : graph.successors(task)) pass_on(successor);
    if (next_in_list[index(task)] != kNone) pass_on(task_id(static_cast<std::size_t>(next_in_list[index(task)])));
  }
  return needed;
}

/// By TaskId: the task at the last place that must be submitted before it is retired.
std::vector<TaskId> retired_behind(const TaskGraph& graph, const FrozenSchedule& lists) {
  const std::vector<TaskId>& order = graph.topological_order();
  std::vector<int> place(graph.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[index(order[i])] = static_cast<int>(i);
  const std::vector<int> needed = last_needed(graph, place, lists);
  const std::vector<TaskId> scopes = scope_ends(graph);
  std::vector<TaskId> behind(graph.size());
  for (const TaskId task : order) {
    int last = std::max(needed[index(task)], place[index(scopes[index(task)])]);
    for (const TaskId successor : graph.successors(task)) last = std::max(last, needed[index(successor)]);
    behind[index(task)] = order[static_cast<std::size_t>(last)];
  }
  return behind;
}

struct RingNeed {
  std::int64_t smallest = 0;
  TaskId from{};
  TaskId to{};
};

RingNeed smallest_ring(const TaskGraph& graph, const std::vector<std::int64_t>& ends, const std::vector<TaskId>& behind) {
  std::vector<std::size_t> place(graph.size());
  for (std::size_t at = 0; const TaskId task : graph.topological_order()) place[index(task)] = at++;
  RingNeed need;
  for (const TaskId task : graph.topological_order()) {
    const std::int64_t span = ends[place[index(behind[index(task)])] + 1] - ends[place[index(task)]];
    if (span > need.smallest) need = {span, task, behind[index(task)]};
  }
  return need;
}

}  // namespace

WindowNeed smallest_window(const TaskGraph& graph, const FrozenSchedule& lists) {
  std::vector<std::int64_t> ends(graph.size() + 1);
  std::iota(ends.begin(), ends.end(), 0);
  const RingNeed need = smallest_ring(graph, ends, retired_behind(graph, lists));
  return need.smallest > 1 ? WindowNeed{static_cast<int>(need.smallest), need.from, need.to} : WindowNeed{};
}

bool in_list_order(const Design& design) { return runtime_of(design).id == RuntimeId::kStaticQueues; }

std::optional<std::string> window_deadlock(const TaskGraph& graph, const Design& design, const FrozenSchedule& lists) {
  const std::vector<Ring> all = rings(graph, design);
  if (all.empty()) return std::nullopt;
  const std::vector<TaskId> behind = in_list_order(design) ? retired_behind(graph, lists) : retired_behind(graph, {});
  const std::vector<TaskId> scopes = scope_ends(graph);
  const auto name = [&graph](TaskId task) { return "'" + std::string(graph.name(task)) + "'"; };
  for (const Ring& ring : all) {
    const RingNeed need = smallest_ring(graph, ring.ends, behind);
    if (ring.size >= need.smallest) continue;
    const bool kib = ring.axis == "heap_kib";
    const std::string size = std::to_string(kib ? ring.size >> 10 : ring.size);
    const std::string smallest = std::to_string(kib ? (need.smallest + 1023) >> 10 : need.smallest);
    const std::string is = ring.axis == "window" ? "a window of " + size + " tasks"
                           : kib                 ? "a heap ring of " + size + " KiB"
                                                 : "a pool of " + size + " dependencies";
    const std::string right = "; the smallest " + std::string(ring.axis) + " that works is " + smallest;
    if (need.from == need.to) return is + " is too small for the graph: " + name(need.from) + " does not fit in by itself" + right;
    const bool successor = std::ranges::any_of(graph.successors(need.from), [&](TaskId task) { return task == need.to; });
    const std::string needs = successor                             ? "its successor " + name(need.to) + " has completed"
                              : scopes[index(need.from)] == need.to ? name(need.to) + ", the last of its scope, is submitted"
                                                                    : name(need.to) +
                                                                          " has, which stands before it, or before a successor of it, in "
                                                                          "the frozen lists";
    return is + " is too small for the graph: " + name(need.to) + " waits to be submitted until " + name(need.from) + " is retired, " +
           name(need.from) + " is not retired before " + needs + ", and " + name(need.to) + " cannot complete before it is submitted" +
           right;
  }
  return std::nullopt;
}

}  // namespace tasktwin
