#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tasktwin::tests {

/// RFC 8259 and nothing else: throws std::runtime_error for text that is not one whole JSON value, and for a key that
/// stands twice in an object.
nlohmann::json strict_json(std::string_view text);

/// The keys of an object, in order.
std::vector<std::string> keys(const nlohmann::json& object);

}  // namespace tasktwin::tests
