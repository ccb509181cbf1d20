#pragma once

#include <cstdint>

namespace tasktwin::rules {

inline constexpr int kRowWarps = 8;                      ///< of a body, which take rows by turns
inline constexpr std::int64_t kRowStepBytes = 4 * 1024;  ///< of a row that a warp asks for at a time

/// Of rows that long a body that reads pages keeps in registers what it multiplies them with.
inline constexpr std::int64_t kHeldRowBytes = 4 * 1024;

/// How many times one after the other the busiest warp of a body asks for a piece of a row: groups of `group` neighbouring rows go round
/// the warps, and a row is asked for in pieces.
constexpr std::int64_t row_steps(std::int64_t rows, std::int64_t row_bytes, int group) {
  const std::int64_t rounds = (rows + std::int64_t{kRowWarps} * group - 1) / (std::int64_t{kRowWarps} * group);
  return rounds * group * ((row_bytes + kRowStepBytes - 1) / kRowStepBytes);
}

}  // namespace tasktwin::rules
