#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"

namespace tasktwin::verify {

/// 0 of nothing.
inline double share(Duration part, Duration whole) {
  return whole > Duration{} ? static_cast<double>(to_ns(part)) / static_cast<double>(to_ns(whole)) : 0;
}

/// "a, b and c".
inline std::string join_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

/// A name as tasks of one kind share it: "gemm-…" for "gemm-12".
inline std::string without_digits(std::string_view name) {
  std::string text;
  bool digits = false;
  for (const char letter : name) {
    const bool digit = letter >= '0' && letter <= '9';
    if (!digit) text += letter;
    if (digit && !digits) text += "…";
    digits = digit;
  }
  return text;
}

}  // namespace tasktwin::verify
