#include "scenarios/designs/design_schema.hpp"

#include "models/design/design.hpp"
#include "scenarios/designs/stated_parts.hpp"
#include "scenarios/designs/stated_policies.hpp"
#include "scenarios/designs/stated_sets.hpp"

namespace tasktwin::scenarios::schema {

namespace {

Json design() {
  Json properties{
      {"name", name("its name")},
      {"from", text("named design to start from", {})},
      {"replay", text("what placement replay follows: a file with the columns task and core, or one that simulate --timeline wrote", {})},
      {"parts", design_parts_schema()},
      {"sets", design_sets_schema()}};
  for (const AxisField& axis : axis_fields()) {
    Json& property = properties[std::string(axis.name)];
    property = axis.is_word() ? word(axis.meaning, axis.words) : whole(axis.meaning, axis.min, axis.max);
    if (axis.own != nullptr)
      property = {
          {"description", axis.meaning}, {"if", {{"type", "object"}}}, {"then", stated_policy_schema()}, {"else", word("", axis.words)}};
  }
  return or_else("string", map("", std::move(properties), {"name"}));
}

}  // namespace

Json designs() {
  constexpr int kMostDesigns = 1000;
  Json all = list("named designs, or designs made from them", design());
  all["maxItems"] = kMostDesigns;
  return all;
}

const Json& design_property(std::string_view name) {
  static const Json all = design();
  return all["properties"][name];
}

}  // namespace tasktwin::scenarios::schema
