#pragma once

#include <string>

#include "scenarios/importers/imported.hpp"

namespace tasktwin::scenarios {

/// What Nsight Systems exports as SQLite ('nsys export --type sqlite'), of any version: tables and columns that are not there are not
/// missed until something needs them.
bool is_nsys(const FileHead& head);

/// Throws InputError for what is no such export, and as program_of does.
Imported read_nsys(const std::string& path, const ImportOptions& options);

}  // namespace tasktwin::scenarios
