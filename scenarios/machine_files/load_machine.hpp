#pragma once

#include <string>

#include "models/machine/machine.hpp"

namespace tasktwin::scenarios {

/// Reads a machine file, or the shipped machine of that name ("nvidia-h200"). Throws InputError.
Machine load_machine(const std::string& path_or_name);

/// Writes `machine` as a machine file that load_machine reads back unchanged.
std::string machine_to_yaml(const Machine& machine);

}  // namespace tasktwin::scenarios
