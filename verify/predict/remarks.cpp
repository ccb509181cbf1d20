#include "verify/predict/remarks.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/checks/mechanisms.hpp"
#include "models/checks/remarks.hpp"
#include "models/program/buffers.hpp"
#include "scenarios/machine_files/machine_file.hpp"
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

/// "34 of the 46 constants that count are ascend-a2a3's"; empty where the machine has all of its own.
std::string inherited_remark(const Machine& machine, const Design& design, const TaskGraph& graph) {
  if (machine.provenance.lower_bound(scenarios::inherited_key("")) == machine.provenance.lower_bound(scenarios::inherited_key("\x7f")))
    return "";
  std::set<std::string_view> read;
  for (const NeededSection& section : mechanisms_of(design, graph)) read.insert(section.name);
  std::size_t all = 0;
  std::map<std::string, std::size_t> others;
  for (const ConstantField* const field : constants_of(machine)) {
    if (!read.contains(field->section) || machine.unstated.contains(field->key)) continue;
    ++all;
    const auto inherited = machine.provenance.find(scenarios::inherited_key(field->key));
    if (inherited != machine.provenance.end()) ++others[inherited->second.text];
  }
  std::string text;
  for (const auto& [name, count] : others)
    text +=
        text.empty() ? fmt::format("{} of the {} constants that count are {}'s", count, all, name) : fmt::format(", {} {}'s", count, name);
  return text;
}

}  // namespace

std::vector<std::string> remarks(const scenarios::Scenario& scenario, const Design& design) {
  std::vector<std::string> all = scenario.remarks;
  if (const auto base = scenario.bases.find(design.name); base != scenario.bases.end())
    std::ranges::move(axis_remarks(scenario.graph, scenario.machine, design, base->second), std::back_inserter(all));
  if (std::string inherited = inherited_remark(scenario.machine, design, scenario.graph); !inherited.empty())
    all.push_back(std::move(inherited));
  std::ranges::move(first_of(buffer_races(scenario.graph, design)), std::back_inserter(all));
  if (scenario.listed) std::ranges::move(task_remarks(scenario.graph, design), std::back_inserter(all));
  return all;
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
