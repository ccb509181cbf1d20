#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

/// Links of the chains in which the device launches one task after the other.
inline constexpr int kLaunchChain = 400;

/// Over the links of a chain: difference(link before, link), trimmed mean in ns.
template <class Difference>
Estimate mean_over_links(const Timeline& timeline, Difference difference) {
  std::vector<double> values;
  for (std::size_t i = 1; i < timeline.tasks.size(); ++i) values.push_back(ns(difference(timeline.tasks[i - 1], timeline.tasks[i])));
  return trimmed_mean(values);
}

/// From the host's launch call to the first launch on the device, of short chains on an idle device, trimmed mean in ns.
inline Estimate first_launch(Calibration& calibration, std::string_view what, const Design& design) {
  std::vector<double> begins;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Timeline run = calibration.run(what, chain_graph(12, std::chrono::microseconds(10)), design, 1).timeline;
    begins.push_back(ns(run.tasks.front().dispatched - TimePoint{}));
  }
  return trimmed_mean(begins);
}

}  // namespace tasktwin::verify
