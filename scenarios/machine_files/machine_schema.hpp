#pragma once

#include "scenarios/schema/schema.hpp"
#include "scenarios/schema/schema_parts.hpp"

namespace tasktwin::scenarios::schema {

/// What a machine's description is made of, of which the schema of a machine file has all in full, that of a scenario only what changes.
struct MachineParts {
  Json properties;   ///< compute_cores, control_cores, limits, constants and kernels
  Json definitions;  ///< what they refer to; for the root of the document
};
enum class Stated { kInFull, kAsChanges };

/// Made from constant_fields() and kernel_fields().
MachineParts machine_parts(Stated stated);

/// The cost of one kernel.
Json kernel_cost(Stated stated);

}  // namespace tasktwin::scenarios::schema

namespace tasktwin::scenarios {

/// Of a machine file.
const Schema& machine_schema();
/// Of one that starts from another (`from`).
const Schema& derived_machine_schema();

}  // namespace tasktwin::scenarios
