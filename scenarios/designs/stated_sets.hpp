#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "models/design/named_cores.hpp"
#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// The schema of a design's `sets`.
nlohmann::json design_sets_schema();

/// `list` has passed it. A set that states a number of cores has the next ones behind those of the sets before it.
std::vector<NamedCores> design_sets_from(const Node& list);

/// As files write them, with the first and the last core of each; what is not set is left out.
nlohmann::json design_sets_to_json(const std::vector<NamedCores>& sets);

}  // namespace tasktwin::scenarios
