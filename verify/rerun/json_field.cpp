#include "verify/rerun/json_field.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/formats/json_file.hpp"
#include "scenarios/formats/json_position.hpp"

namespace tasktwin::verify {

namespace {

constexpr double kLongestUs = 1e12;

}  // namespace

JsonField JsonField::at(const char* name) const {
  const std::string path = path_.empty() ? name : path_ + "." + name;
  if (!value_.is_object()) refuse("is no object");
  if (!value_.contains(name)) JsonField(file_, writer_, path, value_).refuse("is missing");
  return {file_, writer_, path, value_.at(name)};
}

void JsonField::has_only(std::initializer_list<std::string_view> keys) const {
  if (!value_.is_object()) refuse("is no object");
  const std::vector<std::string_view> choices(keys);
  for (const auto& [key, value] : value_.items()) {
    if (std::ranges::find(choices, key) != choices.end()) continue;
    JsonField(file_, writer_, path_.empty() ? key : path_ + "." + key, value).refuse("is an unknown key" + suggest(key, choices));
  }
}

std::vector<JsonField> JsonField::list() const {
  if (!value_.is_array()) refuse("is no list");
  std::vector<JsonField> all;
  for (std::size_t i = 0; i < value_.size(); ++i) all.emplace_back(file_, writer_, fmt::format("{}[{}]", path_, i), value_[i]);
  return all;
}

std::string JsonField::text() const {
  if (!value_.is_string()) refuse("is no text");
  return value_.get<std::string>();
}

std::uint64_t JsonField::count() const {
  if (!value_.is_number_unsigned()) refuse("is no whole number of at least 0");
  return value_.get<std::uint64_t>();
}

int JsonField::integer() const {
  constexpr std::int64_t kMost = 1'000'000'000;
  const bool large = value_.is_number_unsigned() && value_.get<std::uint64_t>() > static_cast<std::uint64_t>(kMost);
  if (!value_.is_number_integer() || large || value_.get<std::int64_t>() > kMost || value_.get<std::int64_t>() < -kMost)
    refuse("is no whole number from -10^9 to 10^9");
  return static_cast<int>(value_.get<std::int64_t>());
}

bool JsonField::flag() const {
  if (!value_.is_boolean()) refuse("is neither true nor false");
  return value_.get<bool>();
}

double JsonField::us() const {
  if (!value_.is_number()) refuse("is no number");
  const double value = value_.get<double>();
  if (!(value >= 0 && value <= kLongestUs)) refuse("is no time in µs");
  return value;
}

std::vector<double> JsonField::times() const {
  std::vector<double> all;
  for (const JsonField& one : list()) all.push_back(one.us());
  return all;
}

std::vector<std::string> JsonField::texts() const {
  std::vector<std::string> all;
  for (const JsonField& one : list()) all.push_back(one.text());
  return all;
}

void JsonField::refuse(const std::string& why) const {
  SourceLocation where{file_};
  try {
    if (const auto at = scenarios::json_position(scenarios::read_whole_file(file_, scenarios::kMaxJsonBytes), path_))
      where = {file_, at->line, at->column};
  } catch (const InputError&) {  // it is no file any more, or packed
  }
  throw InputError(where, fmt::format("{}: {}; {}", path_.empty() ? "the file" : path_, why, writer_));
}

}  // namespace tasktwin::verify
