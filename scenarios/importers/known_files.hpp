#pragma once

#include <string>

#include "scenarios/importers/parts/imported.hpp"

namespace tasktwin::scenarios {

/// What a file is that no importer reads but that users have at hand, and what to do: "is a report of Nsight Systems; …". Empty where it is
/// not known. The reports, tables and results of profilers come by what they begin with, or by their extension.
std::string known_file(const FileHead& head);

}  // namespace tasktwin::scenarios
