#pragma once

#include <string>
#include <string_view>

namespace tasktwin::verify {

/// The project's version, "0.2.0".
std::string_view version();

/// The commit this was built from, with "-dirty" where the tree differed from it; "unknown" outside a git checkout.
std::string_view commit();

}  // namespace tasktwin::verify
