#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Loaders of resident cores, which bring inputs of the next tasks into pages of shared memory.
struct PageLoads {
  double load_bandwidth = 0;
  double read_bandwidth = 0;

  static constexpr auto fields() {
    using M = PageLoads;
    return std::array{
        constant<&M::load_bandwidth>(Payer::kDevice, "bandwidth that one core's loader draws alone"),
        constant<&M::read_bandwidth>(Payer::kDevice, "bandwidth by which a body reads pages that are full"),
    };
  }
};

}  // namespace tasktwin::mechanism
