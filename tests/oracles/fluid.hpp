#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace tasktwin::oracles {

/// Bytes that drain, nanosecond after nanosecond: every flow at the same part of its own rate, or at the part that its port can carry, or
/// at that which its queue has of what all have under way.
class Fluid {
 public:
  /// `port`, `queue`: bytes/ns that each path carries, or that what it can have under way would draw alone; 0 for no limit.
  explicit Fluid(double total, double contention = 0, double port = 0, double queue = 0)
      : total_(total), contention_(contention), port_(port), queue_(queue) {}

  void add(std::size_t flow, double bytes, double rate, std::size_t path = 0) {
    flows_.push_back({flow, bytes, rate, path});
    set_parts();
  }

  /// Nothing for a flow that has ended.
  void set_rate(std::size_t id, double rate) {
    for (Flow& flow : flows_) {
      if (flow.id == id) flow.rate = rate;
    }
    set_parts();
  }

  /// Lets one nanosecond pass; returns the flows that ended within it, or at its end.
  std::vector<std::size_t> pass() {
    std::vector<std::size_t> ended;
    long double left = 1;
    while (!flows_.empty()) {
      const auto time = [this](const Flow& flow) { return flow.bytes / (flow.rate * parts_.at(flow.path)); };
      const auto first = std::ranges::min_element(flows_, {}, time);
      const long double until_end = time(*first);
      const bool ends = until_end <= left + 1e-6L;
      const long double step = ends ? until_end : left;
      for (Flow& flow : flows_) flow.bytes -= step * parts_.at(flow.path) * flow.rate;
      left -= step;
      if (!ends) break;
      ended.push_back(first->id);
      flows_.erase(first);
      set_parts();
    }
    return ended;
  }

 private:
  struct Flow {
    std::size_t id;
    long double bytes;
    long double rate;
    std::size_t path;
  };

  long double demand(std::size_t path) const {
    long double demand = 0;
    for (const Flow& flow : flows_) demand += flow.path == path ? flow.rate : 0;
    return demand;
  }

  /// Of a path's flows, where all others get on at `share`.
  long double part_of(std::size_t path, long double share) const {
    const long double wanted = demand(path);
    return port_ > 0 && wanted * share > port_ ? port_ / wanted : share;
  }

  /// Of a path's flows, where what is under way is served at `pace`.
  long double queued_part_of(std::size_t path, long double pace) const {
    return std::min(1.0L, pace * std::min(1.0L, queue_ / demand(path)));
  }

  long double used(long double share) const {
    long double used = 0;
    for (const Flow& flow : flows_) used += part_of(flow.path, share) * flow.rate / total_;
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

  /// By doubling and halving: at which queues get as much together as without any.
  long double pace(long double share) const {
    const auto is_too_slow = [&](long double pace) {
      long double missing = 0;
      for (const Flow& flow : flows_) missing += (share - queued_part_of(flow.path, pace)) * flow.rate;
      return missing > 0;
    };
    long double low = 0;
    long double high = 1;
    for (int i = 0; i < 30 && is_too_slow(high); ++i) high *= 2;
    for (int i = 0; i < 100; ++i) {
      const long double middle = (low + high) / 2;
      (is_too_slow(middle) ? low : high) = middle;
    }
    return high;
  }

  void set_parts() {
    const long double all = share();
    const long double under_way = queue_ > 0 ? pace(all) : 0;
    parts_.clear();
    for (const Flow& flow : flows_) {
      parts_.try_emplace(flow.path, queue_ > 0 ? queued_part_of(flow.path, under_way) : part_of(flow.path, all));
    }
  }

  long double total_;
  long double contention_;
  long double port_;
  long double queue_;
  std::vector<Flow> flows_;
  std::map<std::size_t, long double> parts_;  ///< by path
};

}  // namespace tasktwin::oracles
