#include "scenarios/importers/json_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "scenarios/document.hpp"
#include "scenarios/text_file.hpp"

namespace tasktwin::scenarios {

namespace {

/// Where the `byte`-th byte, from 1, stands.
SourceLocation location(const std::string& path, const std::string& text, std::size_t byte) {
  SourceLocation where{path, 1, 1};
  for (std::size_t i = 0; i + 1 < std::min(byte, text.size() + 1); ++i) {
    where.column = text[i] == '\n' ? 1 : where.column + 1;
    where.line += text[i] == '\n' ? 1 : 0;
  }
  return where;
}

/// What the parser says behind its own account of the place.
std::string reason(const std::string& message) {
  constexpr std::string_view kBefore = "syntax error ";
  const std::size_t at = message.find(kBefore);
  return at == std::string::npos ? message : message.substr(at + kBefore.size());
}

/// Refuses while the parser reads what it would let pass.
class Strictness {
 public:
  explicit Strictness(const std::string& path) : path_(path) {}

  bool operator()(int depth, JsonValue::parse_event_t event, JsonValue& value) {
    using Event = JsonValue::parse_event_t;
    if (depth > static_cast<int>(kMaxJsonDepth)) refuse("is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key && !keys_.back().insert(value.get<std::string>()).second) {
      refuse("the key " + in_quotes(value.get<std::string>()) + " stands twice in an object");
    }
    if (event == Event::value && value.is_number_float() && std::abs(value.get<double>()) >= 0x1p63) {
      refuse("the number " + value.dump() + " is beyond 64 bits");
    }
    return true;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw InputError({path_}, why); }

  const std::string& path_;
  std::vector<std::set<std::string>> keys_;  ///< of the objects that are open
};

bool has_container(const JsonValue& json) {
  return std::any_of(json.begin(), json.end(), [](const JsonValue& item) { return item.is_structured(); });
}

/// Objects below the second level, and lists of plain values, stand in one line.
bool in_one_line(const JsonValue& json, std::size_t depth) {
  if (json.empty()) return true;
  if (json.is_object()) return depth >= 2;
  return depth > 0 && (depth >= 4 || !has_container(json));
}

std::string scalar(const JsonValue& json) { return json.dump(); }

void write(std::string& text, const JsonValue& json, std::size_t depth, bool one_line) {
  if (!json.is_structured()) {
    text += scalar(json);
    return;
  }
  const bool together = one_line || in_one_line(json, depth);
  const std::string indent(2 * (depth + 1), ' ');
  text += json.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, item] : json.items()) {
    if (!first) text += together ? ", " : ",";
    if (!together) text += '\n' + indent;
    if (json.is_object()) text += scalar(JsonValue(key)) + ": ";
    write(text, item, depth + 1, together);
    first = false;
  }
  if (!together) text += '\n' + indent.substr(2);
  text += json.is_object() ? '}' : ']';
}

}  // namespace

JsonValue read_json_file(const std::string& path) {
  const std::string text = read_whole_file(path, kMaxJsonBytes);
  try {
    return JsonValue::parse(text, Strictness(path));
  } catch (const JsonValue::parse_error& wrong) {
    throw InputError(location(path, text, wrong.byte), "is no JSON: " + reason(wrong.what()));
  } catch (const JsonValue::exception& wrong) {
    throw InputError({path}, std::string("is no JSON: ") + wrong.what());
  }
}

std::string json_file_text(const JsonValue& json) {
  std::string text;
  write(text, json, 0, false);
  return text + '\n';
}

void JsonPlace::refuse(const std::string& why) const { throw InputError({*file_}, (path_.empty() ? "" : path_ + ": ") + why); }

std::optional<JsonPlace> JsonPlace::find(std::string_view key) const {
  const auto found = object().value_->find(std::string(key));
  if (found == value_->end()) return std::nullopt;
  return JsonPlace(*file_, *found, path_.empty() ? std::string(key) : path_ + '.' + std::string(key));
}

JsonPlace JsonPlace::at(std::string_view key) const {
  auto found = find(key);
  if (!found) refuse("has no '" + std::string(key) + "'");
  return *std::move(found);
}

const JsonPlace& JsonPlace::list() const {
  if (!value_->is_array()) refuse(std::string("must be a list, not ") + value_->type_name());
  return *this;
}

const JsonPlace& JsonPlace::object() const {
  if (!value_->is_object()) refuse(std::string("must be an object, not ") + value_->type_name());
  return *this;
}

std::string JsonPlace::text() const {
  if (!value_->is_string()) refuse(std::string("must be text, not ") + value_->type_name());
  return value_->get<std::string>();
}

std::int64_t JsonPlace::whole(std::int64_t min, std::int64_t max) const {
  const auto wrong = [&] {
    refuse("is " + in_quotes(value_->dump()) + "; must be a whole number, " + std::to_string(min) + " to " + std::to_string(max));
  };
  if (!value_->is_number_integer()) wrong();
  const bool beyond =
      value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (beyond || value_->get<std::int64_t>() < min || value_->get<std::int64_t>() > max) wrong();
  return value_->get<std::int64_t>();
}

std::uint64_t JsonPlace::id() const {
  if (value_->is_number_unsigned()) return value_->get<std::uint64_t>();
  if (value_->is_string()) {
    const std::string digits = value_->get<std::string>();
    std::uint64_t id = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
    if (error == std::errc{} && end == digits.data() + digits.size() && std::to_string(id) == digits) return id;
  }
  refuse("is " + in_quotes(value_->dump()) + "; must be an id of 64 bits, in decimal digits");
}

}  // namespace tasktwin::scenarios
