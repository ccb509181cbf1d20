#pragma once

#include <span>
#include <vector>

#include "models/cost/block_seats.hpp"
#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "models/shares/task_shares.hpp"

namespace tasktwin {

/// A kernel, or a rank of a collective, that asks for cores of its device.
struct CoreClaim {
  CoreType type{};
  CoreType other{};  ///< the same where it has no other
  BlockNeeds needs{};
  int blocks = 1;
  int cluster = 1;
  int share = 0;
  bool together = false;  ///< all its blocks at once, or none
};

/// What the kernel, or the rank, asks for.
CoreClaim claim_of(const TaskGraph& graph, const Machine& machine, const Design& design, const TaskShares& shares, TaskId id);

/// How many blocks of each find room where they come to a device in this order and none ends: one by one, each kernel's blocks left over
/// before all those of later kernels that could take a core of the same type and share, even of those whose blocks would fit
/// (the leftover policy, sim/streams/device.hpp).
std::vector<int> place_in_line(BlockSeats seats, std::span<const CoreClaim* const> order);

}  // namespace tasktwin
