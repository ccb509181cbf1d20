#include "verify/output/text_table.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace tasktwin::verify {

namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kNarrowestFirstColumn = 8;

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::string shorten(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  std::size_t kept = 0;
  std::size_t bytes = 0;
  while (bytes < text.size() && (kept < width - 1 || !starts_code_point(text[bytes]))) {
    if (starts_code_point(text[bytes])) ++kept;
    ++bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

}  // namespace

std::size_t columns(std::string_view text) { return static_cast<std::size_t>(std::ranges::count_if(text, starts_code_point)); }

TextTable::TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

void TextTable::add_row(std::vector<std::string> cells) {
  assert(cells.size() == rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  const std::size_t others = std::accumulate(widths.begin() + 1, widths.end(), kGap.size() * (widths.size() - 1));
  const std::size_t room = kPageColumns > others ? kPageColumns - others : 0;
  widths.front() = std::min(widths.front(), std::max(room, kNarrowestFirstColumn));

  std::string text;
  for (const auto& row : rows_) {
    std::string line = shorten(row.front(), widths.front());
    line.append(widths.front() - columns(line), ' ');
    for (std::size_t i = 1; i < row.size(); ++i) {
      line += kGap;
      line.append(widths[i] - columns(row[i]), ' ');
      line += row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
    if (&row == &rows_.front()) {
      text += std::string(std::accumulate(widths.begin(), widths.end(), kGap.size() * (widths.size() - 1)), '-') + '\n';
    }
  }
  return text;
}

std::string wrap(std::string_view text) {
  const auto breaks = [](std::string_view rest) {
    return rest.starts_with(' ') && !rest.starts_with(" %") && !rest.starts_with(" ×") && !rest.starts_with(" µs");
  };
  std::string wrapped;
  std::size_t width = 0;
  while (!text.empty()) {
    std::size_t end = 1;
    while (end < text.size() && !breaks(text.substr(end))) ++end;
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool fits = width + 1 + columns(word) <= kPageColumns;
    if (width > 0) wrapped += fits ? ' ' : '\n';
    width = width > 0 && fits ? width + 1 + columns(word) : columns(word);
    wrapped += word;
  }
  return wrapped;
}

std::string format_us(double nanoseconds) {
  constexpr double kToTheNanosecond = 100e3;
  return fmt::format("{:.{}f} µs", nanoseconds * 1e-3, nanoseconds < kToTheNanosecond ? 3 : 1);
}

std::string format_percent(double fraction, bool with_sign) {
  return with_sign ? fmt::format("{:+.1f} %", fraction * 100) : fmt::format("{:.1f} %", fraction * 100);
}

std::string format_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, " ");
  return digits;
}

}  // namespace tasktwin::verify
