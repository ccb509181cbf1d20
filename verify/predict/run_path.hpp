#pragma once

#include <cstdint>
#include <string_view>

#include "models/design/design.hpp"
#include "models/explain/idle_time.hpp"
#include "models/explain/observed_path.hpp"
#include "models/run/timeline.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// The observed critical path of a run of `scenario` under `design`, predicted or measured; what a body took beyond its time
/// on an otherwise idle machine counts as bandwidth.
ObservedPath path_of(const scenarios::Scenario& scenario, const Design& design, const Timeline& timeline, std::uint64_t seed);

/// Likewise why its cores ran no bodies.
IdleTime idle_of(const scenarios::Scenario& scenario, const Design& design, const Timeline& timeline);

/// Throws InternalError where what causes of `whole` sum up to is something else.
void check_sum(std::string_view causes, Duration sum, Duration whole, const scenarios::Scenario& scenario, const Design& design);

}  // namespace tasktwin::verify
