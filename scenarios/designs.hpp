#pragma once

#include <vector>

#include "models/design.hpp"
#include "scenarios/document.hpp"

namespace tasktwin::scenarios {

/// The designs of a scenario's `designs`, a list that has passed the schema: each a named design, or a map with a name of its
/// own, the named design it starts from and the axes it changes. Throws InputError, at its place, for an unknown design, a
/// name used twice or taken, and for what check_design refuses on `machine`.
std::vector<Design> designs_from(const Document& document, const Node& list, const Machine& machine);

}  // namespace tasktwin::scenarios
