#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/design/design.hpp"
#include "scenarios/importers/parts/imported.hpp"

namespace tasktwin::scenarios {

/// What the scenario of an imported file is to be called and made of.
struct ImportScenario {
  std::string name;
  std::string machine;  ///< a shipped machine, or a machine file
  std::filesystem::path file;
  std::string format;
  ImportOptions options;
  double replay_off_percent = 0;  ///< by what its replay misses the captured time, where that is more than was allowed
  std::filesystem::path output;   ///< the scenario file, from whose folder it will name the others
};

/// A design that an imported file may be held against, and how a scenario writes it.
struct ImportDesign {
  Design design;
  std::string yaml;  ///< an entry of `designs`
};

/// The shipped machine of one device that was measured on the model that the file names; none where there is none, or the file names none.
std::optional<std::string> shipped_machine_of(const Imported& imported);

/// Those that may be tried: where there is a program, `as-captured` first, which replays it, and others of the host path.
std::vector<ImportDesign> import_designs(const Imported& imported);

/// The machine of that name with the constants that the file has measured, of mechanisms that the machine has.
Machine import_machine(const Imported& imported, const std::string& machine);

/// What comes near the captured times: the program as it was slowed down while it was captured, where the file tells both.
struct ReplayedRun {
  const TaskGraph* graph = nullptr;
  const HostProgram* program = nullptr;
  Machine machine = {};
};
/// Contract: `imported` has a program, and outlives what is returned.
ReplayedRun replayed_run(const Imported& imported, const std::string& machine);

/// A scenario file of what was read. It names the file and how to read it, the constants that were measured, and `designs`. Throws
/// InputError for a name that scenarios cannot have.
std::string import_scenario_yaml(const Imported& imported, const ImportScenario& wanted, std::span<const ImportDesign> designs);

}  // namespace tasktwin::scenarios
