#pragma once

#include "tests/sim/random_cases.hpp"

namespace tasktwin::sim {

/// Draws what only workers that resolve by themselves take: for a shared queue its layout and claims, for frozen lists how
/// workers are notified, under a barrier the layers that tasks state; of bodies that take no share of a core, how many workers it has.
void draw_workers(RandomCase& drawn);

}  // namespace tasktwin::sim
