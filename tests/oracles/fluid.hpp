#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tasktwin::oracles {

/// Bytes that drain, nanosecond after nanosecond: every flow at the same part of its own rate, or at the part that its port can carry.
class Fluid {
 public:
  /// `port`: bytes/ns of each port; 0 for no limit.
  explicit Fluid(double total, double contention = 0, double port = 0) : total_(total), contention_(contention), port_(port) {}

  void add(std::size_t flow, double bytes, double rate, std::size_t port = 0) {
    flows_.push_back({flow, bytes, rate, port});
    share_ = share();
  }

  /// Lets one nanosecond pass; returns the flows that ended within it, or at its end.
  std::vector<std::size_t> pass() {
    std::vector<std::size_t> ended;
    long double left = 1;
    while (!flows_.empty()) {
      const auto time = [this](const Flow& flow) { return flow.bytes / (flow.rate * part_of(flow.port, share_)); };
      const auto first = std::ranges::min_element(flows_, {}, time);
      const long double until_end = time(*first);
      const bool ends = until_end <= left + 1e-6L;
      const long double step = ends ? until_end : left;
      for (Flow& flow : flows_) flow.bytes -= step * part_of(flow.port, share_) * flow.rate;
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
    std::size_t port;
  };

  /// Of a port's flows, where all others get on at `share`.
  long double part_of(std::size_t port, long double share) const {
    long double demand = 0;
    for (const Flow& flow : flows_) demand += flow.port == port ? flow.rate : 0;
    return port_ > 0 && demand * share > port_ ? port_ / demand : share;
  }

  long double used(long double share) const {
    long double used = 0;
    for (const Flow& flow : flows_) used += part_of(flow.port, share) * flow.rate / total_;
    return used;
  }

  /// By halving: where share · (1 + contention · used / (1 − used)) is 1, or all the bandwidth is used.
  long double share() const {
    long double low = 0;
    long double high = 1;
    if (contention_ <= 0 && used(high) <= 1) return high;
    for (int i = 0; i < 100; ++i) {
      const long double middle = (low + high) / 2;
      const long double load = used(middle);
      (load < 1 && middle * (1 + contention_ * load / (1 - load)) < 1 ? low : high) = middle;
    }
    return low;
  }

  long double total_;
  long double contention_;
  long double port_;
  std::vector<Flow> flows_;
  long double share_ = 1;
};

}  // namespace tasktwin::oracles
