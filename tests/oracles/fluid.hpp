#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tasktwin::oracles {

/// Bytes that drain, nanosecond after nanosecond: every flow at the same rate, min(per_flow, total / number of flows).
class Fluid {
 public:
  Fluid(double total, double per_flow) : total_(total), per_flow_(per_flow) {}

  void add(std::size_t flow, double bytes) { flows_.push_back({flow, bytes}); }

  /// Lets one nanosecond pass; returns the flows that ended within it, or at its end.
  std::vector<std::size_t> pass() {
    std::vector<std::size_t> ended;
    long double left = 1;
    while (!flows_.empty()) {
      const long double rate = std::min<long double>(per_flow_, static_cast<long double>(total_) / static_cast<long double>(flows_.size()));
      std::size_t smallest = 0;
      for (std::size_t i = 1; i < flows_.size(); ++i) {
        if (flows_[i].bytes < flows_[smallest].bytes) smallest = i;
      }
      const long double until_end = flows_[smallest].bytes / rate;
      const bool ends = until_end <= left + 1e-6L;
      const long double step = ends ? until_end : left;
      for (Flow& flow : flows_) flow.bytes -= step * rate;
      left -= step;
      if (!ends) break;
      ended.push_back(flows_[smallest].id);
      flows_.erase(flows_.begin() + static_cast<std::ptrdiff_t>(smallest));
    }
    return ended;
  }

 private:
  struct Flow {
    std::size_t id;
    long double bytes;
  };

  double total_;
  double per_flow_;
  std::vector<Flow> flows_;
};

}  // namespace tasktwin::oracles
