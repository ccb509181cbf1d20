#pragma once

#include <optional>
#include <string_view>

#include "models/base/error.hpp"

namespace tasktwin::scenarios {

/// Line and column of the value at `path`, such as "workers[3].tasks[0].after", in the text of a JSON document, or of the last value on the
/// way to it that is there. Nothing where the text is no such document. The file of what it returns is empty.
std::optional<SourceLocation> json_position(std::string_view text, std::string_view path);

}  // namespace tasktwin::scenarios
