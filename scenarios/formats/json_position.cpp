#include "scenarios/formats/json_position.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace tasktwin::scenarios {

namespace {

/// Goes through a text that a reader has found to be JSON.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) { skip_space(); }

  std::size_t at() const { return at_; }
  bool is_at(char wanted) const { return at_ < text_.size() && text_[at_] == wanted; }

  /// To the value of that key of the object at hand; stays where there is none.
  bool enter(std::string_view key) {
    if (!is_at('{')) return false;
    const std::size_t object = at_;
    step();
    while (is_at('"')) {
      const std::size_t begin = at_ + 1;
      skip_value();
      const std::string_view found = text_.substr(begin, std::min(text_.find('"', begin), text_.size()) - begin);
      if (!is_at(':')) break;
      step();
      if (found == key) return true;
      skip_value();
      if (is_at(',')) step();
    }
    at_ = object;
    return false;
  }

  /// To the value of that number in the list at hand; stays where there is none.
  bool enter(std::size_t number) {
    if (!is_at('[')) return false;
    const std::size_t list = at_;
    step();
    for (; at_ < text_.size() && !is_at(']'); --number) {
      if (number == 0) return true;
      skip_value();
      if (!is_at(',')) break;
      step();
    }
    at_ = list;
    return false;
  }

 private:
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  void step() {
    ++at_;
    skip_space();
  }

  void skip_text() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }

  void skip_value() {
    int depth = 0;
    do {
      if (is_at('"')) {
        skip_text();
        continue;
      }
      if (is_at('{') || is_at('[')) ++depth;
      if (is_at('}') || is_at(']')) --depth;
      ++at_;
      if (depth == 0 && at_ < text_.size() && std::string_view(",]}: \t\r\n").find(text_[at_]) != std::string_view::npos) break;
    } while (at_ < text_.size() && !(depth == 0 && (text_[at_ - 1] == '"' || text_[at_ - 1] == '}' || text_[at_ - 1] == ']')));
    at_ = std::min(at_, text_.size());
    skip_space();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Takes the first step off the path, and goes it.
bool go(Walk& walk, std::string_view& path) {
  if (path.starts_with('[')) {
    std::size_t number = 0;
    const std::size_t end = path.find(']');
    if (end == std::string_view::npos || std::from_chars(path.data() + 1, path.data() + end, number).ec != std::errc{}) return false;
    path.remove_prefix(end + 1);
    return walk.enter(number);
  }
  if (path.starts_with('.')) path.remove_prefix(1);
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  const std::string_view key = path.substr(0, end);
  path.remove_prefix(end);
  return walk.enter(key);
}

}  // namespace

std::optional<SourceLocation> json_position(std::string_view text, std::string_view path) {
  Walk walk(text);
  if (!walk.is_at('{') && !walk.is_at('[')) return std::nullopt;
  while (!path.empty() && go(walk, path)) {
  }
  const std::string_view before = text.substr(0, walk.at());
  const auto line = static_cast<int>(1 + std::ranges::count(before, '\n'));
  const std::size_t column = before.size() - std::min(before.rfind('\n') + 1, before.size()) + 1;
  return SourceLocation{.file = {}, .line = line, .column = static_cast<int>(column)};
}

}  // namespace tasktwin::scenarios
