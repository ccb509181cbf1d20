#include <optional>
#include <utility>

#include "scenarios/data_folder.hpp"
#include "scenarios/designs.hpp"
#include "scenarios/faults.hpp"
#include "scenarios/load_parts.hpp"
#include "scenarios/machine_file.hpp"
#include "scenarios/overrides.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/scenario_document.hpp"
#include "scenarios/schema.hpp"

namespace tasktwin::scenarios {

Scenario scenario_from(const Document& document) {
  scenario_schema().check(document);

  const Node& root = document.root;
  Scenario scenario;
  scenario.name = root.find("scenario")->text;
  if (const Node* description = root.find("description")) scenario.description = description->text;
  if (const Node* question = root.find("question")) scenario.question = question->text;
  if (const Node* finding = root.find("finding")) scenario.finding = finding->text;
  if (const Node* seed = root.find("seed")) scenario.seed = static_cast<std::uint64_t>(seed->integer);
  Faults faults;
  faults.attempt([&] {
    read_machine(scenario, document);
    scenario.machine_hash = machine_hash(scenario.machine);
    scenario.designs = designs_from(document, *root.find("designs"), scenario.machine);
  });
  std::optional<SwimlaneCapture> capture;
  faults.attempt([&] {
    if (read_import(scenario, document)) return;
    capture = read_capture(scenario, document);
    scenario.graph = capture ? std::move(capture->graph) : read_graph(document, scenario.seed);
  });
  faults.check();
  scenario.bases = bases_from(document, *root.find("designs"), scenario.designs);
  scenario.listed = !root.find("graph")->find("generator") && root.find("graph")->find("tasks");
  check_graph(document, scenario);
  read_replays(scenario, document, capture ? &*capture : nullptr);
  return scenario;
}

Scenario load_scenario(const std::string& path_or_name, std::span<const std::string> overrides, std::span<const std::string> selected) {
  Document document = scenario_file(path_or_name);
  apply_overrides(document, overrides, selected);
  return scenario_from(document);
}

Scenario load_scenario(const std::string& path_or_name, std::span<const std::string> overrides) {
  return load_scenario(path_or_name, overrides, {});
}

std::string scenario_description(const std::string& name) {
  const Document document = read_document(find_scenario(name).path);
  const Node* description = document.root.find("description");
  return description ? description->text : "";
}

Scenario admitted_scenario(const Document& document, const Admission& admits) {
  Scenario scenario = scenario_from(document);
  check_designs(document, scenario, [&](const Design& design) { admits(scenario, design); });
  return scenario;
}

void validate_scenario(const std::string& path_or_name, const Admission& admits) { admitted_scenario(scenario_file(path_or_name), admits); }

}  // namespace tasktwin::scenarios
