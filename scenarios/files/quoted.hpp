#pragma once

#include <string>
#include <string_view>

namespace tasktwin::scenarios {

/// `text` in quotes, cut where it is long, unprintable bytes replaced.
std::string in_quotes(std::string_view text);

}  // namespace tasktwin::scenarios
