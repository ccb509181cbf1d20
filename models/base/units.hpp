#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace tasktwin {

/// The clock of every Timeline, simulated or measured: integer nanoseconds since the run's origin.
struct TimelineClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<TimelineClock, duration>;
  static constexpr bool is_steady = true;
};

using Duration = TimelineClock::duration;
using TimePoint = TimelineClock::time_point;

/// A time that an executor could not observe. Never used in arithmetic.
inline constexpr TimePoint kAbsent = TimePoint::min();

constexpr bool is_present(TimePoint time) { return time != kAbsent; }
constexpr std::int64_t to_ns(TimePoint time) { return time.time_since_epoch().count(); }
constexpr std::int64_t to_ns(Duration duration) { return duration.count(); }
constexpr TimePoint at_ns(std::int64_t ns) { return TimePoint{Duration{ns}}; }

/// A count of one kind of thing; kinds do not mix.
template <class Tag>
struct Quantity {
  std::int64_t count = 0;

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.count + b.count}; }
  friend constexpr Quantity operator*(std::int64_t factor, Quantity a) { return {factor * a.count}; }
  constexpr Quantity& operator+=(Quantity other) {
    count += other.count;
    return *this;
  }
};

using Bytes = Quantity<struct BytesTag>;
using Flops = Quantity<struct FlopsTag>;

}  // namespace tasktwin
