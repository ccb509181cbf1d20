#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace tasktwin::gpu {

/// What shares a host disturbs it, for microseconds or for seconds: take() again, up to that many `tries` in all, while unsteady(what it
/// gave) is above `limit`. Returns the steadiest, whether it was quick or slow.
template <class Take, class Unsteady>
auto steadiest(double limit, Take&& take, Unsteady&& unsteady, int tries = 3) {
  auto best = take();
  for (int taken = 1; taken < tries && std::invoke(unsteady, best) > limit; ++taken) {
    auto next = take();
    if (std::invoke(unsteady, next) < std::invoke(unsteady, best)) best = std::move(next);
  }
  return best;
}

/// By how much the middle half of the values, in nanoseconds, differ, as a share of their median. Contract: `values` is not empty.
inline double middle_spread(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return (values[n - 1 - n / 4] - values[n / 4]) / std::max(1.0, values[n / 2]);
}

/// By how much a host's pace may change within a measurement, as a share of it.
inline constexpr double kSteadyPace = 0.05;

}  // namespace tasktwin::gpu
