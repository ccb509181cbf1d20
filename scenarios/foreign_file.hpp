#pragma once

#include <optional>
#include <string>

#include "scenarios/document.hpp"

namespace tasktwin::scenarios {

/// What the file at `path` is where its first bytes or its name tell that it is no scenario (a trace, a table, a graph, an
/// archive), and which form of `scenario import` reads it; nullopt for all else.
std::optional<std::string> foreign_file(const std::string& path);

/// The same for the root of a YAML file: one of the project's other kinds, and which command takes it.
std::optional<std::string> other_document(const Node& root);

/// Likewise where a machine file is wanted.
std::optional<std::string> no_machine_file(const Node& root);

}  // namespace tasktwin::scenarios
