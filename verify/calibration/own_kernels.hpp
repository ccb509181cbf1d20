#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/load/scenario.hpp"
#include "scenarios/tasks/kernel_costs.hpp"
#include "verify/calibration/probes/probes.hpp"

namespace tasktwin::verify {

/// The costs of the kernels that `scenario` brings along, from its own tasks: of each size alone and as many side by side as the scenario
/// has, cold, in workers that stay on the multiprocessors and in kernels launched for them; of kernels that workers do not run, and of
/// tasks of several blocks, in launched ones. Other constants are those of the scenario's machine. Throws InputError where the scenario
/// brings none along, or has no task of one. `registers`: of a thread of each, where they are known.
scenarios::KernelCosts calibrate_own_kernels(const scenarios::Scenario& scenario, const std::string& date,
                                             std::function<void(std::string_view)> progress, CalibrationBackend backend,
                                             const std::vector<int>& registers = {});

}  // namespace tasktwin::verify
