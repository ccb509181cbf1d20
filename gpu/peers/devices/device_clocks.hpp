#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tasktwin::gpu {

/// How far the devices' timers are apart: each has one of its own. The first device and another exchange flags; half-way between the two
/// times at which the first one sent and saw an answer it was the time that the other one stamped. Of many exchanges the quickest count, so
/// that it is right to about a step of the timers.
class DeviceClocks {
 public:
  /// Contract: peer access is allowed among the first `devices`.
  explicit DeviceClocks(int devices);
  ~DeviceClocks();
  DeviceClocks(const DeviceClocks&) = delete;
  DeviceClocks& operator=(const DeviceClocks&) = delete;

  /// Compares them again; the devices are idle. Timers drift apart, so this is done for each run. Throws RunError.
  void compare();

  /// What the timer of `device` showed when that of the first one showed `stamp`.
  std::uint64_t on(int device, std::uint64_t stamp) const {
    return stamp + static_cast<std::uint64_t>(ahead_ns_[static_cast<std::size_t>(device)]);
  }
  std::int64_t ahead_ns(int device) const { return ahead_ns_[static_cast<std::size_t>(device)]; }

 private:
  struct Side;
  std::vector<std::unique_ptr<Side>> sides_;  ///< by device
  std::vector<std::int64_t> ahead_ns_;        ///< by device: its timer less that of the first
};

}  // namespace tasktwin::gpu
