#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "models/base/units.hpp"

namespace tasktwin::verify {

/// A task length and the granularity it ran at: wall time × workers ÷ tasks.
struct LengthPoint {
  Duration length{};
  double granularity_ns = 0;

  /// Of a machine that does nothing but bodies: length ÷ granularity.
  double efficiency() const { return static_cast<double>(to_ns(length)) / granularity_ns; }
};

/// METG(50 %) as Task Bench defines it (Slaughter et al., SC 2020): the least granularity at which half of the peak is left.
struct MetgSearch {
  enum class End {
    kFound,
    kBelow,  ///< even the shortest length leaves half: METG is below that granularity
    kAbove,  ///< not even the longest does: METG is above that granularity
  };
  End end = End::kAbove;
  double metg_ns = 0;               ///< kFound: METG; else the bound
  std::vector<LengthPoint> points;  ///< those visited, by length
};

/// The lengths that may be visited: 50 ns to 1 ms, a factor √2 apart.
std::vector<Duration> metg_lengths();

/// Where the line between two points, linear in efficiency and in the logarithm of granularity, meets 50 %.
/// Contract: below 50 % at `less`, 50 % or more at `more`.
double interpolate_metg(const LengthPoint& less, const LengthPoint& more);

/// Bisects `lengths` for two neighbours that enclose 50 %; of several such pairs it takes one with two inefficient lengths
/// below it, as far as there are two. Asks `granularity_ns` once for each length visited. Contract: `lengths` ascend, not empty.
MetgSearch search_metg(std::span<const Duration> lengths, const std::function<double(Duration)>& granularity_ns);

}  // namespace tasktwin::verify
