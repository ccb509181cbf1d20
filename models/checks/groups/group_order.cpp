#include "models/checks/groups/group_order.hpp"

#include <algorithm>

#include "models/checks/groups/launch_followers.hpp"

namespace tasktwin {

namespace {

constexpr std::size_t kGroupBits = 64;

void unite(std::vector<std::uint64_t>& bits, const std::vector<std::uint64_t>& others) {
  for (std::size_t word = 0; word < bits.size(); ++word) bits[word] |= others[word];
}

}  // namespace

GroupOrder::GroupOrder(const TaskGraph& graph, const Design& design, const std::vector<TaskGroup>& groups) {
  const std::vector<Bits> before = reach(graph, design, groups);
  for (const TaskGroup& group : groups) {
    Bits& any = direct_.emplace_back((groups.size() + kGroupBits - 1) / kGroupBits);
    std::vector<Bits>& members = all_.emplace_back();
    for (const TaskId task : group) {
      members.push_back(before[index(task)]);
      unite(any, before[index(task)]);
    }
  }
  close();
}

bool GroupOrder::has(const Bits& bits, std::size_t at) { return (bits[at / kGroupBits] >> (at % kGroupBits) & 1) != 0; }

/// By TaskId: the groups of which some task ends before.
std::vector<GroupOrder::Bits> GroupOrder::reach(const TaskGraph& graph, const Design& design, const std::vector<TaskGroup>& groups) const {
  std::vector<Bits> before(graph.size(), Bits((groups.size() + kGroupBits - 1) / kGroupBits));
  std::vector<std::size_t> group_of(graph.size(), groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const TaskId task : groups[g]) group_of[index(task)] = g;
  }
  const LaunchFollowers launches(graph, design);
  const auto pass = [&](TaskId from, TaskId to) {
    unite(before[index(to)], before[index(from)]);
    if (const std::size_t g = group_of[index(from)]; g < groups.size())
      before[index(to)][g / kGroupBits] |= std::uint64_t{1} << (g % kGroupBits);
  };
  for (const TaskId task : launches.order) {
    for (const TaskId predecessor : graph.predecessors(task)) pass(predecessor, task);
    for (const TaskId next : launches.later[index(task)]) pass(task, next);
  }
  return before;
}

/// A group ends only where those end behind which any of its tasks are.
void GroupOrder::close() {
  std::vector<Bits> needs = direct_;
  for (std::size_t through = 0; through < needs.size(); ++through) {
    for (Bits& its : needs) {
      if (has(its, through)) unite(its, needs[through]);
    }
  }
  for (std::vector<Bits>& members : all_) {
    for (Bits& bits : members) {
      const Bits direct = bits;
      for (std::size_t g = 0; g < needs.size(); ++g) {
        if (has(direct, g)) unite(bits, needs[g]);
      }
    }
  }
}

std::vector<std::size_t> GroupOrder::circle() const {
  const std::size_t count = direct_.size();
  std::vector<std::size_t> shortest;
  for (std::size_t start = 0; start < count; ++start) {
    std::vector<std::size_t> from(count, count);
    std::vector<std::size_t> reached{start};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (std::size_t next = 0; next < count; ++next) {
        if (!has(direct_[next], reached[i])) continue;
        if (next == start) {
          std::vector<std::size_t> found{reached[i]};
          while (found.back() != start) found.push_back(from[found.back()]);
          std::ranges::reverse(found);
          if (shortest.empty() || found.size() < shortest.size()) shortest = found;
        } else if (from[next] == count) {
          from[next] = reached[i];
          reached.push_back(next);
        }
      }
    }
  }
  return shortest;
}

}  // namespace tasktwin
