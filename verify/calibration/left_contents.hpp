#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "scenarios/load/scenario.hpp"
#include "verify/calibration/probes/probes.hpp"

namespace tasktwin::verify {

/// By name, what the buffers of a scenario's own kernels hold once its tasks have run, of those that the tasks write: what a body has to do
/// may hang on what others have found. Empty where no design runs the scenario, and where nothing is kept of a run.
std::map<std::string, std::vector<std::byte>> left_contents(const scenarios::Scenario& scenario, const CalibrationBackend& backend);

}  // namespace tasktwin::verify
