#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tasktwin::scenarios {

/// FNV-1a (64 bits) in hexadecimal.
inline std::string text_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hexadecimal;
  for (int shift = 60; shift >= 0; shift -= 4) hexadecimal += digits[(hash >> shift) & 15];
  return hexadecimal;
}

}  // namespace tasktwin::scenarios
