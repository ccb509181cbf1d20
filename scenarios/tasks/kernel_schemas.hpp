#pragma once

#include "scenarios/schema/schema.hpp"
#include "scenarios/schema/schema_parts.hpp"

namespace tasktwin::scenarios::schema {

/// `kernels` of a scenario: what it brings along.
Json own_kernels();
/// `buffers` of a scenario: what those work on.
Json own_buffers();

}  // namespace tasktwin::scenarios::schema

namespace tasktwin::scenarios {

/// Of what 'calibrate --kernels' writes (scenarios/tasks/kernel_costs.hpp).
const Schema& kernel_costs_schema();

}  // namespace tasktwin::scenarios
