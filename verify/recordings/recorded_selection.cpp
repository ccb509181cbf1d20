#include "verify/recordings/recorded_selection.hpp"

#include <algorithm>
#include <numeric>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kRemedy = "record it on a GPU with 'tasktwin run SCENARIO --record DIR'";

/// Design of that name, of the scenario or named; nullptr if there is none any more.
const Design* find_design(const scenarios::Scenario& scenario, const std::string& name) {
  for (const auto designs : {std::span<const Design>(scenario.designs), named_designs()}) {
    const auto found = std::ranges::find(designs, name, &Design::name);
    if (found != designs.end()) return &*found;
  }
  return nullptr;
}

void keep(RecordedSelections& result, std::size_t i, const Design& design, RecordingFacts facts) {
  const scenarios::Scenario& scenario = result.selections[i].scenario;
  check_recording(facts.recorded, scenario, design);
  result.selections[i].designs.push_back(design);
  RecordedCase recorded = with_timeline(std::move(facts), scenario.graph.size());
  name_cores(recorded.timeline, scenario.machine, design);
  result.measured[i].push_back(std::move(recorded));
}

/// Puts the cases of a scenario into the order in which it lists its designs.
void order_designs(Selection& selection, std::vector<RecordedCase>& measured) {
  const auto& listed = selection.scenario.designs;
  std::vector<std::size_t> order(measured.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return std::ranges::find(listed, measured[i].design, &Design::name) - listed.begin(); });
  std::vector<Design> designs;
  std::vector<RecordedCase> cases;
  for (const std::size_t i : order) {
    designs.push_back(selection.designs[i]);
    cases.push_back(std::move(measured[i]));
  }
  selection.designs = std::move(designs);
  measured = std::move(cases);
}

bool is_shipped(const std::string& machine) {
  const std::vector<std::string> machines = scenarios::shipped_machines();
  return std::ranges::find(machines, machine) != machines.end();
}

bool named_in(const std::string& designs, const std::string& name) {
  return designs.empty() || ("," + designs + ",").find("," + name + ",") != std::string::npos;
}

}  // namespace

RecordedSelections find_recordings(std::vector<Selection> selections, bool designs_named, const fs::path& folder) {
  RecordedSelections result;
  result.measured.resize(selections.size());
  result.selections = std::move(selections);
  for (std::size_t i = 0; i < result.selections.size(); ++i) {
    const std::vector<Design> wanted = std::exchange(result.selections[i].designs, {});
    const std::string& scenario = result.selections[i].scenario.name;
    const std::string& machine = result.selections[i].scenario.machine.name;
    for (const Design& design : wanted) {
      const fs::path facts = recording_path(folder, machine, scenario, design.name);
      std::error_code ignored;
      if (fs::exists(facts, ignored)) {
        result.files.insert(result.files.end(), {facts, timeline_path(facts)});
        keep(result, i, design, read_facts(facts));
        continue;
      }
      const std::string reason = fmt::format("no recording on '{}' (there is no '{}')", machine, facts.string());
      if (designs_named) throw InputError(fmt::format("'{}' under '{}': {}; {}", scenario, design.name, reason, kRemedy));
      result.left_out.push_back({scenario, design.name, reason});
    }
    if (result.selections[i].designs.empty()) {
      throw InputError(
          fmt::format("scenario '{}' has no recording on machine '{}' in '{}'; {}", scenario, machine, folder.string(), kRemedy));
    }
  }
  return result;
}

RecordedSelections all_recordings(const fs::path& folder, const std::string& designs, const std::string& machine, Progress& progress) {
  RecordedSelections result;
  for (const fs::path& path : list_recordings(folder)) {
    progress.show(fmt::format("reading {}", path.filename().string()));
    RecordingFacts facts = read_facts(path);
    const RecordedCase& recorded = facts.recorded;
    if (!named_in(designs, recorded.design)) continue;
    auto found = std::ranges::find_if(result.selections, [&](const Selection& selection) {
      return selection.argument == recorded.scenario_source && (!machine.empty() || selection.scenario.machine.name == recorded.machine);
    });
    if (found == result.selections.end()) {
      scenarios::Scenario scenario = load_on(recorded.scenario_source, machine);
      const bool elsewhere = machine.empty() && scenario.machine.name != recorded.machine;
      if (elsewhere && is_shipped(recorded.machine)) scenario = load_on(recorded.scenario_source, recorded.machine);
      found = result.selections.insert(found, {recorded.scenario_source, std::move(scenario), {}});
      result.measured.emplace_back();
    }
    result.files.insert(result.files.end(), {path, timeline_path(path)});
    const auto i = static_cast<std::size_t>(found - result.selections.begin());
    if (found->scenario.name != recorded.scenario || found->scenario.machine.name != recorded.machine) {
      result.left_out.push_back({recorded.scenario, recorded.design,
                                 fmt::format("recorded on '{}', while the scenario '{}' is for '{}'", recorded.machine,
                                             found->scenario.name, found->scenario.machine.name)});
      continue;
    }
    const Design* design = find_design(found->scenario, recorded.design);
    if (design == nullptr) {
      result.left_out.push_back({recorded.scenario, recorded.design, "the scenario has no such design any more"});
      continue;
    }
    keep(result, i, *design, std::move(facts));
  }
  progress.clear();
  for (std::size_t i = 0; i < result.selections.size(); ++i) order_designs(result.selections[i], result.measured[i]);
  if (std::ranges::all_of(result.selections, [](const Selection& selection) { return selection.designs.empty(); })) {
    throw InputError(fmt::format("no recorded case{} in '{}'; {}", designs.empty() ? "" : " under " + designs, folder.string(), kRemedy));
  }
  return result;
}

}  // namespace tasktwin::verify
