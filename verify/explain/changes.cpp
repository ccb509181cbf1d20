#include "verify/explain/changes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/assemble.hpp"
#include "verify/explain/hypothetical.hpp"
#include "verify/explain/what_if.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/sensitivity.hpp"

namespace tasktwin::verify {

namespace {

/// The design with each other word of the axis, or half and twice its number.
std::vector<Design> neighbours(const Design& design, const AxisField& axis) {
  std::vector<Design> found;
  if (axis.is_word()) {
    for (const std::string_view word : axis.words) {
      if (word == axis.word(design)) continue;
      found.push_back(design);
      axis.set_word(found.back(), word);
    }
    return found;
  }
  const int number = design.*axis.number;
  for (const int other : {number / 2, number * 2}) {
    if (other == number || other < axis.min || other > axis.max) continue;
    found.push_back(design);
    found.back().*axis.number = other;
  }
  return found;
}

/// 0 where the machine or the graph does not allow it, or its run comes to no end.
Duration makespan_under(const scenarios::Scenario& scenario, const Design& design, std::uint64_t seed) {
  try {
    check_design(design, scenario.machine);
    scenarios::check_runnable(scenario.graph, scenario.machine, design);
    check_admission(scenario, design);
    return Hypothetical{scenario, design}.makespan(seed);
  } catch (const InputError&) {
    return {};
  } catch (const RunError&) {
    return {};
  }
}

/// Likewise of a captured program's work launched another way.
Duration makespan_as(const scenarios::Scenario& scenario, const Design& design, std::string_view word, std::uint64_t seed) {
  try {
    WhatIf wanted;
    wanted.as = std::string(word);
    Selection selection;
    selection.argument = scenario.name;
    selection.scenario = scenario;
    selection.designs = {design};
    const Selection changed = what_if(selection, wanted);
    return Hypothetical{changed.scenario, changed.designs.front()}.makespan(seed);
  } catch (const InputError&) {
    return {};
  } catch (const RunError&) {
    return {};
  }
}

std::string as_number(double value) { return fmt::format("{:g}", value); }

}  // namespace

Changes best_changes(const scenarios::Scenario& scenario, const Design& design, Duration makespan, std::uint64_t seed, Progress& progress) {
  Changes changes;
  const auto keep = [makespan](std::vector<Change>& list, std::string what, Duration other) {
    if (other > Duration{} && other < makespan) list.push_back({std::move(what), other});
  };
  const std::vector<MachineQuantity> quantities = machine_quantities(scenario.machine);
  std::vector<std::pair<const AxisField*, Design>> designs;
  for (const AxisField& axis : axis_fields()) {
    for (Design& other : neighbours(design, axis)) designs.emplace_back(&axis, std::move(other));
  }
  const bool captured = runtime_of(design).id == RuntimeId::kHostProgram;  // it is as it is: what may change is how the work is launched
  const auto ways = captured ? as_words() : std::vector<std::pair<std::string_view, std::string_view>>();
  if (captured) designs.clear();
  progress.expect(quantities.size() + designs.size() + ways.size());
  for (const auto& [word, meaning] : ways) {
    keep(changes.axes, fmt::format("--as {}", word), makespan_as(scenario, design, word, seed));
    progress.advance();
  }
  for (const auto& [axis, other] : designs) {
    keep(changes.axes, fmt::format("{} {} in place of {}", axis->name, axis->quoted(other), axis->quoted(design)),
         makespan_under(scenario, other, seed));
    progress.advance();
  }
  constexpr double kHalf = 0.5;
  for (const MachineQuantity& quantity : quantities) {
    const std::vector<Duration> halved = makespans_with(scenario, std::span(&design, 1), seed, quantity, kHalf);
    keep(changes.constants,
         fmt::format("{} {} in place of {}", quantity.name, as_number(kHalf * quantity.value), as_number(quantity.value)), halved.front());
    progress.advance();
  }
  for (std::vector<Change>* const list : {&changes.axes, &changes.constants}) std::ranges::stable_sort(*list, {}, &Change::makespan);
  changes.tried = quantities.size() + designs.size() + ways.size();
  return changes;
}

}  // namespace tasktwin::verify
