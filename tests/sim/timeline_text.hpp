#pragma once

#include <string>

#include "models/run/timeline.hpp"

namespace tasktwin::sim {

/// Every phase of every task, every busy span and queue length: equal texts, equal timelines.
std::string to_text(const Timeline& timeline);

/// The lines that differ, at most ten of them.
std::string first_differences(const Timeline& expected, const Timeline& actual);

}  // namespace tasktwin::sim
