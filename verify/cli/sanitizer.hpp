#pragma once

#include <string>
#include <vector>

namespace tasktwin::verify {

/// Runs this program with `arguments` under compute-sanitizer's memory check, whose report goes to standard output, and returns the exit
/// code: 1 where it found something, which is then said. Throws RunError where there is no compute-sanitizer, naming the package that has
/// it.
int run_sanitized(const std::vector<std::string>& arguments);

}  // namespace tasktwin::verify
