#include "scenarios/files/quoted.hpp"

#include <algorithm>
#include <cstddef>

namespace tasktwin::scenarios {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::size_t length = std::min(text.size(), kShown);
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0u) == 0x80u) --length;
  std::string shown(text.substr(0, length));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return "'" + shown + (length < text.size() ? "…" : "") + "'";
}

}  // namespace tasktwin::scenarios
