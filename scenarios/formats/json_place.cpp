#include "scenarios/formats/json_place.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include "models/base/names.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace {

/// A value in a message.
std::string shown(const JsonValue& value) {
  if (value.is_structured()) return (value.is_array() ? "a list of " : "an object of ") + std::to_string(value.size());
  return in_quotes(value.dump());
}

std::string bound_text(double bound) { return JsonValue(bound).dump(); }

}  // namespace

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

const JsonPlace& JsonPlace::object_of(std::initializer_list<std::string_view> known) const {
  for (const auto& [key, item] : object().value_->items()) {
    if (std::ranges::find(known, key) == known.end()) {
      refuse("has an unknown key " + in_quotes(key) + suggest(key, std::vector<std::string_view>(known)));
    }
  }
  return *this;
}

std::string JsonPlace::text() const {
  if (!value_->is_string()) refuse(std::string("must be text, not ") + value_->type_name());
  return value_->get<std::string>();
}

bool JsonPlace::boolean() const {
  if (!value_->is_boolean()) refuse(std::string("must be true or false, not ") + value_->type_name());
  return value_->get<bool>();
}

std::int64_t JsonPlace::whole(std::int64_t min, std::int64_t max) const {
  const bool beyond =
      value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (!value_->is_number_integer() || beyond || value_->get<std::int64_t>() < min || value_->get<std::int64_t>() > max)
    refuse("is " + shown(*value_) + "; must be a whole number, " + std::to_string(min) + " to " + std::to_string(max));
  return value_->get<std::int64_t>();
}

double JsonPlace::number() const {
  if (!value().is_number()) refuse(std::string("must be a number, not ") + value().type_name());
  return value().get<double>();
}

double JsonPlace::number(double min, double max) const {
  const double number = value_->is_number() ? value_->get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (!(number >= min && number <= max)) {
    refuse("is " + shown(*value_) + "; must be a number, " + bound_text(min) + " to " + bound_text(max));
  }
  return number;
}

std::uint64_t JsonPlace::id() const {
  if (value_->is_number_unsigned()) return value_->get<std::uint64_t>();
  if (value_->is_string()) {
    const std::string digits = value_->get<std::string>();
    std::uint64_t id = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
    if (error == std::errc{} && end == digits.data() + digits.size() && std::to_string(id) == digits) return id;
  }
  refuse("is " + shown(*value_) + "; must be an id of 64 bits, in decimal digits");
}

}  // namespace tasktwin::scenarios
