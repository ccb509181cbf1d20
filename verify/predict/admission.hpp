#pragma once

#include "models/design/design.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// Throws InputError for what a simulation of `scenario` under `design`, one of its own, would refuse before its run begins.
void check_admission(const scenarios::Scenario& scenario, const Design& design);

}  // namespace tasktwin::verify
