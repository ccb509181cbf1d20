#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/units.hpp"

namespace tasktwin::verify {

/// A design's measured makespans in nanoseconds. Quartiles as percentile() takes them.
struct MeasuredTimes {
  std::string design;
  double median = 0;
  double first_quartile = 0;
  double third_quartile = 0;
};

/// Contract: `makespans` is not empty.
MeasuredTimes measured_times(std::string design, const std::vector<Duration>& makespans);

/// Whether `a` is faster than `b` beyond noise: the middle halves of their runs lie apart. The runs of two designs are no pairs,
/// and their noise has no known form: hence no interval around the difference.
bool faster_beyond_noise(const MeasuredTimes& a, const MeasuredTimes& b);

/// "measured, A is faster than B by 3.2 % (medians 795.0 µs and 821.3 µs)", or that their noise hides which is faster.
std::string measured_sentence(const MeasuredTimes& a, const MeasuredTimes& b);

/// The design that is faster than each other beyond noise; nullopt where there is none, or fewer than two.
std::optional<std::string> measured_winner(std::span<const MeasuredTimes> designs);

}  // namespace tasktwin::verify
