#include "scenarios/schema_faults.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "models/names.hpp"
#include "scenarios/scalar.hpp"

namespace tasktwin::scenarios {

namespace {

using Json = nlohmann::json;

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

/// The forms of `if` that the schemas use: required keys, keys with a constant value, and the contrary.
bool condition_holds(const Json& condition, const Node& node) {
  if (const auto contrary = condition.find("not"); contrary != condition.end() && condition_holds(*contrary, node)) return false;
  for (const Json& key : condition.value("required", Json::array())) {
    if (!node.find(key.get_ref<const std::string&>())) return false;
  }
  const Json properties = condition.value("properties", Json::object());
  return std::ranges::all_of(properties.items(), [&node](const auto& property) {
    const Node* value = node.find(property.key());
    return !value || value->text == property.value().value("const", std::string());
  });
}

/// `schema` and all that it refers to for `node`.
void collect(const Json& root, const Json& schema, const Node& node, std::vector<const Json*>& into) {
  if (!schema.is_object()) return;
  if (const auto reference = schema.find("$ref"); reference != schema.end()) {
    collect(root, root.at(Json::json_pointer(reference->get<std::string>().substr(1))), node, into);
    return;
  }
  into.push_back(&schema);
  if (const auto parts = schema.find("allOf"); parts != schema.end()) {
    for (const Json& part : *parts) collect(root, part, node, into);
  }
  if (schema.contains("if") && schema.contains("then") && condition_holds(schema["if"], node)) collect(root, schema["then"], node, into);
}

bool has_type(const Node& node, std::string_view type) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return type == "null";
    case Node::Kind::kBool:
      return type == "boolean";
    case Node::Kind::kInteger:
      return type == "integer" || type == "number";
    case Node::Kind::kReal:
      return type == "number";
    case Node::Kind::kText:
      return type == "string";
    case Node::Kind::kList:
      return type == "array";
    case Node::Kind::kMap:
      return type == "object";
  }
  return false;
}

std::string type_in_words(std::string_view type) {
  if (type == "integer") return "a whole number";
  if (type == "number") return "a number";
  if (type == "string") return "text";
  if (type == "array") return "a list";
  if (type == "object") return "a map";
  return std::string(type);
}

std::string range_in_words(const Json& schema) {
  const auto number = [](const Json& value) { return value.is_number_float() ? shortest(value.get<double>()) : value.dump(); };
  std::vector<std::string> parts;
  if (schema.contains("exclusiveMinimum")) parts.push_back("more than " + number(schema["exclusiveMinimum"]));
  if (schema.contains("minimum") && schema.contains("maximum")) return number(schema["minimum"]) + " to " + number(schema["maximum"]);
  if (schema.contains("minimum")) parts.push_back("at least " + number(schema["minimum"]));
  if (schema.contains("maximum")) parts.push_back("at most " + number(schema["maximum"]));
  return joined(parts, " and ");
}

std::optional<std::string> wrong_type(const Json& schema, const Node& node) {
  const auto type = schema.find("type");
  if (type == schema.end()) return std::nullopt;
  const Json types = type->is_array() ? *type : Json::array({*type});
  std::vector<std::string> words;
  for (const Json& candidate : types) {
    const auto& word = candidate.get_ref<const std::string&>();
    if (has_type(node, word)) return std::nullopt;
    words.push_back(type_in_words(word));
  }
  const bool unquoted =
      node.kind != Node::Kind::kList && node.kind != Node::Kind::kMap && node.kind != Node::Kind::kNull && words.front() == "text";
  const std::string range = range_in_words(schema);
  return "is " + describe(node) + "; must be " + joined(words, " or ") + (range.empty() ? "" : ", " + range) +
         (unquoted ? " (put it in quotes)" : "");
}

std::optional<std::string> wrong_number(const Json& schema, const Node& node) {
  if (node.kind != Node::Kind::kInteger && node.kind != Node::Kind::kReal) return std::nullopt;
  const bool outside = (schema.contains("minimum") && node.real < schema["minimum"].get<double>()) ||
                       (schema.contains("exclusiveMinimum") && node.real <= schema["exclusiveMinimum"].get<double>()) ||
                       (schema.contains("maximum") && node.real > schema["maximum"].get<double>());
  if (outside) return "is " + node.text + "; must be " + range_in_words(schema);
  if (schema.contains("multipleOf") && node.integer % schema["multipleOf"].get<std::int64_t>() != 0) {
    return "is " + node.text + "; must be a multiple of " + schema["multipleOf"].dump();
  }
  return std::nullopt;
}

std::optional<std::string> wrong_text(const Json& schema, const Node& node) {
  if (const auto words = schema.find("enum"); words != schema.end()) {
    const auto is_word = [&node](const Json& word) {
      return node.kind == Node::Kind::kText && word.get_ref<const std::string&>() == node.text;
    };
    if (std::ranges::any_of(*words, is_word)) return std::nullopt;
    std::vector<std::string_view> choices;
    for (const Json& word : *words) choices.push_back(word.get_ref<const std::string&>());
    return "unknown value " + in_quotes(node.text) + suggest(node.text, choices);
  }
  if (node.kind != Node::Kind::kText) return std::nullopt;
  if (schema.contains("minLength") && node.text.empty()) return "is empty; text is needed";
  if (schema.contains("maxLength") && node.text.size() > schema["maxLength"].get<std::size_t>()) {
    return "is " + std::to_string(node.text.size()) + " bytes long; at most " + schema["maxLength"].dump() + " are allowed";
  }
  if (schema.contains("pattern")) return "is " + in_quotes(node.text) + "; must be " + schema.value("description", std::string());
  return std::nullopt;
}

std::optional<std::string> wrong_length(const Json& schema, const Node& node) {
  if (node.kind != Node::Kind::kList) return std::nullopt;
  if (schema.contains("minItems") && node.items.size() < schema["minItems"].get<std::size_t>()) {
    return "has " + std::to_string(node.items.size()) + " items; must have at least " + schema["minItems"].dump();
  }
  if (schema.contains("maxItems") && node.items.size() > schema["maxItems"].get<std::size_t>()) {
    return "has " + std::to_string(node.items.size()) + " items; must have at most " + schema["maxItems"].dump();
  }
  return std::nullopt;
}

std::string below(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

/// The key of a map that no schema knows, at the key; else one that is missing, at the map.
std::optional<Fault> wrong_key(const Subject& subject) {
  const Node& node = *subject.node;
  if (node.kind != Node::Kind::kMap) return std::nullopt;
  for (const Json* schema : subject.schemas) {
    if (schema->value("additionalProperties", Json(true)) != Json(false)) continue;
    const Json& properties = schema->at("properties");
    for (const Node::Key& key : node.keys) {
      if (properties.contains(key.text)) continue;
      std::vector<std::string_view> valid;
      for (const auto& property : properties.items()) valid.push_back(property.key());
      return Fault{key.line, key.column, below(subject.path, key.text) + ": unknown key" + suggest(key.text, valid)};
    }
  }
  for (const Json* schema : subject.schemas) {
    for (const Json& key : schema->value("required", Json::array())) {
      const auto& word = key.get_ref<const std::string&>();
      if (node.find(word)) continue;
      const Json& properties = schema->at("properties");
      const std::string meaning = properties.contains(word) && properties[word].contains("description")
                                      ? " (" + properties[word]["description"].get<std::string>() + ")"
                                      : "";
      return Fault{node.line, node.column, below(subject.path, word) + ": missing" + meaning};
    }
  }
  return std::nullopt;
}

}  // namespace

Subject find_subject(const Json& schema, const Node& root, const std::vector<std::string>& path) {
  Subject subject{&root, {}, {}};
  collect(schema, schema, root, subject.schemas);
  for (const std::string& step : path) {
    const Node& parent = *subject.node;
    Subject next;
    std::string_view keyword = "items";
    if (parent.kind == Node::Kind::kList) {
      next.node = &parent.items[static_cast<std::size_t>(std::strtoull(step.c_str(), nullptr, 10))];
      next.path = subject.path + "[" + step + "]";
    } else {
      next.node = parent.find(step);
      next.path = below(subject.path, step);
      keyword = "properties";
    }
    if (!next.node) break;
    for (const Json* above : subject.schemas) {
      const auto found = above->find(keyword);
      if (found == above->end()) continue;
      if (parent.kind == Node::Kind::kList) {
        collect(schema, *found, *next.node, next.schemas);
      } else if (found->contains(step)) {
        collect(schema, (*found)[step], *next.node, next.schemas);
      }
    }
    subject = std::move(next);
  }
  return subject;
}

std::optional<Fault> explain(const Subject& subject) {
  for (const auto check : {wrong_type, wrong_text, wrong_number, wrong_length}) {
    for (const Json* schema : subject.schemas) {
      const auto wrong = check(*schema, *subject.node);
      if (wrong)
        return Fault{subject.node->line, subject.node->column, (subject.path.empty() ? "the document" : subject.path + ":") + " " + *wrong};
    }
  }
  return wrong_key(subject);
}

}  // namespace tasktwin::scenarios
