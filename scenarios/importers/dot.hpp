#pragma once

#include <string>

#include "scenarios/importers/imported_graph.hpp"

namespace tasktwin::scenarios {

/// A task graph in the DOT language as DAGGEN and SimGrid write it: `size` of a node is its work in flop, `size` of an edge the bytes
/// that come with it; an edge without, or with a negative size, is an order alone. Nodes without a size have empty bodies, which a
/// remark counts, as it does attributes that nothing reads. Throws as parse_dot does, and for a size that is no number, and two of a node.
ImportedGraph read_dot(const std::string& file, std::string_view text);

Importer dot_importer();

}  // namespace tasktwin::scenarios
