#pragma once

#include <string>

#include "models/design/design.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::verify {

/// A machine file with every section and constant that `design` reads, each with its meaning after it. Where `from` is not null, its cores,
/// limits and values, marked as assumed; else, and where it has none, without a value: what is left empty is refused, and the error names
/// it.
std::string machine_template(const Design& design, const Machine* from);

}  // namespace tasktwin::verify
