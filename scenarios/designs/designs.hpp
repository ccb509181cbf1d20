#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/design/design.hpp"
#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// The designs of a scenario's `designs`, a list that has passed the schema: each a named design, or a map with a name of its
/// own, the named design it starts from and the axes it changes. Throws InputFaults, each at its place, for an unknown design, a
/// name used twice or taken, and for what check_design refuses on `machine`.
std::vector<Design> designs_from(const Document& document, const Node& list, const Machine& machine);

/// By name: what each of the `designs` that came of `list` was made from, a named design or the default of every axis.
std::map<std::string, Design> bases_from(const Document& document, const Node& list, const std::vector<Design>& designs);

/// Sets an axis of `design`, or `replay`, to a value that no schema has seen. Throws InputError for an unknown axis, and for a value that
/// files cannot have.
void set_axis(Design& design, const std::string& axis, const Node& value);

}  // namespace tasktwin::scenarios
