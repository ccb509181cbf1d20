#include "models/checks/groups/held_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include "models/checks/groups/core_line.hpp"
#include "models/checks/groups/launch_followers.hpp"
#include "models/policies/device_placement.hpp"

namespace tasktwin {

namespace {

/// Visits of tasks, for all groups together.
constexpr std::size_t kMostVisits = 50'000'000;

class Search {
 public:
  Search(const TaskGraph& graph, const Machine& machine, const Design& design)
      : graph_(graph),
        machine_(machine),
        design_(design),
        shares_(graph, design),
        launches_(graph, design),
        empty_(machine.core_limits, machine.compute_cores, worker_cores(design, machine),
               core_shares(worker_cores(design, machine), design, machine)),
        devices_(machine.devices.count() > 1 ? place_on_devices(graph, machine, design) : std::vector<std::int32_t>(graph.size(), 0)) {}

  std::optional<HeldKernel> beside(const TaskGroup& group) const {
    std::vector<bool> behind(graph_.size(), false);  // a task of the group, or needs the end of one
    for (const TaskId task : group) behind[index(task)] = true;
    follow(launches_.order, behind);
    std::map<std::tuple<std::uint32_t, CoreType, int, std::int32_t>, bool> room;  // beside all of the group, by what a kernel asks for
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const TaskId kernel = task_id(i);
      const Task& task = graph_[kernel];
      if (behind[i] || task.operation != Operation::kKernel) continue;
      const auto [known, is_new] = room.try_emplace({task.traits, task.core_type, shares_.of(kernel), devices_[i]}, false);
      if (is_new) known->second = has_room(on_device_of(group, kernel), kernel);
      if (known->second) continue;
      if (auto held = held_by(group, kernel)) return held;
    }
    return std::nullopt;
  }

 private:
  void follow(const std::vector<TaskId>& order, std::vector<bool>& marks) const {
    for (const TaskId task : order) {
      if (!marks[index(task)]) continue;
      for (const TaskId next : graph_.successors(task)) marks[index(next)] = true;
      for (const TaskId next : launches_.later[index(task)]) marks[index(next)] = true;
    }
  }

  std::vector<TaskId> on_device_of(const TaskGroup& group, TaskId kernel) const {
    std::vector<TaskId> there;
    for (const TaskId task : group) {
      if (devices_[index(task)] == devices_[index(kernel)]) there.push_back(task);
    }
    return there;
  }

  /// Contract: there is no room for it beside all of the group that are on its device.
  std::optional<HeldKernel> held_by(const TaskGroup& group, TaskId kernel) const {
    std::vector<TaskId> beside = on_device_of(group, kernel);
    std::vector<bool> waits(graph_.size(), false);  // for its end
    waits[index(kernel)] = true;
    follow(launches_.order, waits);
    HeldKernel held{.kernel = kernel};
    for (const TaskId task : group) {
      if (waits[index(task)]) held.without.push_back(task);
    }
    std::erase_if(beside, [&waits](TaskId task) { return waits[index(task)]; });
    held.holders = beside;
    if (!held.without.empty()) {
      held.ahead = true;
      return !beside.empty() && !has_room(beside, kernel) ? std::optional(held) : std::nullopt;
    }
    for (const TaskId last : beside) {  // comes behind it, for cores of the same type and share
      if (shares_.of(last) != shares_.of(kernel) || graph_[last].core_type != graph_[kernel].core_type) continue;
      std::vector<TaskId> first = beside;
      std::erase(first, last);
      if (first.empty() || has_room(first, kernel)) continue;
      held.holders = first;
      held.without = {last};
      return held;
    }
    return std::nullopt;
  }

  /// Of a kernel whose blocks may end one by one for a block or cluster, of another for all, when those have come.
  bool has_room(const std::vector<TaskId>& there, TaskId kernel) const {
    std::vector<CoreClaim> claims;
    claims.reserve(there.size() + 1);
    for (const TaskId task : there) claims.push_back(claim_of(graph_, machine_, design_, shares_, task));
    claims.push_back(claim_of(graph_, machine_, design_, shares_, kernel));
    std::vector<const CoreClaim*> line;
    line.reserve(claims.size());
    for (const CoreClaim& claim : claims) line.push_back(&claim);
    return place_in_line(empty_, line).back() > 0;
  }

  const TaskGraph& graph_;
  const Machine& machine_;
  const Design& design_;
  TaskShares shares_;
  LaunchFollowers launches_;
  BlockSeats empty_;
  std::vector<std::int32_t> devices_;
};

}  // namespace

std::optional<HeldKernel> find_held_kernel(const TaskGraph& graph, const Machine& machine, const Design& design,
                                           const std::vector<TaskGroup>& groups) {
  if (groups.empty() || graph.size() > kMostVisits / groups.size()) return std::nullopt;
  const Search search(graph, machine, design);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    if (auto held = search.beside(groups[group])) {
      held->group = group;
      return held;
    }
  }
  return std::nullopt;
}

}  // namespace tasktwin
