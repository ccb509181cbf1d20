#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tasktwin::oracles {

/// Bytes that drain, nanosecond after nanosecond: every flow at the same part of its own rate.
class Fluid {
 public:
  explicit Fluid(double total, double contention = 0) : total_(total), contention_(contention) {}

  void add(std::size_t flow, double bytes, double rate) {
    flows_.push_back({flow, bytes, rate});
    share_ = share();
  }

  /// Lets one nanosecond pass; returns the flows that ended within it, or at its end.
  std::vector<std::size_t> pass() {
    std::vector<std::size_t> ended;
    long double left = 1;
    while (!flows_.empty()) {
      const auto time = [](const Flow& flow) { return flow.bytes / flow.rate; };
      const auto first = std::ranges::min_element(flows_, {}, time);
      const long double until_end = time(*first) / share_;
      const bool ends = until_end <= left + 1e-6L;
      const long double step = ends ? until_end : left;
      for (Flow& flow : flows_) flow.bytes -= step * share_ * flow.rate;
      left -= step;
      if (!ends) break;
      ended.push_back(first->id);
      flows_.erase(first);
      share_ = share();
    }
    return ended;
  }

 private:
  struct Flow {
    std::size_t id;
    long double bytes;
    long double rate;
  };

  /// By halving: where share · (1 + contention · used / (1 − used)) is 1, or all the bandwidth is used.
  long double share() const {
    long double demand = 0;
    for (const Flow& flow : flows_) demand += flow.rate / total_;
    long double low = 0;
    long double high = demand > 1 ? 1 / demand : 1;
    if (contention_ <= 0) return high;
    for (int i = 0; i < 100; ++i) {
      const long double middle = (low + high) / 2;
      const long double used = middle * demand;
      (middle * (1 + contention_ * used / (1 - used)) < 1 ? low : high) = middle;
    }
    return low;
  }

  long double total_;
  long double contention_;
  std::vector<Flow> flows_;
  long double share_ = 1;
};

}  // namespace tasktwin::oracles
