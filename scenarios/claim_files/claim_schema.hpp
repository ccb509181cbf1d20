#pragma once

#include "scenarios/schema/schema.hpp"

namespace tasktwin::scenarios {

/// Of a claim's file.
const Schema& claim_schema();

}  // namespace tasktwin::scenarios
