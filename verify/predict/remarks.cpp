#include "verify/predict/remarks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/checks/mechanisms.hpp"
#include "models/checks/remarks.hpp"
#include "models/checks/stalls.hpp"
#include "models/program/buffers.hpp"
#include "models/run/fallback.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

/// The first line begins with "note: ".

/// More than a few are counted.
std::vector<std::string> first_of(std::vector<std::string> sentences) {
  constexpr std::size_t kMost = 4;
  if (sentences.size() <= kMost) return sentences;
  const std::size_t more = sentences.size() - kMost;
  sentences.resize(kMost);
  sentences.push_back(fmt::format("{} further uses of buffers without a wait", more));
  return sentences;
}

/// That control cores hand out all tasks in place of workers, because of which.
std::vector<std::string> fallen_back(const scenarios::Scenario& scenario, const Design& stated, const Design& run) {
  if (!falls_back(scenario.graph, scenario.machine, stated)) return {};
  const TaskId because = *first_beyond_workers(scenario.graph, scenario.machine, stated);
  return {fmt::format("fallback 'run': '{}' needs several cores at once, so {} control cores hand out all tasks",
                      scenario.graph.name(because), dispatcher_count(run, scenario.machine))};
}

/// That a run of which a tenth or more allocates and frees hangs on calls that are known to an order of magnitude.
std::vector<std::string> of_allocators(const TaskGraph& graph, const Design& design) {
  if (design.allocator == Allocator::kMalloc || !runtime_of(design).streams()) return {};
  const auto calls = std::ranges::count_if(graph.tasks(), [](const Task& task) { return is_allocation(task.operation); });
  if (10 * calls < std::ssize(graph.tasks())) return {};
  return {
      fmt::format("what allocator '{}' takes is known to an order of magnitude: as what is held grows, runs have taken 0.7 to 1.9 times as "
                  "long as predicted (docs/model/allocators.md)",
                  to_word(design.allocator))};
}

/// Whether it is made of a table, whose columns are fields of tasks.
bool is_table(const scenarios::Scenario& scenario) {
  return scenario.imported && (scenario.imported->format == "csv" || scenario.imported->format == "json");
}

}  // namespace

InheritedConstants inherited_constants(const Machine& machine, std::span<const Design* const> designs, const TaskGraph& graph) {
  InheritedConstants found;
  if (machine.inherited.empty() && machine.assumed.empty()) return found;
  std::set<std::string_view> read;
  for (const Design* const design : designs) {
    for (const NeededSection& section : mechanisms_of(*design, graph)) read.insert(section.name);
  }
  for (const ConstantField* const field : constants_of(machine)) {
    if (!read.contains(field->section) || machine.unstated.contains(field->key)) continue;
    ++found.all;
    if (const auto inherited = machine.inherited.find(field->key); inherited != machine.inherited.end())
      found.by_machine[inherited->second].push_back(field->key);
    found.assumed += machine.assumed.contains(field->key) ? 1 : 0;
  }
  return found;
}

std::string InheritedConstants::sentence() const {
  std::string text;
  for (const auto& [name, keys] : by_machine)
    text += text.empty() ? fmt::format("{} of the {} constants that count are {}'s", keys.size(), all, name)
                         : fmt::format(", {} {}'s", keys.size(), name);
  if (assumed == 0) return text;
  const char* const verb = assumed == 1 ? "is" : "are";
  return text.empty() ? fmt::format("{} of the {} constants that count {} assumed", assumed, all, verb)
                      : text + fmt::format(", {} {} assumed", assumed, verb);
}

std::vector<std::string> remarks(const scenarios::Scenario& scenario, const Design& stated) {
  const Design design = design_of_run(scenario.graph, scenario.machine, stated);
  std::vector<std::string> all = scenario.remarks;
  std::ranges::move(fallen_back(scenario, stated, design), std::back_inserter(all));
  std::ranges::move(flush_races(scenario.graph, design), std::back_inserter(all));
  if (const auto base = scenario.bases.find(design.name); base != scenario.bases.end())
    std::ranges::move(axis_remarks(scenario.graph, scenario.machine, stated, base->second), std::back_inserter(all));
  const std::array counting{&design};
  if (std::string inherited = inherited_constants(scenario.machine, counting, scenario.graph).sentence(); !inherited.empty())
    all.push_back(std::move(inherited));
  std::ranges::move(of_allocators(scenario.graph, design), std::back_inserter(all));
  std::ranges::move(device_remarks(scenario.graph, scenario.machine, design), std::back_inserter(all));
  std::ranges::move(worker_remarks(scenario.graph, scenario.machine, design), std::back_inserter(all));
  std::ranges::move(first_of(buffer_races(scenario.graph, design)), std::back_inserter(all));
  std::ranges::move(possible_stalls(scenario.graph, scenario.machine, design), std::back_inserter(all));
  if (scenario.listed || is_table(scenario)) std::ranges::move(task_remarks(scenario.graph, design), std::back_inserter(all));
  return all;
}

std::vector<std::string> hazards(const scenarios::Scenario& scenario, const Design& design) {
  std::vector<std::string> found = flush_races(scenario.graph, design);
  std::ranges::move(possible_stalls(scenario.graph, scenario.machine, design), std::back_inserter(found));
  return found;
}

void RemarkList::add(const scenarios::Scenario& scenario, const Design& design) {
  add(scenario.name, design.name, remarks(scenario, design));
}

void RemarkList::add(const std::string& scenario, const std::string& design, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) {
    const auto same = [&](const Entry& entry) { return entry.scenario == scenario && entry.sentence == sentence; };
    auto found = std::ranges::find_if(entries_, same);
    if (found == entries_.end()) found = entries_.insert(found, {scenario, sentence, {}});
    if (std::ranges::find(found->designs, design) == found->designs.end()) found->designs.push_back(design);
  }
}

void RemarkList::tell() const {
  for (const Entry& entry : entries_)
    remark(wrap(fmt::format("{} under {}: {}", entry.scenario, fmt::join(entry.designs, ", "), entry.sentence), text_columns() - 6));
}

void tell_remarks(std::span<const Selection> selections) {
  RemarkList list;
  for (const Selection& selection : selections) {
    for (const Design& design : selection.designs) list.add(selection.scenario, design);
  }
  list.tell();
}

}  // namespace tasktwin::verify
