#include "scenarios/designs/stated_policies.hpp"

#include <filesystem>
#include <utility>

#include "models/policies/own_policies.hpp"
#include "scenarios/policy_files/policy_file.hpp"
#include "scenarios/schema/schema_parts.hpp"

namespace tasktwin::scenarios {

nlohmann::json stated_policy_schema() {
  using namespace schema;
  constexpr double kMost = 1e18;
  Json parameters{{"type", "object"}, {"additionalProperties", number("", -kMost, kMost)}};
  parameters["description"] = "numbers of the policy's own, by name";
  return map("",
             {{"policy", text("the shared object that defines it, beside this file", {})},
              {"name", text("which of its policies; may be left out where it has one for this axis")},
              {"parameters", std::move(parameters)}},
             {"policy"});
}

void read_policy(const Node& node, std::string_view axis, const std::string& folder, Design& design) {
  OwnPolicy policy{.file = node.find("policy")->text, .name = {}};
  const std::string path = (std::filesystem::path(folder) / policy.file).string();
  const Node* const name = node.find("name");
  policy.entry = find_policy(load_policies(path), axis, name ? std::string_view(name->text) : std::string_view());
  policy.name = policy.entry->name;
  if (const Node* const parameters = node.find("parameters")) {
    for (std::size_t i = 0; i < parameters->keys.size(); ++i) policy.parameters[parameters->keys[i].text] = parameters->items[i].real;
  }
  set_own(design, axis, std::move(policy));
}

}  // namespace tasktwin::scenarios
