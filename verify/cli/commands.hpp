#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <CLI/App.hpp>

namespace tasktwin::verify {

/// A command of the executable: built with its options declared on `app`, run once they are parsed. The footer of `app` describes it
/// and gives at least one example that works (verify/cli/help.hpp says how).
class Command {
 public:
  virtual ~Command() = default;
  /// Returns the exit code: 0, or 1 where a comparison or check failed. Throws InputError and RunError.
  virtual int run() = 0;
};

struct CommandEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Command> (*make)(CLI::App& app);
};

/// Every command, in the order in which help lists them. To add one: a file in commands/, and a line in commands.cpp.
std::span<const CommandEntry> commands();

std::unique_ptr<Command> make_scenario_command(CLI::App& app);
std::unique_ptr<Command> make_design_command(CLI::App& app);
std::unique_ptr<Command> make_machine_command(CLI::App& app);
std::unique_ptr<Command> make_simulate_command(CLI::App& app);
std::unique_ptr<Command> make_run_command(CLI::App& app);
std::unique_ptr<Command> make_verify_command(CLI::App& app);
std::unique_ptr<Command> make_compare_command(CLI::App& app);
std::unique_ptr<Command> make_explain_command(CLI::App& app);
std::unique_ptr<Command> make_advise_command(CLI::App& app);
std::unique_ptr<Command> make_sweep_command(CLI::App& app);
std::unique_ptr<Command> make_search_command(CLI::App& app);
std::unique_ptr<Command> make_calibrate_command(CLI::App& app);
std::unique_ptr<Command> make_capture_command(CLI::App& app);
std::unique_ptr<Command> make_rerun_command(CLI::App& app);
std::unique_ptr<Command> make_completion_command(CLI::App& app);

}  // namespace tasktwin::verify
