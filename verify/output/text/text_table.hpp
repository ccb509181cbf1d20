#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"

namespace tasktwin::verify {

/// The widest line that any report prints where nothing says how wide the page is, in columns.
inline constexpr std::size_t kPageColumns = 100;

/// The page: COLUMNS of the environment, else the terminal's columns, else kPageColumns. Between 40 and 1000.
std::size_t page_columns();

/// The page for running text, which is no wider than kPageColumns.
std::size_t text_columns();

/// A plain table: the first column to the left, the others to the right, two spaces between. Where it would not fit the page,
/// cells are shortened with "…", those of the first column first; columns that still do not fit follow below, with the keys repeated.
class TextTable {
 public:
  /// A heading may have several lines, divided by '\n'; the last one is above the rule. The first `keys` columns, at least one, say
  /// what a row is about.
  explicit TextTable(const std::vector<std::string>& header, std::size_t keys = 1);

  /// Contract: as many cells as the header has.
  void add_row(std::vector<std::string> cells);
  std::string to_string() const;

 private:
  /// The keys, and the columns from `begin` to `end`, which together take `total` columns of the page.
  std::string part(const std::vector<std::size_t>& widths, std::size_t begin, std::size_t end, std::size_t total) const;

  std::vector<std::vector<std::string>> rows_;  ///< the first of them the header's lines
  std::size_t header_lines_ = 1;
  std::size_t keys_;
};

/// Columns that `text`, UTF-8, takes on a terminal (verify/output/text/character_width.hpp).
std::size_t columns(std::string_view text);

/// `text`, or as much of it as leaves room for "…" in `width` columns.
std::string shorten(std::string_view text, std::size_t width);

/// `text` broken between words, but not before a unit, into lines of at most `page` columns; no final newline.
std::string wrap(std::string_view text, std::size_t page = text_columns());

/// The same, each line after `indent` blanks, with a final newline.
std::string indented(std::string_view text, std::size_t indent);

/// `left`, and from `column` on `right`, broken into lines there; below where `left` is too long.
std::string beside(std::string_view left, std::string_view right, std::size_t column);

/// In µs: to the nanosecond below 100 µs, else with one decimal.
std::string format_us(double nanoseconds);
inline std::string format_us(Duration time) { return format_us(static_cast<double>(to_ns(time))); }

/// A fraction as per cent, "12.3 %"; with its sign where `with_sign`.
std::string format_percent(double fraction, bool with_sign = false);

/// A whole number in groups of three, "100 000".
std::string format_count(std::int64_t count);

}  // namespace tasktwin::verify
