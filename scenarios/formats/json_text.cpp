#include <algorithm>

#include "scenarios/formats/json_file.hpp"

namespace tasktwin::scenarios {

namespace {

bool has_container(const JsonValue& json) {
  return std::any_of(json.begin(), json.end(), [](const JsonValue& item) { return item.is_structured(); });
}

/// Objects below the second level, and lists of plain values, are on one line.
bool in_one_line(const JsonValue& json, std::size_t depth) {
  if (json.empty()) return true;
  if (json.is_object()) return depth >= 2;
  return depth > 0 && (depth >= 4 || !has_container(json));
}

void write(std::string& text, const JsonValue& json, std::size_t depth, bool one_line) {
  if (!json.is_structured()) {
    text += json.dump();
    return;
  }
  const bool together = one_line || in_one_line(json, depth);
  const std::string indent(2 * (depth + 1), ' ');
  text += json.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, item] : json.items()) {
    if (!first) text += together ? ", " : ",";
    if (!together) text += '\n' + indent;
    if (json.is_object()) text += JsonValue(key).dump() + ": ";
    write(text, item, depth + 1, together);
    first = false;
  }
  if (!together) text += '\n' + indent.substr(2);
  text += json.is_object() ? '}' : ']';
}

}  // namespace

std::string json_file_text(const JsonValue& json) {
  std::string text;
  write(text, json, 0, false);
  return text + '\n';
}

}  // namespace tasktwin::scenarios
