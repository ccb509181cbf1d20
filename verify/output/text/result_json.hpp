#pragma once

#include <string>
#include <string_view>

#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// What docs/reference/json.md describes. The number goes up when a field goes or changes its meaning; new fields leave it.
inline constexpr std::string_view kJsonFormat = "tasktwin/1";

/// What a command prints: `result`, or each object of a list of them, with "format" first.
std::string result_to_text(const Json& result);

}  // namespace tasktwin::verify
