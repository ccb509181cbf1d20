#pragma once

#include <string>

#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// A plain scalar, typed by YAML 1.2's core schema. Throws InputError without location for a number that is infinite,
/// NaN or beyond its type.
Node typed_scalar(const std::string& text);

Node text_node(const std::string& text);

/// The shortest text that reads back as exactly `value`.
std::string shortest(double value);

}  // namespace tasktwin::scenarios
