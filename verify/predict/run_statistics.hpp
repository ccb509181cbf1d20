#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::verify {

/// What several runs of one design gave. Percentiles as percentile() takes them.
struct Distribution {
  std::size_t runs = 0;
  double mean = 0;
  double median = 0;
  double p5 = 0;
  double p95 = 0;
  double min = 0;
  double max = 0;
  double sigma = 0;  ///< of the sample (n − 1); 0 for one run
};

/// Contract: `values` is not empty.
Distribution distribution(std::span<const double> values);

/// The mean of a − b over runs paired by seed, with its confidence interval: d̄ ± t((1 + confidence) / 2, n − 1) · s / √n (Student
/// 1908). Pairing takes out what both designs owe to the same drawn durations.
struct PairedDifference {
  double mean = 0;
  double low = 0;
  double high = 0;

  /// Whether the interval leaves 0 out: the difference is more than noise. Where all differences are equal, so is the interval.
  bool beyond_noise() const { return low > 0 || high < 0; }
};

/// Contract: `a` and `b` are equally long, of at least two runs.
PairedDifference paired_difference(std::span<const double> a, std::span<const double> b, double confidence = 0.95);

/// What the seed decides when `graph` runs on `machine` under `design`, in words for a list ("task times (sigma_ns)"); empty
/// where every run is the same.
std::vector<std::string> random_parts(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::verify
