#include "models/checks/group_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "models/cost/collective_flows.hpp"
#include "models/policies/device_placement.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"
#include "models/shares/task_shares.hpp"

namespace tasktwin {

namespace {

constexpr std::size_t kGroupBits = 64;
constexpr std::size_t kMostPaired = 48;  ///< groups of which all pairs are tried

bool has_bit(const std::vector<std::uint64_t>& bits, std::size_t at) { return (bits[at / kGroupBits] >> (at % kGroupBits) & 1) != 0; }

/// By stream, the tasks that it runs one after the other; none where kernels are ordered by dependencies alone.
std::vector<std::vector<TaskId>> tasks_by_stream(const TaskGraph& graph, const Design& design) {
  std::vector<std::vector<TaskId>> streams;
  const bool captured = runtime_of(design).graph() && design.graph_source == GraphSource::kCapture;
  if (!captured && (!runtime_of(design).streams() || design.stream_wait == StreamWait::kProgram)) return streams;
  const std::vector<std::uint32_t> stream = assign_streams(graph, design);
  for (std::size_t at = 0; const TaskId task : launch_order(graph)) {
    if (stream[at] >= streams.size()) streams.resize(stream[at] + 1);
    streams[stream[at++]].push_back(task);
  }
  return streams;
}

}  // namespace

GroupSearch::GroupSearch(const TaskGraph& graph, const Machine& machine, const Design& design, std::vector<TaskGroup> groups)
    : graph_(graph), design_(design) {
  for (const TaskGroup& group : groups) {
    std::vector<Member>& members = groups_.emplace_back();
    for (const TaskId task : group) members.push_back({.task = task});
  }
  const bool several = machine.devices.count() > 1;
  add_members(machine, several ? place_on_devices(graph, machine, design) : std::vector<std::int32_t>(graph.size(), 0));
  const std::vector<CoreType> cores = worker_cores(design, machine);
  empty_.assign(static_cast<std::size_t>(machine.devices.count()),
                BlockSeats(machine.core_limits, machine.compute_cores, cores, core_shares(cores, design, machine)));
  find_order(tasks_by_stream(graph, design));
}

void GroupSearch::add_members(const Machine& machine, const std::vector<std::int32_t>& devices) {
  const TaskShares shares(graph_, design_);
  for (std::vector<Member>& members : groups_) {
    for (Member& member : members) {
      const Task& task = graph_[member.task];
      const TaskTraits& traits = graph_.traits(member.task);
      const bool rank = is_collective(task.operation);
      member.device = devices[index(member.task)];
      member.needs = rank ? BlockNeeds{.whole_core = true} : block_needs(traits, machine.core_limits);
      member.blocks = rank ? rank_blocks(machine, task.cost.bytes.count, design_.collective_blocks) : traits.blocks;
      member.cluster = rank ? 1 : traits.cluster;
      member.share = shares.of(member.task);
      member.at_once = rank || traits.cooperative;
    }
  }
}

/// Along dependencies and streams.
void GroupSearch::find_order(const std::vector<std::vector<TaskId>>& in_stream) {
  const Bits none((groups_.size() + kGroupBits - 1) / kGroupBits);
  behind_.assign(graph_.size(), none);
  std::vector<std::size_t> group_of(graph_.size(), groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const Member& member : groups_[g]) group_of[index(member.task)] = g;
  }
  std::vector<TaskId> next(graph_.size(), TaskId{static_cast<std::uint32_t>(graph_.size())});
  for (const std::vector<TaskId>& stream : in_stream) {
    for (std::size_t i = 1; i < stream.size(); ++i) next[index(stream[i - 1])] = stream[i];
  }
  const auto pass = [&](TaskId from, TaskId to) {
    for (std::size_t word = 0; word < none.size(); ++word) behind_[index(to)][word] |= behind_[index(from)][word];
    if (const std::size_t g = group_of[index(from)]; g < groups_.size())
      behind_[index(to)][g / kGroupBits] |= std::uint64_t{1} << (g % kGroupBits);
  };
  for (const TaskId task : in_stream.empty() ? graph_.topological_order() : launch_order(graph_)) {
    for (const TaskId before : graph_.predecessors(task)) pass(before, task);
    if (index(next[index(task)]) < graph_.size()) pass(task, next[index(task)]);  // which is launched later
  }
}

std::vector<std::size_t> GroupSearch::circle() const {
  const std::size_t count = groups_.size();
  std::vector<std::vector<std::size_t>> after(count);  // the groups that wait for this one's end
  for (std::size_t g = 0; g < count; ++g) {
    for (std::size_t waits = 0; waits < count; ++waits) {
      if (std::ranges::any_of(groups_[waits], [&](const Member& member) { return has_bit(behind_[index(member.task)], g); }))
        after[g].push_back(waits);
    }
  }
  std::vector<std::size_t> shortest;
  for (std::size_t start = 0; start < count; ++start) {
    std::vector<std::size_t> from(count, count);
    std::vector<std::size_t> reached{start};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const std::size_t next : after[reached[i]]) {
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

bool GroupSearch::may_begin(const Member& member, std::span<const std::size_t> chosen) const {
  return std::ranges::none_of(chosen, [&](std::size_t group) { return has_bit(behind_[index(member.task)], group); });
}

/// Returns how many found room.
int GroupSearch::place(std::vector<BlockSeats>& seats, const Member& member, int blocks) const {
  BlockSeats& on = seats[static_cast<std::size_t>(member.device)];
  const CoreType type = graph_[member.task].core_type;
  std::vector<CoreId> taken;
  int placed = 0;
  while (placed < blocks) {
    if (member.cluster > 1) {
      if (!on.take_cluster(type, member.needs, member.cluster, member.share, taken)) break;
      placed += member.cluster;
      continue;
    }
    const CoreId core = on.take(type, member.needs, member.share);
    if (core == kNoCore) break;
    taken.push_back(core);
    ++placed;
  }
  if (!member.at_once || placed >= blocks) return placed;
  for (const CoreId core : taken) on.give_back(core, type, member.needs);
  return 0;
}

bool GroupSearch::all_fit(std::span<const std::size_t> chosen) const {
  std::vector<BlockSeats> seats = empty_;
  for (const std::size_t group : chosen) {
    for (const Member& member : groups_[group]) {
      if (place(seats, member, member.blocks) < member.blocks) return false;
    }
  }
  return true;
}

/// Each group but for one block of one member, or one that is there at once, which is the `turn`-th of its members that may begin, counted
/// on by group; of a group of which some member cannot begin all others.
std::optional<GroupSearch::Held> GroupSearch::fill(std::span<const std::size_t> chosen, std::size_t turn) const {
  struct Part {
    const Member* member;
    std::size_t of;  ///< of `chosen`
    int left;
    int kept_back;
  };
  std::vector<Part> parts;
  std::vector<bool> waits(chosen.size());
  Held held;
  for (std::size_t at = 0; at < chosen.size(); ++at) {
    const std::vector<Member>& members = groups_[chosen[at]];
    const auto begins = [&](const Member& member) { return may_begin(member, chosen); };
    const auto able = static_cast<std::size_t>(std::ranges::count_if(members, begins));
    waits[at] = able < members.size();
    for (std::size_t nth = 0; const Member& member : members) {
      if (!begins(member)) {
        held.without.push_back(member.task);
        continue;
      }
      const bool last = !waits[at] && nth++ == (turn + at) % able;
      const int kept_back = !last ? 0 : member.at_once ? member.blocks : member.cluster;
      parts.push_back({&member, at, member.blocks - kept_back, kept_back});
    }
  }
  std::vector<BlockSeats> seats = empty_;
  std::vector<bool> holds(chosen.size());
  for (bool more = true; more;) {
    more = false;
    for (Part& part : parts) {  // a block of each in turn, so that all have some
      if (part.left == 0) continue;
      const int placed = place(seats, *part.member, part.member->at_once ? part.left : part.member->cluster);
      part.left -= placed;
      more |= placed > 0;
      holds[part.of] = holds[part.of] || placed > 0;
    }
  }
  for (const Part& part : parts) {
    if (part.left + part.kept_back == 0) continue;
    std::vector<BlockSeats> after = seats;
    if (part.left == 0 && place(after, *part.member, part.kept_back) > 0) return std::nullopt;
    held.without.push_back(part.member->task);
    waits[part.of] = true;
  }
  if (std::ranges::find(holds, false) != holds.end() || std::ranges::find(waits, false) != waits.end()) return std::nullopt;
  held.groups.assign(chosen.begin(), chosen.end());
  for (const Part& part : parts) {
    if (part.left < part.member->blocks - part.kept_back) held.holders.push_back(part.member->task);
  }
  return held;
}

std::optional<GroupSearch::Held> GroupSearch::stuck(std::span<const std::size_t> chosen) const {
  if (all_fit(chosen)) return std::nullopt;
  std::size_t turns = 1;
  for (const std::size_t group : chosen) turns = std::max(turns, groups_[group].size());
  for (std::size_t turn = 0; turn < std::min<std::size_t>(turns, 2 * empty_.size() + 2); ++turn) {
    if (auto held = fill(chosen, turn)) return held;
  }
  return std::nullopt;
}

std::optional<GroupSearch::Held> GroupSearch::fewest() const {
  const std::size_t paired = std::min(groups_.size(), kMostPaired);
  for (std::size_t a = 0; a < paired; ++a) {
    for (std::size_t b = a + 1; b < paired; ++b) {
      if (auto held = stuck(std::array{a, b})) return held;
    }
  }
  // All that can hold something together, from one on; then without those that are not needed.
  for (std::size_t first = 0; first + 1 < groups_.size() && first < kMostPaired; ++first) {
    std::vector<std::size_t> chosen;
    for (std::size_t group = first; group < groups_.size(); ++group) {
      chosen.push_back(group);
      const auto begins = [&](const Member& member) { return may_begin(member, chosen); };
      if (std::ranges::none_of(groups_[group], begins)) chosen.pop_back();
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
