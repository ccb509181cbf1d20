#pragma once

#include <cstdint>

#include "models/cost/body_cost.hpp"

namespace tasktwin {

/// Whether bodies of the kernel differ by chance.
inline bool spreads(const KernelCost& kernel) { return kernel.spread > Nanoseconds{0} || kernel.varies > 0; }

/// `cost`, a body's, as that of one of a task's blocks: its overhead and all else longer or shorter by one draw from the normal
/// distribution, which depends on `seed`, the task's TaskGraph::draw and the block alone.
BodyCost drawn_body(const KernelCost& kernel, BodyCost cost, std::uint64_t seed, std::uint32_t draw, std::uint32_t block);

}  // namespace tasktwin
