#include "models/checks/groups/group_search.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "models/policies/device_placement.hpp"
#include "models/runtimes/runtimes.hpp"
#include "models/shares/task_shares.hpp"

namespace tasktwin {

namespace {

constexpr std::size_t kMostPaired = 48;   ///< groups of which all pairs are tried
constexpr std::size_t kMostTripled = 16;  ///< and all triples
constexpr std::size_t kAllOrders = 5;     ///< kernels of which all orders are tried
constexpr std::size_t kSomeOrders = 16;   ///< of more, turned on one by one, and backward
constexpr int kMostOrders = 20'000;       ///< of all searches together
constexpr int kMostDivisions = 2000;

BlockSeats empty_seats(const Machine& machine, const Design& design) {
  const std::vector<CoreType> cores = worker_cores(design, machine);
  return {machine.core_limits, machine.compute_cores, cores, core_shares(cores, design, machine)};
}

}  // namespace

GroupSearch::GroupSearch(const TaskGraph& graph, const Machine& machine, const Design& design, const std::vector<TaskGroup>& groups)
    : order_(graph, design, groups), orders_(kMostOrders), empty_(empty_seats(machine, design)) {
  if (design.stream_priorities != StreamPriorities::kNone && runtime_of(design).streams())
    parts_ = std::max(1, machine.launch_limits.priorities);
  add_members(graph, machine, design, groups);
  find_pools(graph, machine, design);
}

void GroupSearch::add_members(const TaskGraph& graph, const Machine& machine, const Design& design, const std::vector<TaskGroup>& groups) {
  const TaskShares shares(graph, design);
  for (const TaskGroup& group : groups) {
    std::vector<Member>& members = groups_.emplace_back();
    for (const TaskId id : group) {
      members.push_back({.task = id, .claim = claim_of(graph, machine, design, shares, id)});
    }
  }
}

void GroupSearch::find_pools(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const bool several = machine.devices.count() > 1;
  const auto devices = several ? place_on_devices(graph, machine, design) : std::vector<std::int32_t>(graph.size(), 0);
  const std::vector<CoreType> cores = worker_cores(design, machine);
  const std::vector<std::uint8_t> shares = core_shares(cores, design, machine);
  bool types_mix = false;
  for (const std::vector<Member>& members : groups_) {
    for (const Member& member : members)
      types_mix = types_mix || member.claim.type == CoreType::kMix || member.claim.other != member.claim.type;
  }
  std::map<std::tuple<std::int32_t, int, CoreType>, std::size_t> numbers;
  for (std::vector<Member>& members : groups_) {
    for (Member& member : members) {
      CoreClaim& claim = member.claim;
      const Pool pool{.device = devices[index(member.task)], .share = claim.share, .type = types_mix ? CoreType{} : claim.type};
      const auto [at, is_new] = numbers.emplace(std::tuple{pool.device, pool.share, pool.type}, pools_.size());
      if (is_new) {
        pools_.push_back(pool);
        for (std::size_t core = 0; core < cores.size(); ++core)
          pools_.back().cores += cores[core] == claim.type && shares[core] == claim.share ? 1 : 0;
      }
      member.pool = at->second;
      Pool& its = pools_[member.pool];
      its.plain = its.plain && !types_mix && claim.needs.whole_core && claim.cluster == 1;
      if (is_collective(graph[member.task].operation)) claim.blocks = std::min(claim.blocks, its.cores);
    }
  }
}

bool GroupSearch::may_begin(std::size_t group, std::size_t member, std::span<const std::size_t> chosen) const {
  return std::ranges::none_of(chosen, [&](std::size_t other) { return order_.behind(group, member, other); });
}

std::vector<int> GroupSearch::placed(std::span<const Asking> order) const {
  std::vector<const CoreClaim*> claims;
  for (const Asking& one : order) claims.push_back(&one.member->claim);
  return place_in_line(empty_, claims);
}

bool GroupSearch::misses(std::span<const Asking> order, const Few& few) const {
  const std::vector<int> there = placed(order);
  return std::ranges::all_of(few, [&](std::size_t group) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i].of == group && there[i] < order[i].member->claim.blocks) return true;
    }
    return false;
  });
}

/// Those that are kept out, the smallest of each group, come last, the largest of them first. `taken`: how many blocks can be there then.
std::optional<std::vector<GroupSearch::Asking>> GroupSearch::smallest_last(std::span<const Asking> asking, const Few& few,
                                                                           int& taken) const {
  std::vector<Asking> out;
  for (const std::size_t group : few) {
    const Asking* least = nullptr;
    for (const Asking& one : asking) {
      if (one.of == group && (least == nullptr || one.member->claim.blocks < least->member->claim.blocks)) least = &one;
    }
    if (least == nullptr) return std::nullopt;
    out.push_back(*least);
  }
  std::ranges::stable_sort(out, std::greater{}, [](const Asking& one) { return one.member->claim.blocks; });
  std::vector<Asking> order;
  taken = 0;
  for (const Asking& one : asking) {
    if (std::ranges::find(out, one.member, &Asking::member) != out.end()) continue;
    taken += one.member->claim.blocks;
    order.push_back(one);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i < static_cast<std::size_t>(parts_)) taken += out[i].member->claim.blocks - 1;
    order.push_back(out[i]);
  }
  return order;
}

std::optional<std::vector<GroupSearch::Asking>> GroupSearch::keeping_from(std::size_t pool, std::span<const Asking> asking,
                                                                          const Few& few) const {
  int taken = 0;
  const auto smallest = smallest_last(asking, few, taken);
  if (pools_[pool].plain) return smallest && taken >= pools_[pool].cores ? smallest : std::nullopt;
  if (!smallest || misses(*smallest, few)) return smallest;
  std::vector<std::size_t> places(asking.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::vector<Asking> order(asking.begin(), asking.end());
  const auto try_order = [&] {
    for (std::size_t i = 0; i < places.size(); ++i) order[i] = asking[places[i]];
    return misses(order, few);
  };
  if (places.size() <= kAllOrders) {
    do {
      if (try_order()) return order;
    } while (has_order_left() && std::ranges::next_permutation(places).found);
    return std::nullopt;
  }
  for (std::size_t turn = 0; turn < std::min(places.size(), kSomeOrders) && has_order_left(); ++turn) {
    std::ranges::rotate(places, places.begin() + 1);
    if (try_order()) return order;
    std::ranges::reverse(places);
    if (try_order()) return order;
    std::ranges::reverse(places);
  }
  return std::nullopt;
}

bool GroupSearch::divide(const Few& groups, std::size_t next, const Asked& asked, std::vector<Few>& kept, int& steps) const {
  if (next == groups.size()) return true;
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    if (std::ranges::find(asked[pool], groups[next], &Asking::of) == asked[pool].end()) continue;
    if (steps-- <= 0) return false;
    kept[pool].push_back(groups[next]);
    if (keeping_from(pool, asked[pool], kept[pool]) && divide(groups, next + 1, asked, kept, steps)) return true;
    kept[pool].pop_back();
  }
  return false;
}

std::optional<GroupSearch::Held> GroupSearch::stuck(std::span<const std::size_t> chosen) const {
  Held held{.groups = {chosen.begin(), chosen.end()}};
  Asked asked(pools_.size());
  Few whole;  // those that all may begin
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    const std::vector<Member>& members = groups_[chosen[at]];
    std::size_t able = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!may_begin(chosen[at], i, chosen)) {
        held.without.push_back(members[i].task);
        continue;
      }
      ++able;
      if (members[i].claim.blocks > 0) asked[members[i].pool].push_back({&members[i], at});
    }
    if (able == 0) return std::nullopt;
    if (able == members.size()) whole.push_back(at);
  }
  if (whole.empty()) return std::nullopt;  // they wait for each other in a circle, whatever the cores
  std::vector<Few> kept(pools_.size());
  int steps = kMostDivisions;
  if (!divide(whole, 0, asked, kept, steps)) return std::nullopt;
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    const auto order = kept[pool].empty() ? asked[pool] : *keeping_from(pool, asked[pool], kept[pool]);
    const std::vector<int> there = placed(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (there[i] > 0) held.holders.push_back(order[i].member->task);
      if (there[i] < order[i].member->claim.blocks) held.without.push_back(order[i].member->task);
    }
  }
  std::ranges::sort(held.holders);
  std::ranges::sort(held.without);
  return held;
}

std::optional<GroupSearch::Held> GroupSearch::fewest() const {
  const std::size_t paired = std::min(groups_.size(), kMostPaired);
  for (std::size_t a = 0; a < paired; ++a) {
    for (std::size_t b = a + 1; b < paired; ++b) {
      if (auto held = stuck(std::array{a, b})) return held;
    }
  }
  const std::size_t tripled = groups_.size() <= kMostTripled ? groups_.size() : 0;
  for (std::size_t a = 0; a < tripled; ++a) {
    for (std::size_t b = a + 1; b < tripled; ++b) {
      for (std::size_t c = b + 1; c < tripled; ++c) {
        if (auto held = stuck(std::array{a, b, c})) return held;
      }
    }
  }
  // All that can hold something together, from one on; then without those that are not needed.
  for (std::size_t first = 0; first + 1 < groups_.size() && first < kMostPaired; ++first) {
    std::vector<std::size_t> chosen;
    for (std::size_t group = first; group < groups_.size(); ++group) {
      chosen.push_back(group);
      bool begins = false;
      for (std::size_t i = 0; i < groups_[group].size(); ++i) begins = begins || may_begin(group, i, chosen);
      if (!begins) chosen.pop_back();
    }
    if (chosen.size() < 2) continue;  // one that does not fit by itself, or waits for itself, is found by the checks of room and of circles
    auto held = stuck(chosen);
    for (std::size_t i = chosen.size(); held && i-- > 0 && chosen.size() > 2;) {
      std::vector<std::size_t> fewer = chosen;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (auto less = stuck(fewer)) {
        held = std::move(less);
        chosen = std::move(fewer);
      }
    }
    if (held) return held;
  }
  return std::nullopt;
}

}  // namespace tasktwin
