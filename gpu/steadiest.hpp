#pragma once

#include <utility>

namespace tasktwin::gpu {

/// What shares a host disturbs it, for microseconds or for seconds: take() again, up to twice, while unsteady(what it gave) is above
/// `limit`. Returns the steadiest, whether it was quick or slow.
template <class Take, class Unsteady>
auto steadiest(double limit, Take&& take, Unsteady&& unsteady) {
  constexpr int kTries = 3;
  auto best = take();
  for (int tries = 1; tries < kTries && unsteady(best) > limit; ++tries) {
    auto next = take();
    if (unsteady(next) < unsteady(best)) best = std::move(next);
  }
  return best;
}

/// By how much a host's pace may change within a measurement, as a share of it.
inline constexpr double kSteadyPace = 0.05;

}  // namespace tasktwin::gpu
