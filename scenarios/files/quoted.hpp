#pragma once

#include <string>
#include <string_view>

namespace tasktwin::scenarios {

/// `text` in quotes, cut where it is long, blanks for control characters, \xNN for bytes that are no UTF-8.
std::string in_quotes(std::string_view text);

}  // namespace tasktwin::scenarios
