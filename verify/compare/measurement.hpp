#pragma once

#include <string>

#include "gpu/executor.hpp"
#include "scenarios/tasks/kernel_costs.hpp"
#include "verify/output/text/json.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {

/// Whether all tasks ran in order and the numbers that they computed are right.
bool is_right(const RecordedCase& measured);

/// What `tasktwin run` says of a scenario, with no design in it yet. `policy`: the shared object that orders its tasks; empty without one.
Json measurements_to_json(const scenarios::Scenario& scenario, const gpu::DeviceInfo& device, const std::string& policy = {});

/// What it says of a design.
Json measurement_to_json(const scenarios::Scenario& scenario, const Design& design, const RecordedCase& measured);

/// What `tasktwin calibrate` says of the machine that it has written to `output`, and of the samples after it.
Json calibrated_to_json(const Machine& machine, const std::string& output, const std::string& samples);

/// The same of the costs of a scenario's own kernels.
Json kernel_costs_to_json(const scenarios::KernelCosts& costs, const std::string& output);

}  // namespace tasktwin::verify
