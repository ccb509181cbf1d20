#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Graphs that a scheduler kernel launches from the device.
struct DeviceGraphLaunch {
  Nanoseconds launch{};
  Nanoseconds latency{};
  Nanoseconds uncached_launch{};
  Nanoseconds look{};

  static constexpr auto fields() {
    using M = DeviceGraphLaunch;
    return std::array{
        constant<&M::launch>(Payer::kDevice, "a scheduler kernel launching one graph"),
        constant<&M::latency>(Payer::kDevice, "that launch begun to the graph's kernel starting, everything idle"),
        constant<&M::uncached_launch>(Payer::kDevice, "added to launch_ns in a run that finds the cache empty"),
        constant<&M::look>(Payer::kDevice, "a scheduler kernel finding what is ready, before each launch"),
    };
  }
};

}  // namespace tasktwin::mechanism
