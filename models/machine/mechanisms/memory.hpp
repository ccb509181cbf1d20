#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// The memory that all cores share.
struct Memory {
  double bandwidth = 0;
  double core_bandwidth = 0;
  double port_bandwidth = 0;
  double queue_bandwidth = 0;
  double contention = 0;
  Nanoseconds read_latency{};
  Nanoseconds atomic_latency{};
  Nanoseconds atomic_service{};

  static constexpr auto fields() {
    using M = Memory;
    return std::array{
        constant<&M::bandwidth>(Payer::kDevice, "bandwidth of the memory shared by all cores"),
        constant<&M::core_bandwidth>(Payer::kDevice, "bandwidth that one core draws alone"),
        constant<&M::port_bandwidth>(Payer::kDevice, "bandwidth of each port by which cores reach that memory; 0 for no limit")
            .in(CostGroup::kBandwidth),
        constant<&M::queue_bandwidth>(Payer::kDevice, "bandwidth that the bytes in flight of one memory queue draw alone; 0 for no limit")
            .in(CostGroup::kBandwidth),
        constant<&M::contention>(Payer::kDevice, "how much of its time alone a load takes longer, by used / unused bandwidth")
            .in(CostGroup::kBandwidth)
            .as_ratio(),
        constant<&M::read_latency>(Payer::kDevice, "load from the memory all cores share, there and back").in(CostGroup::kHops),
        constant<&M::atomic_latency>(Payer::kDevice, "atomic operation on memory, there and back").in(CostGroup::kHops),
        constant<&M::atomic_service>(Payer::kDevice, "between two atomic operations on one address").in(CostGroup::kFences),
    };
  }
};

}  // namespace tasktwin::mechanism
