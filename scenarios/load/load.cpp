#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/designs/designs.hpp"
#include "scenarios/designs/overrides.hpp"
#include "scenarios/document/faults.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/load/load_parts.hpp"
#include "scenarios/load/scenario.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "scenarios/load/scenario_schema.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "scenarios/operators/cut_operators.hpp"
#include "scenarios/operators/drawn_tables.hpp"

namespace tasktwin::scenarios {

namespace {

/// Which parts of a document no fault was found in: they can be read while others cannot.
class Sound {
 public:
  Sound(const Document& document, const Faults& faults) : root_(document.root) {
    const auto place = [](const Node::Key& key) { return std::pair(key.line, key.column); };
    const bool in_order = std::ranges::is_sorted(root_.keys, {}, place);
    for (const InputError& fault : faults.all()) {
      const auto next = std::ranges::upper_bound(root_.keys, std::pair(fault.where().line, fault.where().column), {}, place);
      const bool anywhere = !in_order || fault.where().line <= 0 || next == root_.keys.begin();  // an override's, for one
      for (std::size_t i = 0; i < root_.keys.size(); ++i) {
        const Node& value = root_.items[i];  // one that is missing has the place of what comes after it
        const bool at_value = value.line == fault.where().line && value.column == fault.where().column;
        if (anywhere || at_value || &root_.keys[i] == &*std::prev(next)) broken_.insert(root_.keys[i].text);
      }
    }
  }

  bool has(std::string_view key) const { return root_.find(key) && !is_broken(key); }
  bool is_broken(std::string_view key) const { return broken_.contains(std::string(key)); }

 private:
  const Node& root_;
  std::set<std::string> broken_;
};

/// Of a document without operators.
Scenario scenario_of(const Document& document, const Admission& admits) {
  Faults faults;
  faults.attempt([&] { scenario_schema().check(document); });
  const Node& root = document.root;
  const Sound sound(document, faults);
  Scenario scenario;
  for (const auto& [key, text] : {std::pair("scenario", &scenario.name), std::pair("description", &scenario.description),
                                  std::pair("question", &scenario.question), std::pair("finding", &scenario.finding)}) {
    if (sound.has(key)) *text = root.find(key)->text;
  }
  if (sound.has("seed")) scenario.seed = static_cast<std::uint64_t>(root.find("seed")->integer);
  const bool has_machine = sound.has("machine") && faults.attempt([&] {
    read_machine(scenario, document);
    scenario.machine_hash = machine_hash(scenario.machine);
  });
  const bool has_designs = has_machine && sound.has("designs") &&
                           faults.attempt([&] { scenario.designs = designs_from(document, *root.find("designs"), scenario.machine); });
  std::optional<SwimlaneCapture> capture;
  // Tasks name the scenario's own kernels and buffers, and those take costs of the machine.
  const bool has_own = !sound.is_broken("kernels") && !sound.is_broken("buffers") && (has_machine || !root.find("kernels"));
  const bool has_graph = sound.has("graph") && has_own && faults.attempt([&] {
    if (!read_import(scenario, document)) {
      capture = read_capture(scenario, document);
      scenario.graph = capture ? std::move(capture->graph) : read_graph(scenario, document, scenario.seed);
    }
    if (!sound.is_broken("collectives")) make_collectives(scenario, document);
  });
  if (has_graph && has_machine) {
    DesignChecks checks(document, scenario, faults);
    const std::size_t before = faults.all().size();
    check_graph(document, scenario, checks, faults);
    if (has_designs) read_replays(scenario, document, capture ? &*capture : nullptr, faults);
    if (admits && faults.all().size() == before) checks.run([&](const Design& design) { admits(scenario, design); });
  }
  faults.check();
  scenario.bases = bases_from(document, *root.find("designs"), scenario.designs);
  scenario.listed = !root.find("graph")->find("generator") && root.find("graph")->find("tasks");
  return scenario;
}

}  // namespace

Scenario scenario_from(const Document& document, const Admission& admits) {
  if (!has_operators(document)) return scenario_of(document, admits);
  scenario_schema().check(document);
  Document cut = document;
  const CutTasks tasks = cut_operators(cut);
  std::optional<Scenario> scenario;
  Faults faults;
  if (!faults.attempt([&] { scenario = scenario_of(cut, admits); })) throw tasks.of_operators(faults);
  return *std::move(scenario);
}

Scenario load_scenario(const std::string& path_or_name, std::span<const std::string> overrides, std::span<const std::string> selected,
                       const Admission& admits) {
  Document document = scenario_file(path_or_name);
  apply_overrides(document, overrides, selected);
  return scenario_from(document, admits);
}

namespace {

void keep_designs(Document& document, std::span<const std::string> designs) {
  const Node* const found = document.root.find("designs");
  if (found == nullptr || found->kind != Node::Kind::kList) return;
  Node list = *found;
  for (const std::string& name : designs) {
    if (std::ranges::find(list.items, name, design_name) != list.items.end()) continue;
    if (std::ranges::find(named_designs(), name, &Design::name) == named_designs().end()) return;
    add_named_design(list, name, document.at(list));
  }
  std::erase_if(list.items, [&](const Node& one) { return std::ranges::find(designs, design_name(one)) == designs.end(); });
  document.root.items[static_cast<std::size_t>(found - document.root.items.data())] = std::move(list);
}

}  // namespace

Scenario load_scenario_under(const std::string& path_or_name, std::span<const std::string> designs, std::span<const std::string> overrides,
                             const Admission& admits) {
  Document document = scenario_file(path_or_name);
  if (!designs.empty()) keep_designs(document, designs);
  apply_overrides(document, overrides, {});
  return scenario_from(document, admits);
}

Scenario load_scenario(const std::string& path_or_name, std::span<const std::string> overrides) {
  return load_scenario(path_or_name, overrides, {});
}

std::string scenario_description(const std::string& name) {
  const Document document = read_document(find_scenario(name).path);
  const Node* description = document.root.find("description");
  return description ? description->text : "";
}

std::size_t draws_of(const std::string& path_or_name) { return DrawnTables::count(scenario_file(path_or_name)); }

}  // namespace tasktwin::scenarios
