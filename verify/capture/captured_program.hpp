#pragma once

#include <filesystem>
#include <string>

#include "scenarios/importers/parts/imported.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// The scenario of a captured program that 'scenario import' would write, with the design that makes its calls again; on `machine`, or
/// where that is empty, on the shipped one of the model that the file names, else on nvidia-h200. Throws InputError as importers do, and
/// for a file that has no program. ImportedRun::remarks say which machine was assumed.
scenarios::Scenario captured_program(const std::filesystem::path& file, const scenarios::ImportOptions& options,
                                     const std::string& machine);

/// Why a machine is taken that nobody has named, a sentence. Contract: no shipped one was measured on the model that the file names.
std::string assumed_machine(const scenarios::Imported& imported, const std::string& machine);

/// The machine that it would be on, as it is without what the file measured.
std::string machine_of_capture(const scenarios::Imported& imported, const std::string& machine);

}  // namespace tasktwin::verify
