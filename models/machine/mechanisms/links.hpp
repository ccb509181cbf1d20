#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Paths between the memories of host and devices.
struct Links {
  double h2d_bandwidth = 0;
  double d2h_bandwidth = 0;
  double duplex_bandwidth = 0;
  double p2p_bandwidth = 0;
  double staging_bandwidth = 0;

  static constexpr auto fields() {
    using M = Links;
    return std::array{
        constant<&M::h2d_bandwidth>(Payer::kDevice, "bandwidth of copies from pinned host memory to the device"),
        constant<&M::d2h_bandwidth>(Payer::kDevice, "bandwidth of copies from the device to pinned host memory"),
        constant<&M::duplex_bandwidth>(Payer::kDevice, "bandwidth of both together; 0 for no limit"),
        constant<&M::p2p_bandwidth>(Payer::kDevice, "bandwidth of copies to another device"),
        constant<&M::staging_bandwidth>(Payer::kDevice, "bandwidth between pageable memory and the staging buffer"),
    };
  }
};

}  // namespace tasktwin::mechanism
