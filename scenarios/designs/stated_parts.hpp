#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "models/design/design.hpp"
#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// The schema of a design's `parts`.
nlohmann::json design_parts_schema();

/// `list` has passed it.
std::vector<DesignPart> design_parts_from(const Node& list);

/// As files write them; what is not set is left out.
nlohmann::json design_parts_to_json(const std::vector<DesignPart>& parts);

}  // namespace tasktwin::scenarios
