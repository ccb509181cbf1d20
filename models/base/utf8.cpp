#include "models/base/utf8.hpp"

#include <algorithm>

namespace tasktwin {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&byte](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80u) return 1;
  if (first >= 0xC2u && first < 0xE0u) return follows(1) ? 2 : 0;
  if (first >= 0xE0u && first < 0xF0u) {
    const bool overlong = first == 0xE0u && byte(1) < 0xA0u;
    const bool surrogate = first == 0xEDu && byte(1) >= 0xA0u;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0u && first < 0xF5u) {
    const bool overlong = first == 0xF0u && byte(1) < 0x90u;
    const bool beyond = first == 0xF4u && byte(1) >= 0x90u;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::string well_formed(std::string_view text) {
  std::string formed;
  formed.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    formed += length > 0 ? text.substr(0, length) : "\xEF\xBF\xBD";
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return formed;
}

}  // namespace tasktwin
