#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

/// Has every selected design take tasks in the order of the policy in the shared object `file` (models/policies/plug_in.hpp): the policy
/// ranks each graph once, with the scenario's seed or the given one, and ranks become priorities, which the simulator and the executors
/// follow. Throws InputError if the object is no policy of this interface, if the policy throws or gives other than a number for each task,
/// or if a design orders no tasks.
void apply_policy(const std::string& file, std::vector<Selection>& selections, std::optional<std::uint64_t> seed = {});

}  // namespace tasktwin::verify
