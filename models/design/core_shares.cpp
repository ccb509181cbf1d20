#include "models/design/core_shares.hpp"

#include <algorithm>
#include <array>

namespace tasktwin {

namespace {

int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

int cores_asked_for(int count, int percent) {
  return static_cast<int>((static_cast<std::int64_t>(count) * percent + 99) / 100);  // counts go up to a million
}

int first_share(int count, const Design& design, const Machine& machine) {
  return round_up(cores_asked_for(count, design.partition), std::max(1, machine.launch_limits.partition_granularity));
}

std::vector<std::uint8_t> core_shares(std::span<const CoreType> cores, const Design& design, const Machine& machine) {
  std::vector<std::uint8_t> shares(cores.size(), static_cast<std::uint8_t>(design.sets.size()));
  for (std::size_t set = design.sets.size(); set-- > 0;) {
    const auto [first, last] = design.sets[set].cores;
    for (int core = first; core <= last && static_cast<std::size_t>(core) < cores.size(); ++core)
      shares[static_cast<std::size_t>(core)] = static_cast<std::uint8_t>(set);
  }
  if (design.partition == 0) return shares;
  std::array<int, kCoreTypeCount> left{};  // for the first share, by type
  for (const CoreType type : cores) ++left[static_cast<std::size_t>(type)];
  for (int& cores_of_type : left) cores_of_type = first_share(cores_of_type, design, machine);
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (left[static_cast<std::size_t>(cores[i])]-- <= 0) shares[i] = 1;
  }
  return shares;
}

}  // namespace tasktwin
