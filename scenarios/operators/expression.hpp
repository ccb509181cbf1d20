#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tasktwin::scenarios {

/// What a name in an expression stands for; nullopt where there is no such name.
using ValueOfName = std::function<std::optional<double>(std::string_view name)>;

/// The value of `text`: numbers, names (letters, digits, '_' and '.'), + - * /, parentheses, min(a, b) and max(a, b). Throws InputError
/// without location for another form, a name that has no value, a division by 0 and a value that is not finite.
double evaluate(std::string_view text, const ValueOfName& value_of);

/// Whether an expression can call something by `name`: letters, digits and '_', not beginning with a digit, and not min or max.
bool may_be_named(std::string_view name);

}  // namespace tasktwin::scenarios
