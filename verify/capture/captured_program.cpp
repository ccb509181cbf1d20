#include "verify/capture/captured_program.hpp"

#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "scenarios/scenario_writer/import_scenario.hpp"

namespace tasktwin::verify {

namespace {

constexpr const char* kUsualMachine = "nvidia-h200";

/// The machine that is asked for, else the shipped one of the model that the file names; none where there is neither.
std::optional<std::string> known_machine(const scenarios::Imported& imported, const std::string& machine) {
  return machine.empty() ? scenarios::shipped_machine_of(imported) : machine;
}

}  // namespace

std::string machine_of_capture(const scenarios::Imported& imported, const std::string& machine) {
  return known_machine(imported, machine).value_or(kUsualMachine);
}

std::string assumed_machine(const scenarios::Imported& imported, const std::string& machine) {
  if (imported.device.empty()) return fmt::format("the file names no card: machine {} is taken; --machine names another", machine);
  return fmt::format("no shipped machine was measured on a '{}', which the file names: {} is taken; --machine names another",
                     imported.device, machine);
}

scenarios::Scenario captured_program(const std::filesystem::path& file, const scenarios::ImportOptions& options,
                                     const std::string& machine) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  const scenarios::Importer& importer = scenarios::importer_of(path.string());
  const scenarios::Imported imported = scenarios::import_file(path.string(), std::string(importer.name), options);
  if (!imported.program) throw InputError({file.string()}, "has no program: only captures and profilers' traces of CUDA programs do");
  scenarios::ImportOptions absolute = options;
  if (!absolute.effects.empty()) absolute.effects = std::filesystem::absolute(absolute.effects).string();
  const std::optional<std::string> known = known_machine(imported, machine);
  const scenarios::ImportScenario wanted{"program", known.value_or(kUsualMachine),      path, std::string(importer.name), absolute,
                                         0,         path.parent_path() / "program.yaml"};
  const auto designs = scenarios::import_designs(imported);
  scenarios::Scenario scenario = scenarios::scenario_from(
      scenarios::parse_document(wanted.output.string(), scenarios::import_scenario_yaml(imported, wanted, {designs.data(), 1})));
  if (scenario.imported && !known)
    scenario.imported->remarks.insert(scenario.imported->remarks.begin(), assumed_machine(imported, wanted.machine));
  return scenario;
}

}  // namespace tasktwin::verify
