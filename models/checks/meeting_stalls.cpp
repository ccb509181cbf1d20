#include "models/checks/meeting_stalls.hpp"

#include <algorithm>

#include "models/checks/groups/group_search.hpp"
#include "models/checks/groups/held_kernel.hpp"
#include "models/checks/meetings.hpp"
#include "models/cost/collective_flows.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

constexpr std::size_t kMostGroups = 512;

std::vector<TaskGroup> meeting_list(const TaskGraph& graph) {
  std::vector<TaskGroup> groups;
  for (auto& [number, group] : meeting_groups(graph)) groups.push_back(group);
  return groups;
}

std::vector<TaskGroup> collective_list(const TaskGraph& graph) {
  std::vector<TaskGroup> groups;
  if (!graph.has_collectives()) return groups;
  for (std::vector<TaskId>& ranks : collectives_of(graph)) {
    if (ranks.size() > 1) groups.push_back(std::move(ranks));
  }
  return groups;
}

/// Of groups under a design that launches kernels; false where nothing is to be looked for.
bool several(const StallCase& c, std::vector<TaskGroup>& groups) {
  if (groups.size() > kMostGroups) groups.resize(kMostGroups);
  return groups.size() > 1 && runtime_of(c.design).of_host();
}

std::string group_words(const TaskGraph& graph, const TaskGroup& group) { return "(" + listed(graph, group) + ")"; }

std::optional<Stall> held_cores(const StallCase& c, std::vector<TaskGroup> groups, const std::string& what) {
  if (!several(c, groups)) return std::nullopt;
  const auto held = GroupSearch(c.graph, c.machine, c.design, groups).fewest();
  if (!held) return std::nullopt;
  std::string names;
  for (std::size_t i = 0; i < held->groups.size() && i < 4; ++i)
    names += (i == 0 ? "" : i + 1 == held->groups.size() ? " and " : ", ") + group_words(c.graph, groups[held->groups[i]]);
  if (held->groups.size() > 4) names += " and " + std::to_string(held->groups.size() - 4) + " others";
  const TaskGroup& first = groups[held->groups[0]];
  const TaskGroup& second = groups[held->groups[1]];
  return Stall{.holders = held->holders,
               .why = std::to_string(held->groups.size()) + " " + what + " " + names +
                      " can be on the cores at the same time, each with a part: " + listed(c.graph, held->holders) +
                      " hold cores and wait for " + listed(c.graph, held->without) + ", for which there is then no room",
               .remedy = "it is avoided where one begins after the other has ended, as by edges from all of " +
                         group_words(c.graph, first) + " to all of " + group_words(c.graph, second) +
                         ", or where both fit on the cores together"};
}

}  // namespace

std::optional<Stall> crossed_order(const StallCase& c) {
  std::vector<TaskGroup> groups = meeting_list(c.graph);
  if (groups.empty()) return std::nullopt;
  for (TaskGroup& ranks : collective_list(c.graph)) groups.push_back(std::move(ranks));
  if (!several(c, groups)) return std::nullopt;
  const std::vector<std::size_t> circle = GroupOrder(c.graph, c.design, groups).circle();
  if (circle.empty()) return std::nullopt;
  Stall stall{.why = "design '" + c.design.name + "': tasks that wait for each other while they run (meets) never all begin: "};
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const std::size_t before = circle[(i + circle.size() - 1) % circle.size()];
    stall.why += (i == 0 ? "" : ", ") + std::string("one of ") + group_words(c.graph, groups[circle[i]]) + " begins only when one of " +
                 group_words(c.graph, groups[before]) + " has ended";
    stall.holders.insert(stall.holders.end(), groups[circle[i]].begin(), groups[circle[i]].end());
  }
  return stall;
}

std::optional<Stall> stalled_meeting(const StallCase& c) {
  return held_cores(c, meeting_list(c.graph), "groups of tasks that wait for each other (meets)");
}

std::optional<Stall> stalled_collective(const StallCase& c) {
  std::vector<TaskGroup> groups = collective_list(c.graph);
  if (groups.empty()) return std::nullopt;
  for (TaskGroup& group : meeting_list(c.graph)) groups.push_back(std::move(group));
  return held_cores(c, std::move(groups), "groups of ranks, or of tasks that meet,");
}

std::optional<Stall> stalled_kernel(const StallCase& c) {
  if (!runtime_of(c.design).of_host()) return std::nullopt;
  std::vector<TaskGroup> groups = meeting_list(c.graph);
  for (TaskGroup& ranks : collective_list(c.graph)) groups.push_back(std::move(ranks));
  if (groups.size() > kMostGroups) groups.resize(kMostGroups);
  const auto held = find_held_kernel(c.graph, c.machine, c.design, groups);
  if (!held) return std::nullopt;
  const std::string kernel = "'" + std::string(c.graph.name(held->kernel)) + "'";
  const std::string holders = listed(c.graph, held->holders);
  return Stall{.holders = held->holders,
               .why = holders + " can hold cores and wait for " + listed(c.graph, held->without) +
                      (held->ahead ? ", which needs the end of " : ", which then stands in line behind ") + kernel +
                      ", for which there is no room beside " + holders,
               .remedy = "it is avoided where " + kernel + " ends before they begin, or begins when they have ended, as by an edge"};
}

}  // namespace tasktwin
