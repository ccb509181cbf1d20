#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "models/base/error.hpp"

namespace tasktwin::scenarios {

/// Keys keep the order of the file.
using JsonValue = nlohmann::ordered_json;

/// A value with its place, "file: a.b[3]: …" in messages. Contract: file and value outlive it.
class JsonPlace {
 public:
  JsonPlace(const std::string& file, const JsonValue& value, std::string path = {})
      : file_(&file), value_(&value), path_(std::move(path)) {}

  [[noreturn]] void refuse(const std::string& why) const;

  const JsonValue& value() const { return *value_; }
  bool is_null() const { return value_->is_null(); }
  /// The value of `key` of an object; nullopt where there is none.
  std::optional<JsonPlace> find(std::string_view key) const;
  /// The same, refused where there is none.
  JsonPlace at(std::string_view key) const;
  /// Of a list. Contract: i < size().
  JsonPlace operator[](std::size_t i) const { return {*file_, (*value_)[i], path_ + '[' + std::to_string(i) + ']'}; }
  std::size_t size() const { return value_->size(); }

  /// Each refuses a value of another kind.
  const JsonPlace& list() const;
  const JsonPlace& object() const;
  /// An object with no key but `known`; another is refused with the nearest of them.
  const JsonPlace& object_of(std::initializer_list<std::string_view> known) const;
  std::string text() const;
  bool boolean() const;
  std::int64_t whole(std::int64_t min, std::int64_t max) const;
  double number(double min, double max) const;
  /// Any number.
  double number() const;
  /// A number of 64 bits without sign, in decimal digits in quotes or as a number.
  std::uint64_t id() const;

 private:
  const std::string* file_;
  const JsonValue* value_;
  std::string path_;
};

}  // namespace tasktwin::scenarios
