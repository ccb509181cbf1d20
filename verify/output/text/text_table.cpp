#include "verify/output/text/text_table.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "verify/output/text/character_width.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kNarrowestFirstColumn = 12;
constexpr std::size_t kWidestColumn = 24;  // of a table that does not fit the page in one piece
constexpr std::size_t kNarrowestKey = 4;

/// `cell` in `width` columns, to the left or to the right of them.
std::string fit(std::string_view cell, std::size_t width, bool to_the_left) {
  const std::string text = shorten(cell, width);
  const std::string blanks(width - columns(text), ' ');
  return to_the_left ? text + blanks : blanks + text;
}

}  // namespace

std::size_t page_columns() {
  constexpr std::size_t kNarrowest = 40;
  constexpr std::size_t kWidest = 1000;
  std::size_t wanted = 0;
  if (const char* const said = std::getenv("COLUMNS"); said != nullptr) {
    const std::string_view digits(said);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), wanted);
    if (error != std::errc{} || end != digits.data() + digits.size()) wanted = 0;
  }
  winsize size{};
  if (wanted == 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) wanted = size.ws_col;
  return wanted == 0 ? kPageColumns : std::clamp(wanted, kNarrowest, kWidest);
}

std::size_t text_columns() { return std::min(page_columns(), kPageColumns); }

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const Glyph glyph = first_glyph(text);
    count += glyph.columns;
    text.remove_prefix(glyph.bytes);
  }
  return count;
}

std::string shorten(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t bytes = 0;
  for (std::size_t taken = 0; bytes < text.size();) {
    const Glyph glyph = first_glyph(text.substr(bytes));
    if (taken + glyph.columns > width - 1) break;
    taken += glyph.columns;
    bytes += glyph.bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

TextTable::TextTable(const std::vector<std::string>& header, std::size_t keys) : keys_(keys) {
  assert(keys >= 1 && keys <= header.size());
  for (const std::string& cell : header)
    header_lines_ = std::max(header_lines_, 1 + static_cast<std::size_t>(std::ranges::count(cell, '\n')));
  rows_.assign(header_lines_, std::vector<std::string>(header.size()));
  for (std::size_t i = 0; i < header.size(); ++i) {
    std::size_t row = header_lines_ - 1 - static_cast<std::size_t>(std::ranges::count(header[i], '\n'));
    std::istringstream lines(header[i]);
    for (std::string line; std::getline(lines, line); ++row) rows_[row][i] = line;
  }
}

void TextTable::add_row(std::vector<std::string> cells) {
  assert(cells.size() == rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string() const {
  const std::size_t page = page_columns();
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  const auto others = [&widths] { return std::accumulate(widths.begin() + 1, widths.end(), kGap.size() * (widths.size() - 1)); };
  const auto width_of_keys = [&] {
    return std::accumulate(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(keys_), kGap.size() * (keys_ - 1));
  };
  if (others() + std::min(widths.front(), kNarrowestFirstColumn) > page) {
    for (std::size_t& width : widths) width = std::min(width, kWidestColumn);
    const std::size_t room = page - kWidestColumn - kGap.size();  // of the keys, next to any column
    if (width_of_keys() > room) {
      const std::size_t widest = std::max(kNarrowestKey, room / keys_ - std::min(room / keys_, kGap.size()));
      for (std::size_t i = 0; i < keys_; ++i) widths[i] = std::min(widths[i], widest);
    }
  } else {
    widths.front() = std::min(widths.front(), page - others());
  }

  std::string text;
  for (std::size_t begin = keys_; begin == keys_ || begin < widths.size();) {
    std::size_t end = begin;
    std::size_t total = width_of_keys();
    while (end < widths.size() && (end == begin || total + kGap.size() + widths[end] <= page)) {
      total += kGap.size() + widths[end++];
    }
    text += (begin == keys_ ? "" : "\n") + part(widths, begin, end, total);
    begin = std::max(end, begin + 1);
  }
  return text;
}

std::string TextTable::part(const std::vector<std::size_t>& widths, std::size_t begin, std::size_t end, std::size_t total) const {
  std::string text;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::vector<std::string>& row = rows_[r];
    std::string line = fit(row.front(), widths.front(), true);
    const auto add = [&](std::size_t i) { line += std::string(kGap) + fit(row[i], widths[i], false); };
    for (std::size_t i = 1; i < keys_; ++i) add(i);
    for (std::size_t i = begin; i < end; ++i) add(i);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
    if (r + 1 == header_lines_) text += std::string(total, '-') + '\n';
  }
  return text;
}

std::string wrap(std::string_view text, std::size_t page) {
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
    const bool fits = width + 1 + columns(word) <= page;
    if (width > 0) wrapped += fits ? ' ' : '\n';
    width = width > 0 && fits ? width + 1 + columns(word) : columns(word);
    wrapped += word;
  }
  return wrapped;
}

std::string indented(std::string_view text, std::size_t indent) {
  std::istringstream lines(wrap(text, text_columns() - indent));
  std::string result;
  for (std::string line; std::getline(lines, line);) result += std::string(indent, ' ') + line + '\n';
  return result;
}

std::string beside(std::string_view left, std::string_view right, std::size_t column) {
  const std::string text = indented(right, column);
  if (text.empty() || columns(left) + kGap.size() > column) return std::string(left) + '\n' + text;
  return std::string(left) + text.substr(columns(left));
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
