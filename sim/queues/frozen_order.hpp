#pragma once

#include <memory>

#include "models/policies/policies.hpp"
#include "sim/engine/run_context.hpp"

namespace tasktwin::sim {

/// The design's order; where there are frozen lists, their tasks first, in the order of their list.
std::unique_ptr<TaskOrderPolicy> order_of(const WiringInputs& inputs);

}  // namespace tasktwin::sim
