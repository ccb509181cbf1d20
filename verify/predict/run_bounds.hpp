#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/internal_error.hpp"
#include "models/bounds/bounds.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// What bodies of a captured program take, by TaskId; empty for as the machine says.
std::vector<Duration> captured_bodies(const scenarios::Scenario& scenario);

/// Of the scenario's run with `seed`, held against what it took where that is known. Throws InternalError, naming scenario and bound, if
/// that is less than a bound.
Bounds bounds_of(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed, std::optional<Duration> makespan = {});

/// Of `makespans`, in ns, of runs with the scenario's seed and the next ones, the first that lies below its run's bound, in words; empty
/// where none does.
std::string below_bound(const scenarios::Scenario& scenario, const Design& design, std::span<const double> makespans);

/// The same fault, with the scenario's name.
InternalError in_scenario(const scenarios::Scenario& scenario, const InternalError& fault);

}  // namespace tasktwin::verify
