#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Links between hosts: network cards and the switches over them.
struct Network {
  double nic_bandwidth = 0;
  Nanoseconds nic_latency{};
  double tree_bandwidth = 0;
  Nanoseconds tree_latency{};

  static constexpr auto fields() {
    using M = Network;
    return std::array{
        constant<&M::nic_bandwidth>(Payer::kDevice, "bandwidth of one network card, each way"),
        constant<&M::nic_latency>(Payer::kDevice, "first byte sent by a device to its leaving its host, or the same on arrival"),
        constant<&M::tree_bandwidth>(Payer::kDevice, "bandwidth of a link of the tree of switches, each way"),
        constant<&M::tree_latency>(Payer::kDevice, "latency of such a link"),
    };
  }
};

}  // namespace tasktwin::mechanism
