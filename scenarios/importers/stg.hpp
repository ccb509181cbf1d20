#pragma once

#include <string>
#include <string_view>

#include "models/units.hpp"
#include "scenarios/importers/imported_graph.hpp"

namespace tasktwin::scenarios {

/// A graph of the Standard Task Graph Set (www.kasahara.cs.waseda.ac.jp/schedule/): first the number of tasks without the two dummies,
/// then a line a task, `id time predecessors id id …`, from the entry 0 to the exit; '#' begins a comment. Times have no unit there:
/// each is `unit` long. Throws InputError with line and column for everything else.
ImportedGraph read_stg(const std::string& file, std::string_view text, Duration unit);

Importer stg_importer();

}  // namespace tasktwin::scenarios
