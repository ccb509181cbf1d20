#pragma once

#include <memory>

#include "verify/cli/commands.hpp"

namespace tasktwin::verify {

/// The actions of `scenario` that turn scenarios into other programs' files and back.
std::unique_ptr<Command> make_scenario_export(CLI::App& app);
std::unique_ptr<Command> make_scenario_import(CLI::App& app);

}  // namespace tasktwin::verify
