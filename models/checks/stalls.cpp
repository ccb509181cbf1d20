#include "models/checks/stalls.hpp"

#include <array>
#include <utility>

#include "models/checks/early_stalls.hpp"
#include "models/checks/list_order.hpp"
#include "models/checks/meeting_stalls.hpp"
#include "models/checks/meetings.hpp"
#include "models/checks/task_window.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

std::optional<Stall> always(std::optional<std::string> why) {
  if (!why) return std::nullopt;
  return Stall{.why = std::move(*why)};
}

std::optional<Stall> in_lists(const StallCase& c) {
  if (c.lists.empty() || !in_list_order(c.design)) return std::nullopt;
  return always(list_deadlock(c.graph, c.lists));
}

std::optional<Stall> in_window(const StallCase& c) { return always(window_deadlock(c.graph, c.design, c.lists)); }

std::optional<Stall> without_room(const StallCase& c) { return always(meeting_fault(c.graph, c.machine, c.design)); }

constexpr auto kAlways = StallKind::Comes::kAlways;
constexpr auto kInSomeOrders = StallKind::Comes::kInSomeOrders;

constexpr std::array kKinds{
    StallKind{"lists", kAlways, "workers that take lists in order, each of which waits for a task behind another's", in_lists},
    StallKind{"window", kAlways, "tasks that hold a window, heap ring or dependency pool until others are submitted, which need its room",
              in_window},
    StallKind{"room", kAlways,
              "kernels that wait for each other while they run, or blocks of one, not all of which can ever be on the cores", without_room},
    StallKind{"crossed order", kAlways,
              "groups of kernels that wait for each other, of which each has one that begins when another group has ended", crossed_order},
    StallKind{"meeting", kInSomeOrders,
              "groups of kernels that wait for each other, some of which hold the cores that the rest of each group needs",
              stalled_meeting},
    StallKind{"collective", kInSomeOrders, "the same of collectives, whose ranks hold cores while they wait for the other devices'",
              stalled_collective},
    StallKind{"kernel between", kInSomeOrders,
              "a kernel that finds no room beside some that wait for each other, and in front of which the others of these cannot begin",
              stalled_kernel},
    StallKind{"early dispatch", kInSomeOrders,
              "tasks of which some blocks wait on cores, and which keep the cores for the others from each other", early_stall},
};

std::optional<Stall> found_by(const StallKind& kind, const StallCase& asked) {
  auto stall = kind.find(asked);
  if (stall) stall->kind = kind.name;
  return stall;
}

}  // namespace

std::span<const StallKind> stall_kinds() { return kKinds; }

std::vector<Stall> find_stalls(const StallCase& asked) {
  std::vector<Stall> found;
  for (const StallKind& kind : kKinds) {
    if (auto stall = found_by(kind, asked)) found.push_back(std::move(*stall));
  }
  return found;
}

std::optional<Stall> certain_stall(const StallCase& asked) {
  for (const StallKind& kind : kKinds) {
    if (kind.comes != kAlways) continue;
    if (auto stall = found_by(kind, asked)) return stall;
  }
  return std::nullopt;
}

std::vector<std::string> possible_stalls(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const FrozenSchedule none;
  std::vector<std::string> sentences;
  for (const StallKind& kind : kKinds) {
    if (kind.comes != kInSomeOrders) continue;
    if (const auto stall = found_by(kind, {graph, machine, design, none}))
      sentences.push_back("in some orders the run hangs: " + stall->text());
  }
  return sentences;
}

std::string listed(const TaskGraph& graph, std::span<const TaskId> tasks) {
  constexpr std::size_t kTold = 8;
  const std::size_t told = tasks.size() > kTold + 1 ? kTold : tasks.size();
  std::string names;
  for (std::size_t i = 0; i < told; ++i)
    names += (i == 0 ? "'" : i + 1 == tasks.size() ? " and '" : ", '") + std::string(graph.name(tasks[i])) + "'";
  if (told < tasks.size()) names += " and " + std::to_string(tasks.size() - told) + " others";
  return names;
}

}  // namespace tasktwin
