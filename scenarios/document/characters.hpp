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

inline constexpr std::string_view kHasControlCharacter = "the text has a control character; text may have line breaks and tabs";

}  // namespace tasktwin::scenarios
