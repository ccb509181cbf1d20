#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "models/units.hpp"

namespace tasktwin::verify {

/// The widest line that any report prints, in columns.
inline constexpr std::size_t kPageColumns = 100;

/// A plain table: the first column to the left, the others to the right, two spaces between. Cells of the first column
/// are shortened with "…" where the table would not fit the page.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);

  /// Contract: as many cells as the header has.
  void add_row(std::vector<std::string> cells);
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Columns that `text`, UTF-8, takes on a terminal (one a code point).
std::size_t columns(std::string_view text);

/// `text` broken between words, but not before a unit, into lines that fit the page; no final newline.
std::string wrap(std::string_view text);

/// In µs: to the nanosecond below 100 µs, else with one decimal.
std::string format_us(double nanoseconds);
inline std::string format_us(Duration time) { return format_us(static_cast<double>(to_ns(time))); }

/// A fraction as per cent, "12.3 %"; with its sign where `with_sign`.
std::string format_percent(double fraction, bool with_sign = false);

/// A whole number in groups of three, "100 000".
std::string format_count(std::int64_t count);

}  // namespace tasktwin::verify
