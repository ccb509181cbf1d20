#pragma once

#include "scenarios/schema/schema.hpp"

namespace tasktwin::scenarios {

/// Of a scenario file, made from the tables of axes, generators, importers, task fields and constants when first asked for.
const Schema& scenario_schema();

}  // namespace tasktwin::scenarios
