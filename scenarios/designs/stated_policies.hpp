#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "models/design/design.hpp"
#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// What a map at an axis says: the policy of a shared object in place of the axis' words.
nlohmann::json stated_policy_schema();

/// Puts the policy that `node`, a map that has passed the schema, names in place of a word of `axis`. `folder` is what its path is relative
/// to. Throws InputError for what load_policies, find_policy and set_own refuse.
void read_policy(const Node& node, std::string_view axis, const std::string& folder, Design& design);

}  // namespace tasktwin::scenarios
