#pragma once

#include <filesystem>
#include <string>

namespace tasktwin::scenarios {

// Parts of scenario files that importers write.

/// YAML's double-quoted form, which JSON's is a part of.
std::string yaml_quoted(const std::string& text);

/// How a file in `folder` names `file`.
std::string named_from(const std::filesystem::path& folder, const std::filesystem::path& file);

/// How it names a machine: a shipped one by its name, else the file.
std::string machine_named_from(const std::filesystem::path& folder, const std::string& machine);

/// Throws InputError for a name that scenarios cannot have.
void check_scenario_name(const std::string& name);

}  // namespace tasktwin::scenarios
