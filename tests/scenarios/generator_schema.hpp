#pragma once

#include <nlohmann/json.hpp>

#include "scenarios/generators.hpp"

namespace tasktwin::scenarios {

/// What the scenario schema must say about every generator's parameters, made from the generators' own table.
inline nlohmann::ordered_json generator_schema() {
  using Json = nlohmann::ordered_json;
  Json branches = Json::array();
  for (const Generator& generator : generators()) {
    Json properties = {{"generator", {{"const", generator.name}}}};
    for (const Parameter& parameter : generator.parameters) {
      Json& entry = properties[std::string(parameter.name)];
      entry["description"] = parameter.meaning;
      if (parameter.is_word()) {
        entry["enum"] = parameter.words;
        entry["default"] = parameter.word;
      } else {
        entry["type"] = "integer";
        entry["minimum"] = parameter.min;
        entry["maximum"] = parameter.max;
        if (parameter.multiple_of != 1) entry["multipleOf"] = parameter.multiple_of;
        entry["default"] = parameter.value;
      }
    }
    branches.push_back({{"if", {{"properties", {{"generator", {{"const", generator.name}}}}}, {"required", {"generator"}}}},
                        {"then", {{"description", generator.meaning}, {"properties", properties}, {"additionalProperties", false}}}});
  }
  return branches;
}

}  // namespace tasktwin::scenarios
