#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/kernel.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// Design::partition divides the cores of each type into two shares: the first for kernels that keep a matrix unit busy, as AIC cores are,
/// the second for all others, as AIV cores are. Executor and simulator take both from here.
inline constexpr int kShares = 2;

/// The share whose cores run `kernel`; 0 without a partition.
constexpr int share_of(const Design& design, Kernel kernel) { return design.partition == 0 || is_matrix_kernel(kernel) ? 0 : 1; }

/// The fewest of `count` cores that are `percent` of them.
int cores_asked_for(int count, int percent);

/// Of `count` cores of one type, those of the first share: what is asked for, and more until they are whole groups of the machine's
/// launch_limits.partition_granularity. All of them, or more, where nothing would be left for the second.
int first_share(int count, const Design& design, const Machine& machine);

/// The share of each of `cores`, by CoreId: of each type the lowest are the first share. All in share 0 without a partition.
std::vector<std::uint8_t> core_shares(std::span<const CoreType> cores, const Design& design, const Machine& machine);

}  // namespace tasktwin
