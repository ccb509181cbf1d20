#pragma once

#include <vector>

#include "models/machine/machine.hpp"
#include "verify/calibration/fit/fit.hpp"
#include "verify/calibration/probes/body_times.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

/// What a kernel adds to the phases around its bodies: the mean over its probes; of what first bodies wait for their code the median, for
/// with some sizes they wait for what they read as well.
class KernelPhases {
 public:
  void add(const BodyTimes& seen, double publish) {
    add_cold(seen);
    release_.push_back(seen.release);
    publish_.push_back(publish);
  }

  void add_cold(const BodyTimes& seen) { (seen.uncached ? uncached_cold_ : cold_).push_back(seen.cold); }

  /// As measure_launched() has it.
  void add_launched(Probes& probes, const Machine& known, const BodyProbe& probe, double warm) {
    launched_.push_back(measure_launched(probes, *known.launched_kernels, probe, warm));
  }

  /// `cost` with them; an observation of one state of the cache alone counts for both. Contract: add() has been called.
  KernelCost in(KernelCost cost) const {
    cost.cold = Nanoseconds{median(cold_.empty() ? uncached_cold_ : cold_)};
    cost.uncached_cold = Nanoseconds{median(uncached_cold_.empty() ? cold_ : uncached_cold_)};
    cost.launched = Nanoseconds{mean_or_zero(launched_)};
    cost.release = Nanoseconds{trimmed_mean(release_)};
    cost.publish = Nanoseconds{trimmed_mean(publish_)};
    return cost;
  }

 private:
  std::vector<double> cold_;
  std::vector<double> uncached_cold_;
  std::vector<double> launched_;
  std::vector<double> release_;
  std::vector<double> publish_;
};

}  // namespace tasktwin::verify
