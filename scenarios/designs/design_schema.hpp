#pragma once

#include "scenarios/schema/schema_parts.hpp"

namespace tasktwin::scenarios::schema {

/// `designs` of a scenario.
Json designs();

/// An axis of a design, or its `replay` or `parts`.
const Json& design_property(std::string_view name);

}  // namespace tasktwin::scenarios::schema
