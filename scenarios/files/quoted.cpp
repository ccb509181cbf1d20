#include "scenarios/files/quoted.hpp"

#include <algorithm>
#include <cstddef>

#include "models/base/utf8.hpp"

namespace tasktwin::scenarios {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 60;
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::size_t length = std::min(text.size(), kShown);
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0u) == 0x80u) --length;
  std::string shown;
  for (std::string_view left = text.substr(0, length); !left.empty();) {
    const std::size_t taken = utf8_length(left);
    const auto byte = static_cast<unsigned char>(left.front());
    if (taken == 0)
      shown += {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    else if (byte < 0x20)
      shown += ' ';
    else
      shown += left.substr(0, taken);
    left.remove_prefix(std::max<std::size_t>(1, taken));
  }
  return "'" + shown + (length < text.size() ? "…" : "") + "'";
}

}  // namespace tasktwin::scenarios
