#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.hpp"

namespace tasktwin::scenarios {

/// A word of a line, with its place.
struct LineField {
  std::string_view text;
  int column = 1;
};

/// Goes through text line by line, each taken apart at blanks. Contract: file and text outlive it.
class TextLines {
 public:
  TextLines(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  /// Moves to the next line; false after the last.
  bool next() {
    if (end_ >= text_.size()) return false;
    const std::size_t begin = end_;
    const std::size_t stop = std::min(text_.find('\n', begin), text_.size());
    end_ = stop + 1;
    ++number_;
    line_ = text_.substr(begin, stop - begin);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    fields_.clear();
    for (std::size_t at = line_.find_first_not_of(kBlanks); at != std::string_view::npos;) {
      const std::size_t after = std::min(line_.find_first_of(kBlanks, at), line_.size());
      fields_.push_back({line_.substr(at, after - at), static_cast<int>(at) + 1});
      at = line_.find_first_not_of(kBlanks, after);
    }
    return true;
  }

  int number() const { return number_; }
  std::string_view line() const { return line_; }
  const std::vector<LineField>& fields() const { return fields_; }
  [[noreturn]] void refuse(int column, const std::string& why) const { throw InputError({file_, number_, column}, why); }

 private:
  static constexpr std::string_view kBlanks = " \t";

  const std::string& file_;
  std::string_view text_;
  std::size_t end_ = 0;
  int number_ = 0;
  std::string_view line_;
  std::vector<LineField> fields_;
};

}  // namespace tasktwin::scenarios
