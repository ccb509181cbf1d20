#pragma once

#include <span>
#include <string>

#include "scenarios/document.hpp"

namespace tasktwin::scenarios {

/// Changes a scenario's document, before it is checked, by texts of the form "path=value": keys joined by dots, [i] for a
/// position in a list, and a YAML value ("graph.time_ns=500", "machine.device_control.poll_ns=20", "seed=3"). Of `designs`, a key
/// goes to every design ("designs.mailbox_depth=2"), where there are `selected` names to these alone, or to one by its name or
/// position ("designs.mine.streams=8"). A selected named design that the scenario lacks joins its designs.
/// A named machine or design so changed becomes a map that starts from it; a named design keeps its name. Later texts
/// win. Whatever the schema refuses later is then said of "override 'path=value'".
/// Throws InputError for a text of another form, a position or design that is not there and a key below a plain value.
void apply_overrides(Document& document, std::span<const std::string> overrides, std::span<const std::string> selected = {});

/// Whether `design`, a map, is a named design with overrides: it bears that design's name itself.
bool is_overridden_name(const Node& design);

}  // namespace tasktwin::scenarios
