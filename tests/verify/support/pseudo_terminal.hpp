#pragma once

#include <optional>
#include <string>

namespace tasktwin::tests {

/// Why a test may not make a pseudo-terminal: there are none, or /dev/pts is not that of /dev/ptmx, so that what a test types could reach a
/// foreign terminal, as in a root into which another's /dev is bound.
std::optional<std::string> why_no_pseudo_terminal();

}  // namespace tasktwin::tests
