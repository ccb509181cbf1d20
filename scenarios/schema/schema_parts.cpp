#include "scenarios/schema/schema_parts.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "scenarios/document/characters.hpp"

namespace tasktwin::scenarios::schema {

namespace {

Json with_meaning(std::string_view meaning, Json schema) {
  if (!meaning.empty()) schema["description"] = meaning;
  return schema;
}

/// A whole number is one for messages too, without an exponent.
Json bound(double number) { return number == std::floor(number) ? Json(static_cast<std::int64_t>(number)) : Json(number); }

}  // namespace

Json whole(std::string_view meaning, std::int64_t min, std::int64_t max, std::optional<std::int64_t> preset) {
  Json schema = with_meaning(meaning, {{"type", "integer"}, {"minimum", min}, {"maximum", max}});
  if (preset) schema["default"] = *preset;
  return schema;
}

Json truth(std::string_view meaning) { return with_meaning(meaning, {{"type", "boolean"}, {"default", false}}); }

Json number(std::string_view meaning, double min, double max, std::optional<double> preset) {
  Json schema = with_meaning(meaning, {{"type", "number"}, {"minimum", bound(min)}, {"maximum", bound(max)}});
  if (preset) schema["default"] = bound(*preset);
  return schema;
}

Json positive(std::string_view meaning, double max) {
  return with_meaning(meaning, {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", bound(max)}});
}

Json word(std::string_view meaning, std::span<const std::string_view> words, std::string_view preset) {
  Json schema = with_meaning(meaning, {{"enum", words}});
  if (!preset.empty()) schema["default"] = preset;
  return schema;
}

Json physical_core_type(std::string_view meaning) {
  std::vector<std::string_view> physical;
  for (const auto& [type, of_type] : Words<CoreType>::entries) {
    if (type != CoreType::kMix) physical.push_back(of_type);
  }
  return word(meaning, physical);
}

Json text(std::string_view meaning, std::optional<int> max_bytes) {
  Json schema = with_meaning(meaning, {{"type", "string"}, {"minLength", 1}});
  if (max_bytes) schema["maxLength"] = *max_bytes;
  return schema;
}

Json remark() { return {{"type", "string"}, {"maxLength", kMaxText}}; }

Json name(std::string_view meaning) {
  Json form = text(kNameForm, 100);  // is_name
  form["pattern"] = "^[A-Za-z0-9][A-Za-z0-9._-]*$";
  return with_meaning(meaning, {{"allOf", Json::array({std::move(form)})}});
}

Json list(std::string_view meaning, Json items, int min_items) {
  Json schema = with_meaning(meaning, {{"type", "array"}, {"items", std::move(items)}});
  if (min_items > 0) schema["minItems"] = min_items;
  return schema;
}

Json pair(std::string_view meaning, Json items) {
  Json schema = list(meaning, std::move(items), 2);
  schema["maxItems"] = 2;
  return schema;
}

Json map(std::string_view meaning, Json properties, std::initializer_list<std::string_view> required) {
  Json schema = with_meaning(meaning, {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}});
  if (required.size() > 0) schema["required"] = required;
  return schema;
}

Json or_else(std::string_view type, Json schema) {
  schema["type"] = {type, schema["type"]};
  return schema;
}

Json reference(std::string_view meaning, std::string_view pointer) { return with_meaning(meaning, {{"$ref", pointer}}); }

Json document(std::string_view title, Json schema) {
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = title;
  return schema;
}

}  // namespace tasktwin::scenarios::schema
