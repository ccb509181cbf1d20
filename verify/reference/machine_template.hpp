#pragma once

#include <string>

#include "models/design/design.hpp"

namespace tasktwin::verify {

/// A machine file with every section and constant that `design` reads, each without a value and with its meaning after it: what is left
/// empty is refused, and the error names it.
std::string machine_template(const Design& design);

}  // namespace tasktwin::verify
