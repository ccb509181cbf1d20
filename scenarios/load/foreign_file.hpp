#pragma once

#include <optional>
#include <string>

namespace tasktwin::scenarios {

/// What the file at `path` is where its first bytes or its name tell that it is no scenario (a trace, a table, a graph, an
/// archive), and which form of `scenario import` reads it; nullopt for all else.
std::optional<std::string> foreign_file(const std::string& path);

}  // namespace tasktwin::scenarios
