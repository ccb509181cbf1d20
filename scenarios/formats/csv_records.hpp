#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tasktwin::scenarios {

/// A field of a table with its place.
struct CsvField {
  std::string text;
  int line = 1;
  int column = 1;
};

/// Takes one record after the other off RFC 4180 text. Contract: file and text outlive it.
class CsvRecords {
 public:
  CsvRecords(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  bool more() const { return at_ < text_.size(); }
  /// Throws InputError with line and column for a quote that is not closed, or not followed by the field's end.
  std::vector<CsvField> next();

 private:
  char peek() const { return more() ? text_[at_] : '\n'; }
  char step();
  CsvField field();

  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
};

}  // namespace tasktwin::scenarios
