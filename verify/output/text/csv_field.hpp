#pragma once

#include <string>
#include <string_view>

namespace tasktwin::verify {

/// RFC 4180: in quotes where it must be.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace tasktwin::verify
