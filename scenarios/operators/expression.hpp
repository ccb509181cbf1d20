#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tasktwin::scenarios {

/// What a name in an expression stands for; nullopt where there is no such name.
using ValueOfName = std::function<std::optional<double>(std::string_view name)>;

/// What is at a place of a table; nullopt where there is no such table.
using ValueInTable = std::function<std::optional<double>(std::string_view table, double place)>;

/// The value of `text`: numbers, names (letters, digits, '_' and '.'), + - * /, parentheses, min(a, b), max(a, b), ceil(a), and
/// table(place). Throws InputError without location for another form, a name that has no value, a division by 0 and a value that is not
/// finite.
double evaluate(std::string_view text, const ValueOfName& value_of, const ValueInTable& value_in = {});

/// Whether an expression can call something by `name`: letters, digits and '_', not beginning with a digit, and not min or max.
bool may_be_named(std::string_view name);

}  // namespace tasktwin::scenarios
