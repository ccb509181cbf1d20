#pragma once

#include "scenarios/document.hpp"
#include "scenarios/scenario.hpp"

namespace tasktwin::scenarios {

/// The scenario that `document` describes: a file of its own, or a part of another. Throws InputError at its place.
Scenario scenario_from(const Document& document);

}  // namespace tasktwin::scenarios
