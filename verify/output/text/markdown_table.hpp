#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tasktwin::verify {

/// A table as Markdown has it.
class MarkdownTable {
 public:
  explicit MarkdownTable(std::vector<std::string> header);

  /// Contract: as many cells as the header has.
  void add_row(std::vector<std::string> cells);
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// `word` between backquotes.
std::string as_code(std::string_view word);

/// Each of `words` as code, with commas between.
std::string as_code(const std::vector<std::string_view>& words);

/// With a capital first letter and a full stop.
std::string as_sentence(std::string_view text);

}  // namespace tasktwin::verify
