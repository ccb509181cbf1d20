#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Copies, memsets and host functions in streams.
struct Copies {
  Nanoseconds call{};
  Nanoseconds latency{};
  Nanoseconds gap{};
  Nanoseconds engine_gap{};
  Nanoseconds setup{};
  double memset_bandwidth = 0;
  double traffic = 1;

  static constexpr auto fields() {
    using M = Copies;
    return std::array{
        constant<&M::call>(Payer::kHost, "host time of calling for one copy or memset"),
        constant<&M::latency>(Payer::kDevice, "copy call begun to an engine taking it, everything idle"),
        constant<&M::gap>(Payer::kDevice, "end of a copy to the next of its stream in the same direction"),
        constant<&M::engine_gap>(Payer::kDevice, "end of a copy, or of what a copy waits for, to the other engine that waits seeing it"),
        constant<&M::setup>(Payer::kDevice, "an engine is held by each copy before its bytes move"),
        constant<&M::memset_bandwidth>(Payer::kDevice, "bandwidth of setting device memory"),
        constant<&M::traffic>(Payer::kDevice, "bandwidth of the memory that each byte of a copy takes up, in those of bodies that read it")
            .as_ratio(),
    };
  }
};

}  // namespace tasktwin::mechanism
