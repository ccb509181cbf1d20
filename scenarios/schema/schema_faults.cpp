#include "scenarios/schema/schema_faults.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/base/names.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace {

using Json = nlohmann::json;

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

bool has_type(const Node& node, std::string_view type);

/// The forms of `if` that the schemas use: a type, required keys, keys with a constant value, and the contrary.
bool condition_holds(const Json& condition, const Node& node) {
  if (const auto type = condition.find("type"); type != condition.end() && !has_type(node, type->get_ref<const std::string&>()))
    return false;
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
  if (!schema.contains("if")) return;
  const char* const branch = condition_holds(schema["if"], node) ? "then" : "else";
  if (schema.contains(branch)) collect(root, schema[branch], node, into);
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
  if (type == "boolean") return "true or false";
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
         (unquoted                                                      ? " (put it in quotes)"
          : words.front() == "a list" && node.kind == Node::Kind::kText ? ", such as [" + node.text + "]"
                                                                        : "");
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

/// A unit in which people write a quantity, and the one that keys have.
struct Unit {
  std::string_view theirs;
  std::string_view ours;
  double factor;
};
constexpr std::array kUnits{Unit{"_us", "_ns", 1e3},
                            Unit{"_ms", "_ns", 1e6},
                            Unit{"_s", "_ns", 1e9},
                            Unit{"_tb_per_s", "_gb_per_s", 1e3},
                            Unit{"_mb_per_s", "_gb_per_s", 1e-3},
                            Unit{"_kib", "_bytes", 1024},
                            Unit{"_mib", "_bytes", 1024.0 * 1024}};

/// "; did you mean 'time_ns: 5000'? (1 us is 1000 ns)" for a key that is known in another unit, so that a user does not rename it and
/// leaves the number as it is; nullopt for others.
std::optional<std::string> in_our_unit(const std::string& key, const Node& value, const Json& properties) {
  for (const auto& [theirs, ours, factor] : kUnits) {
    if (!key.ends_with(theirs)) continue;
    const std::string quantity = key.substr(0, key.size() - theirs.size());
    const bool is_time = ours == "_ns" && (quantity == "duration" || quantity == "cost" || quantity == "runtime");
    const std::string known = (is_time ? "time" : quantity) + std::string(ours);
    if (!properties.contains(known)) continue;
    const bool is_number = value.kind == Node::Kind::kInteger || value.kind == Node::Kind::kReal;
    const auto word = [](std::string_view unit) { return std::string(unit.substr(1)); };
    const auto text = [](double number) {
      const bool is_whole = number == std::floor(number) && std::abs(number) < 1e15;
      return is_whole ? std::to_string(static_cast<std::int64_t>(number)) : shortest(number);
    };
    return "; did you mean '" + known + (is_number ? ": " + text(value.real * factor) : "") + "'? (1 " + word(theirs) + " is " +
           text(factor) + " " + word(ours) + ")";
  }
  return std::nullopt;
}

/// What other tools and people call keys.
constexpr std::array<std::pair<std::string_view, std::string_view>, 23> kSynonyms{{
    {"predecessors", "after"}, {"deps", "after"},       {"depends_on", "after"},
    {"dependencies", "after"}, {"parents", "after"},    {"requires", "after"},
    {"waits_for", "after"},    {"duration", "time_ns"}, {"duration_ns", "time_ns"},
    {"cost_ns", "time_ns"},    {"gpu", "device"},       {"rank", "device"},
    {"ranks", "group"},        {"grid", "blocks"},      {"smem", "shared_memory_bytes"},
    {"size", "bytes"},         {"size_bytes", "bytes"}, {"op", "operation"},
    {"type", "operation"},     {"nodes", "tasks"},      {"base", "from"},
    {"design", "name"},        {"id", "name"},
}};

/// The key of `properties` that others call `key`; empty for none.
std::string_view synonym(std::string_view key, const Json& properties) {
  for (const auto& [theirs, ours] : kSynonyms) {
    if (key == theirs && properties.contains(ours)) return ours;
  }
  return {};
}

/// What a text may end with where a number is due, and what that is of the key's unit.
struct Suffix {
  std::string_view unit;
  std::string_view ours;
  double factor;
};
constexpr std::array kSuffixes{Suffix{"ns", "_ns", 1},
                               Suffix{"us", "_ns", 1e3},
                               Suffix{"µs", "_ns", 1e3},
                               Suffix{"ms", "_ns", 1e6},
                               Suffix{"s", "_ns", 1e9},
                               Suffix{"B", "bytes", 1},
                               Suffix{"KB", "bytes", 1e3},
                               Suffix{"kB", "bytes", 1e3},
                               Suffix{"MB", "bytes", 1e6},
                               Suffix{"GB", "bytes", 1e9},
                               Suffix{"KiB", "bytes", 1024},
                               Suffix{"MiB", "bytes", 1024.0 * 1024},
                               Suffix{"GiB", "bytes", 1024.0 * 1024 * 1024}};

/// "; 4us is 4000" for a number with a unit where the key has the unit; empty for all else.
std::string without_unit(const std::string& path, const Json& schema, const Node& node) {
  const auto type = schema.find("type");
  if (node.kind != Node::Kind::kText || type == schema.end() || (*type != "integer" && *type != "number")) return "";
  double number = 0;
  const char* const text_end = node.text.data() + node.text.size();
  const auto [end, failure] = std::from_chars(node.text.data(), text_end, number);
  if (failure != std::errc()) return "";
  std::string_view unit(end, static_cast<std::size_t>(text_end - end));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  std::string_view key = std::string_view(path).substr(path.rfind('.') + 1);
  key = key.substr(0, key.find('['));
  for (const auto& [theirs, ours, factor] : kSuffixes) {
    if (unit != theirs || !key.ends_with(ours)) continue;
    const double value = number * factor;
    const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
    if (!is_whole && *type == "integer") return "";
    return "; " + node.text + " is " + (is_whole ? std::to_string(static_cast<std::int64_t>(value)) : shortest(value));
  }
  return "";
}

/// The keys of a map that no schema knows, at the key.
std::vector<Fault> unknown_keys(const Subject& subject) {
  std::vector<Fault> faults;
  for (const Json* schema : subject.schemas) {
    if (schema->value("additionalProperties", Json(true)) != Json(false)) continue;
    const Json& properties = schema->at("properties");
    std::vector<std::string_view> valid;
    for (const auto& property : properties.items()) valid.push_back(property.key());
    for (std::size_t i = 0; i < subject.node->keys.size(); ++i) {
      const Node::Key& key = subject.node->keys[i];
      if (properties.contains(key.text)) continue;
      const auto in_unit = in_our_unit(key.text, subject.node->items[i], properties);
      const std::string_view meant = synonym(key.text, properties);
      const std::string choices = suggest(meant.empty() ? std::string_view(key.text) : meant, valid);
      faults.push_back({key.line, key.column, below(subject.path, key.text) + ": unknown key" + in_unit.value_or(choices)});
    }
  }
  return faults;
}

/// Whether an unknown key of the map is most likely `word`, misspelt.
bool is_misspelt(const Subject& subject, const Json& properties, const std::string& word) {
  return std::ranges::any_of(subject.node->keys, [&](const Node::Key& key) {
    const std::array choices{std::string_view(word)};
    return !properties.contains(key.text) && (nearest_word(key.text, choices) || synonym(key.text, properties) == word);
  });
}

/// The keys that a map lacks, at the map.
std::vector<Fault> missing_keys(const Subject& subject) {
  std::vector<Fault> faults;
  for (const Json* schema : subject.schemas) {
    for (const Json& key : schema->value("required", Json::array())) {
      const auto& word = key.get_ref<const std::string&>();
      const Json& properties = schema->at("properties");
      if (subject.node->find(word) || is_misspelt(subject, properties, word)) continue;
      const std::string meaning = properties.contains(word) && properties[word].contains("description")
                                      ? " (" + properties[word]["description"].get<std::string>() + ")"
                                      : "";
      faults.push_back({subject.node->line, subject.node->column, below(subject.path, word) + ": missing" + meaning});
    }
  }
  return faults;
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
      const bool is_known = found != above->end() && (parent.kind == Node::Kind::kList || found->contains(step));
      if (!is_known) {  // a key of any name
        if (const auto any = above->find("additionalProperties"); any != above->end()) collect(schema, *any, *next.node, next.schemas);
      } else {
        collect(schema, parent.kind == Node::Kind::kList ? *found : (*found)[step], *next.node, next.schemas);
      }
    }
    subject = std::move(next);
  }
  return subject;
}

std::vector<Fault> explain(const Subject& subject) {
  const Node& node = *subject.node;
  for (const auto check : {wrong_type, wrong_text, wrong_number, wrong_length}) {
    for (const Json* schema : subject.schemas) {
      if (const auto wrong = check(*schema, node))
        return {{node.line, node.column,
                 (subject.path.empty() ? "the document" : subject.path + ":") + " " + *wrong + without_unit(subject.path, *schema, node)}};
    }
  }
  if (node.kind != Node::Kind::kMap) return {};
  std::vector<Fault> faults = unknown_keys(subject);
  std::ranges::move(missing_keys(subject), std::back_inserter(faults));
  return faults;
}

void require(const Json& root, const Json& schema, const Node& node, const std::string& path) {
  Subject subject{&node, path, {}};
  collect(root, schema, node, subject.schemas);
  Faults faults;
  for (const Fault& fault : explain(subject)) faults.add({}, fault.message);
  faults.check();
  for (const Json* part : subject.schemas) {
    const bool is_list = node.kind == Node::Kind::kList;
    const auto below_it = part->find(is_list ? "items" : "properties");
    if (below_it == part->end()) continue;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (is_list)
        require(root, *below_it, node.items[i], path + "[" + std::to_string(i) + "]");
      else if (const auto known = below_it->find(node.keys[i].text); known != below_it->end())
        require(root, *known, node.items[i], below(path, node.keys[i].text));
    }
  }
}

}  // namespace tasktwin::scenarios
