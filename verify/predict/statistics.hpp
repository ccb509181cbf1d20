#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/base/units.hpp"

namespace tasktwin::verify {

/// The value below which the fraction `q` (0 to 1) of `values` lies, linear between the two nearest ranks
/// (Hyndman and Fan 1996, type 7). Contract: `values` is not empty.
double percentile(std::span<const double> values, double q);

double median(std::span<const double> values);

/// Median of durations, rounded to the nanosecond. Contract: not empty.
Duration median_duration(const std::vector<Duration>& durations);

/// (p75 − p25) / median. Contract: not empty, all above 0.
double noise(const std::vector<Duration>& durations);

/// Pairs of observations (x, y), counted as Kendall's rank correlation needs them.
struct KendallPairs {
  std::int64_t concordant = 0;
  std::int64_t discordant = 0;
  std::int64_t tied_x = 0;  ///< in x alone
  std::int64_t tied_y = 0;  ///< in y alone

  KendallPairs& operator+=(const KendallPairs& other);

  /// τ-b = (C − D) / √((C + D + Tx)(C + D + Ty)) (Kendall 1945), −1 to 1; nullopt where x or y never differs.
  std::optional<double> tau_b() const;
};

/// Counts every pair. Contract: `x` and `y` are equally long.
KendallPairs kendall_pairs(std::span<const double> x, std::span<const double> y);

}  // namespace tasktwin::verify
