#pragma once

#include <optional>
#include <string>

#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// What a YAML file of this root is where it is one of the project's other kinds and no scenario, and which command takes it.
std::optional<std::string> other_document(const Node& root);

/// Likewise where a machine file is wanted.
std::optional<std::string> no_machine_file(const Node& root);

}  // namespace tasktwin::scenarios
