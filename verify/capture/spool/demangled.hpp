#pragma once

#include <string>

namespace tasktwin::verify {

/// A C++ name as people write it; one that is none as it is.
std::string demangled(const std::string& name);

}  // namespace tasktwin::verify
