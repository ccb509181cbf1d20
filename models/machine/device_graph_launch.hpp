#pragma once

#include <array>

#include "models/machine/field.hpp"

namespace tasktwin::mechanism {

/// Graphs that a scheduler kernel launches from the device.
struct DeviceGraphLaunch {
  Nanoseconds launch{};
  Nanoseconds latency{};
  Nanoseconds latency_sigma{};
  Nanoseconds block{};
  Nanoseconds uncached_launch{};
  Nanoseconds uncached_latency{};
  Nanoseconds tail{};
  Nanoseconds start{};
  Nanoseconds turn{};
  Nanoseconds look{};

  static constexpr auto fields() {
    using M = DeviceGraphLaunch;
    return std::array{
        constant<&M::launch>(Payer::kDevice, "a scheduler kernel launching one graph"),
        constant<&M::latency>(Payer::kDevice, "that launch begun to the graph's kernel starting, everything idle"),
        constant<&M::latency_sigma>(Payer::kDevice, "standard deviation of latency_ns"),
        constant<&M::block>(Payer::kDevice, "between two blocks of such a graph's kernel that start"),
        constant<&M::uncached_launch>(Payer::kDevice, "added to launch_ns in a run that finds the cache empty"),
        constant<&M::uncached_latency>(Payer::kDevice, "likewise to latency_ns"),
        constant<&M::tail>(Payer::kDevice, "a graph and all it launched ended to the graph behind it starting"),
        constant<&M::start>(Payer::kDevice, "host's graph launch call begun to the scheduler kernel launching, everything idle"),
        constant<&M::turn>(Payer::kDevice, "body ended to the idle scheduler kernel launching its successor"),
        constant<&M::look>(Payer::kDevice, "a scheduler kernel finding what is ready, before each launch"),
    };
  }
};

}  // namespace tasktwin::mechanism
