#pragma once

#include <optional>
#include <string>

#include "models/run/timeline.hpp"
#include "tests/sim/random_designs.hpp"

namespace tasktwin::sim {

/// What every simulated timeline must hold, whatever the design: each task that exists runs once, for as long as its body
/// takes, on a core that can run it, after its predecessors; no core runs two at a time; gangs start together; phases follow
/// each other; work is conserved. Returns the first breach in words.
std::optional<std::string> first_breach(const RandomWorld& world, const Timeline& timeline);

}  // namespace tasktwin::sim
