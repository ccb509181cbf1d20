#pragma once

#include <string>
#include <string_view>

#include "models/base/utf8.hpp"

namespace tasktwin::verify {

/// `text` as XML's character data and attribute values have it; control characters and what is no UTF-8, which XML cannot have, become
/// U+FFFD.
inline std::string xml_escaped(std::string_view text) {
  std::string safe;
  for (const char c : well_formed(text)) {
    const bool forbidden = static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    safe += c == '&'    ? "&amp;"
            : c == '<'  ? "&lt;"
            : c == '>'  ? "&gt;"
            : c == '"'  ? "&quot;"
            : forbidden ? "\xEF\xBF\xBD"
                        : std::string(1, c);
  }
  return safe;
}

}  // namespace tasktwin::verify
