#pragma once

#include <string>
#include <string_view>

namespace tasktwin {

/// Whether `name` is meant by `pattern`: '*' stands for any characters and '?' for one, over the whole name; a pattern with neither is
/// meant to stand somewhere in it. Case counts.
bool matches(std::string_view pattern, std::string_view name);

/// The same, but a pattern with neither is the whole name.
bool is_called(std::string_view pattern, std::string_view name);

}  // namespace tasktwin
