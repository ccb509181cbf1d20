#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "verify/calibration/micro_graphs.hpp"
#include "verify/calibration/probes.hpp"

namespace tasktwin::verify {

/// Links of the chains in which the device launches one task after the other.
inline constexpr int kLaunchChain = 400;

/// From the host's launch call to the first launch on the device, of short chains on an idle device, trimmed mean in ns.
inline Estimate first_launch(const Probes& probes, std::string_view what, const Design& design) {
  std::vector<double> begins;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const Timeline run = probes.run(what, chain_graph(12, std::chrono::microseconds(10)), design, 1).timeline;
    begins.push_back(ns(run.tasks.front().dispatched - TimePoint{}));
  }
  return trimmed_mean(begins);
}

}  // namespace tasktwin::verify
