#pragma once

#include <memory>

#include <CLI/App.hpp>

#include "verify/cli/commands.hpp"

namespace tasktwin::verify {

std::unique_ptr<Command> make_machine_constants(CLI::App& app);

}  // namespace tasktwin::verify
