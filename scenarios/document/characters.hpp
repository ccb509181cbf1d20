#pragma once

#include <algorithm>
#include <string_view>

namespace tasktwin::scenarios {

/// Whether `text`, UTF-8, has a control character other than line breaks and tabs: some terminals would obey it.
inline bool has_control_character(std::string_view text) {
  const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F; };
  const auto is_second_set = [](char a, char b) { return a == '\xC2' && static_cast<unsigned char>(b) < 0xA0; };  // U+0080 to U+009F
  return std::ranges::any_of(text, is_control) || std::ranges::adjacent_find(text, is_second_set) != text.end();
}

/// Whether `text` is a name of a scenario, a machine or a design, as kNameForm says.
inline bool is_name(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  const auto is_alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  const auto is_known = [&](char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= kLongest && is_alphanumeric(text.front()) && std::ranges::all_of(text, is_known);
}

inline constexpr std::string_view kNameForm = "letters, digits, '.', '_' and '-', beginning with a letter or a digit";

inline constexpr std::string_view kHasControlCharacter = "the text has a control character; text may have line breaks and tabs";

}  // namespace tasktwin::scenarios
