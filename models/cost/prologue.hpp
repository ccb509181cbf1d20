#pragma once

#include "models/cost/body_cost.hpp"

namespace tasktwin {

// The part of a task that needs none of its predecessors: descriptors, barriers, weights, which a kernel has before griddepcontrol.wait.
// Its body begins when both are over, it and what the task waits for. Where nobody does it ahead it is the body's first part.

bool has_prologue(const TaskTraits& traits);

/// Of a block, by itself.
BodyCost prologue_cost(const TaskTraits& traits);

/// On an otherwise idle machine: what body_cost() and expected_cost() have of it in their overhead.
Duration prologue_alone(const Machine& machine, const TaskTraits& traits);

}  // namespace tasktwin
