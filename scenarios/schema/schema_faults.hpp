#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// A node that a validator found at fault, with what the schema says about it.
struct Subject {
  const Node* node = nullptr;
  std::string path;                            ///< "graph.tasks[3]"; empty for the whole document
  std::vector<const nlohmann::json*> schemas;  ///< all that apply: references, allOf and then-branches resolved
};

/// Walks from the document's root along `path` (keys, and list positions as decimal text).
Subject find_subject(const nlohmann::json& schema, const Node& root, const std::vector<std::string>& path);

/// What is wrong with the node by itself, its values' own faults aside: its value, or else its keys.
std::vector<Fault> explain(const Subject& subject);

/// Throws InputFaults, without places, for all that is wrong with the first node at fault of `node` and what is below it under `schema`, a
/// part of `root`: the words that the same faults have in a file. `path` is what they call the node.
void require(const nlohmann::json& root, const nlohmann::json& schema, const Node& node, const std::string& path);

}  // namespace tasktwin::scenarios
