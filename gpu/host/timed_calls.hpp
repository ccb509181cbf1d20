#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace tasktwin::gpu {

/// The host's time for `call`, in nanoseconds.
template <class Call>
double host_time_ns(Call call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

/// Contract: `values` is not empty.
inline double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

}  // namespace tasktwin::gpu
