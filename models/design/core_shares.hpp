#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/kernel.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// Design::partition divides the cores of each type into two shares: the first for kernels that keep a matrix unit busy, as AIC cores are,
/// the second for all others, as AIV cores are. Executor and simulator take both from here. Design::sets makes a share of each set, by its
/// place among them, and behind those one of the cores that are in none.
inline constexpr int kShares = 2;

/// Sets and what they leave.
inline constexpr int kMostShares = 16;

/// How many shares there are: one where nothing is divided.
inline int share_count(const Design& design) {
  return design.partition != 0 ? kShares : design.sets.empty() ? 1 : static_cast<int>(design.sets.size()) + 1;
}

/// The share whose cores run `kernel` under a partition; 0 without one. Of sets: models/shares/task_shares.hpp.
constexpr int share_of(const Design& design, Kernel kernel) { return design.partition == 0 || is_matrix_kernel(kernel) ? 0 : 1; }

/// The fewest of `count` cores that are `percent` of them.
int cores_asked_for(int count, int percent);

/// Of `count` cores of one type, those of the first share: what is asked for, and more until they are whole groups of the machine's
/// launch_limits.partition_granularity. All of them, or more, where nothing would be left for the second.
int first_share(int count, const Design& design, const Machine& machine);

/// The share of each of `cores`, by CoreId: under a partition the lowest of each type are the first share; under sets a core that several
/// hold is the first's. All in share 0 where nothing is divided.
std::vector<std::uint8_t> core_shares(std::span<const CoreType> cores, const Design& design, const Machine& machine);

}  // namespace tasktwin
