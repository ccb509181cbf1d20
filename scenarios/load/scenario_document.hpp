#pragma once

#include <functional>
#include <span>
#include <string>

#include "scenarios/document/document.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::scenarios {

/// Throws InputError for a design of a scenario that something else than its file refuses.
using Admission = std::function<void(const Scenario& scenario, const Design& design)>;

/// The scenario that `document` describes: a file of its own, or a part of another. Throws InputError at its place, InputFaults
/// where several things are wrong: all independent faults, what `admits` refuses of a design at its place.
Scenario scenario_from(const Document& document, const Admission& admits = {});

/// As load_scenario, but overrides of all designs go to those of the names `selected`, where there are any
/// (scenarios/designs/overrides.hpp).
Scenario load_scenario(const std::string& path_or_name, std::span<const std::string> overrides, std::span<const std::string> selected,
                       const Admission& admits = {});

/// With those designs alone, the file's or named ones, so that what refuses others does not count; with all of the file's where `designs`
/// is empty or names one that is neither.
Scenario load_scenario_under(const std::string& path_or_name, std::span<const std::string> designs, std::span<const std::string> overrides,
                             const Admission& admits = {});

/// What the file of a shipped scenario says of it; nothing else is checked.
std::string scenario_description(const std::string& name);

/// How many rows `graph.draws` of the scenario has, each of which is a draw; 0 where it has none. Throws InputError for a file that cannot
/// be read.
std::size_t draws_of(const std::string& path_or_name);

}  // namespace tasktwin::scenarios
