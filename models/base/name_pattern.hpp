#pragma once

#include <string>
#include <string_view>

namespace tasktwin {

/// Whether `pattern` matches `name`: '*' matches any characters and '?' one, over the whole name; a pattern with neither
/// matches a part of it. Case counts.
bool matches(std::string_view pattern, std::string_view name);

/// The same, but a pattern with neither is the whole name.
bool is_called(std::string_view pattern, std::string_view name);

}  // namespace tasktwin
