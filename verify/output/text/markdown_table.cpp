#include "verify/output/text/markdown_table.hpp"

#include <cassert>
#include <cctype>

namespace tasktwin::verify {

namespace {

std::string row_text(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) {
    text += ' ';
    for (const char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c);
    text += " |";
  }
  return text + '\n';
}

}  // namespace

MarkdownTable::MarkdownTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

void MarkdownTable::add_row(std::vector<std::string> cells) {
  assert(cells.size() == rows_.front().size());
  rows_.push_back(std::move(cells));
}

std::string MarkdownTable::to_string() const {
  std::string text = row_text(rows_.front()) + '|';
  for (std::size_t i = 0; i < rows_.front().size(); ++i) text += " --- |";
  text += '\n';
  for (std::size_t i = 1; i < rows_.size(); ++i) text += row_text(rows_[i]);
  return text;
}

std::string as_code(std::string_view word) { return '`' + std::string(word) + '`'; }

std::string as_code(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + as_code(word);
  return text;
}

std::string as_sentence(std::string_view text) {
  std::string sentence(text);
  if (sentence.empty()) return sentence;
  sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  if (!sentence.ends_with('.')) sentence += '.';
  return sentence;
}

}  // namespace tasktwin::verify
