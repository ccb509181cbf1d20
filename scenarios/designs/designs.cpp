#include "scenarios/designs/designs.hpp"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "models/runtimes/runtimes.hpp"
#include "scenarios/designs/design_schema.hpp"
#include "scenarios/designs/overrides.hpp"
#include "scenarios/designs/stated_parts.hpp"
#include "scenarios/designs/stated_policies.hpp"
#include "scenarios/designs/stated_sets.hpp"
#include "scenarios/document/faults.hpp"
#include "scenarios/schema/schema_faults.hpp"

namespace tasktwin::scenarios {

namespace {

/// `folder`: what paths in it are relative to.
void read_axis(const Node& node, const AxisField& field, const std::string& folder, Design& design) {
  if (node.kind == Node::Kind::kMap) {
    read_policy(node, field.name, folder, design);
  } else if (field.is_word()) {
    field.set_word(design, node.text);
  } else {
    design.*field.number = static_cast<int>(node.integer);
  }
}

/// named_design, its refusal put at its place.
Design named_at(const Document& document, const Node& node, const std::string& path) {
  try {
    return named_design(node.text);
  } catch (const InputError& wrong) {
    throw InputError(document.at(node), path + ": " + wrong.what());
  }
}

/// What a design is before its own axes.
Design base_from(const Document& document, const Node& node, const std::string& path) {
  if (node.kind == Node::Kind::kText) return named_at(document, node, path);
  const Node* from = node.find("from");
  return from ? named_at(document, *from, path + ".from") : Design{};
}

Design design_from(const Document& document, const Node& node, const std::string& path) {
  Design design = base_from(document, node, path);
  if (node.kind == Node::Kind::kText) return design;
  const Node& name = *node.find("name");
  const bool is_taken = std::ranges::find(named_designs(), std::string_view(name.text), &Design::name) != named_designs().end();
  if (is_taken && !is_overridden_name(node)) {
    throw InputError(document.at(name),
                     path + ".name: '" + name.text + "' is a named design; a design of your own needs a name of its own");
  }
  design.name = name.text;
  for (const AxisField& field : axis_fields()) {
    const Node* const axis = node.find(field.name);
    if (!axis) continue;
    try {
      read_axis(*axis, field, std::filesystem::path(document.file).parent_path().string(), design);
    } catch (const InputError& wrong) {
      throw InputError(document.at(*axis), path + "." + std::string(field.name) + ": " + wrong.what());
    }
  }
  if (const Node* replay = node.find("replay")) design.replay = replay->text;
  if (const Node* parts = node.find("parts")) design.parts = design_parts_from(*parts);
  if (const Node* sets = node.find("sets")) design.sets = design_sets_from(*sets);
  return design;
}

}  // namespace

std::vector<Design> designs_from(const Document& document, const Node& list, const Machine& machine) {
  std::vector<Design> designs;
  Faults faults;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node& node = list.items[i];
    const std::string path = "designs[" + std::to_string(i) + "]";
    faults.attempt([&] {
      Design design = design_from(document, node, path);
      if (std::ranges::find(designs, design.name, &Design::name) != designs.end()) {
        const Node* name = node.find("name");
        throw InputError(document.at(name ? *name : node),
                         path + ": the name '" + design.name + "' stands twice; designs need names of their own");
      }
      designs.push_back(std::move(design));
      try {
        check_design(designs.back(), machine);
      } catch (const InputError& wrong) {
        throw InputError(document.at(node), path + ": " + wrong.what());
      }
    });
  }
  faults.check();
  return designs;
}

std::map<std::string, Design> bases_from(const Document& document, const Node& list, const std::vector<Design>& designs) {
  std::map<std::string, Design> bases;
  for (std::size_t i = 0; i < designs.size(); ++i) bases.emplace(designs[i].name, base_from(document, list.items[i], "designs"));
  return bases;
}

void set_axis(Design& design, const std::string& axis, const Node& value) {
  const bool is_replay = axis == "replay";
  const bool is_parts = axis == "parts";
  const bool is_sets = axis == "sets";
  const AxisField* const field = is_replay || is_parts || is_sets ? nullptr : &axis_named(axis);
  const nlohmann::json& property = schema::design_property(axis);
  require(property, property, value, axis);
  if (is_replay)
    design.replay = value.text;
  else if (is_parts)
    design.parts = design_parts_from(value);
  else if (is_sets)
    design.sets = design_sets_from(value);
  else
    read_axis(value, *field, {}, design);
}

}  // namespace tasktwin::scenarios
