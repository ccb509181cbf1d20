#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// A field of a JSON file that this program writes itself, with its path for what is wrong with it. Each reader throws InputError with
/// file, field, what is wrong, and which command writes such files. Contract: file and value outlive it.
class JsonField {
 public:
  JsonField(const std::string& file, std::string_view writer, std::string path, const Json& value)
      : file_(file), writer_(writer), path_(std::move(path)), value_(value) {}

  JsonField at(const char* name) const;
  /// Refuses what has other keys.
  void has_only(std::initializer_list<std::string_view> keys) const;
  std::vector<JsonField> list() const;
  std::string text() const;
  std::string text_or_null() const { return value_.is_null() ? "" : text(); }
  std::uint64_t count() const;
  int integer() const;
  bool flag() const;
  double us() const;
  std::vector<double> times() const;
  std::vector<std::string> texts() const;
  const Json& raw() const { return value_; }

  [[noreturn]] void refuse(const std::string& why) const;

 private:
  const std::string& file_;
  std::string_view writer_;
  std::string path_;
  const Json& value_;
};

}  // namespace tasktwin::verify
