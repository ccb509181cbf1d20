#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// Changes a scenario's document, before it is checked, by texts of the form "path=value": keys joined by dots, in a list [i] for a
/// position or the name of an item, and a YAML value ("graph.time_ns=500", "machine.device_control.poll_ns=20", "seed=3"). Of `designs`, a
/// key goes to every design ("designs.mailbox_depth=2"), where there are `selected` names to these alone, or to one by its name or position
/// ("designs.mine.streams=8"). A selected named design that the scenario lacks joins its designs. A named machine or design so changed
/// becomes a map that starts from it; a named design keeps its name. Later texts win. Whatever the schema refuses later is then said of
/// "override 'path=value'". Throws InputError for a text of another form, a position or design that is not there and a key below a plain
/// value.
void apply_overrides(Document& document, std::span<const std::string> overrides, std::span<const std::string> selected = {});

/// The key of the document's root that `text` changes something of: "graph" for "graph.time_ns=500". Of another form it may be anything.
std::string_view overridden_section(std::string_view text);

/// Applies the override at `position` of `document.overrides` alone.
void apply_override(Document& document, std::size_t position, std::span<const std::string> selected);

/// Whether `design`, a map, is a named design with overrides: it bears that design's name itself.
bool is_overridden_name(const Node& design);

/// The name of an entry of `designs`; empty where it has none.
std::string_view design_name(const Node& design);

/// Adds the named design `name` to `designs`, a list.
void add_named_design(Node& designs, const std::string& name, const SourceLocation& here);

}  // namespace tasktwin::scenarios
