#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Conditional nodes of CUDA graphs.
struct ConditionalNodes {
  Nanoseconds enter{};
  Nanoseconds skip{};
  Nanoseconds leave{};
  Nanoseconds again{};
  Nanoseconds service{};
  Nanoseconds poll{};
  int polled_branches = 0;

  static constexpr auto fields() {
    using M = ConditionalNodes;
    return std::array{
        constant<&M::enter>(Payer::kDevice, "a conditional node starting to set its value to its body starting"),
        constant<&M::skip>(Payer::kDevice, "a conditional node starting to set its value to the node's end without its body"),
        constant<&M::leave>(Payer::kDevice, "a conditional node's body ended to the node's end"),
        constant<&M::again>(Payer::kDevice, "added to leave_ns by a loop that ends"),
        constant<&M::service>(Payer::kDevice, "between two conditional nodes that the device looks at, or two ends of their bodies"),
        constant<&M::poll>(Payer::kDevice, "of the device's rounds of looks at conditional nodes, by each branch of them to come"),
        constant<&M::polled_branches>(Payer::kDevice, "branches of such nodes beyond which a round of looks gets no longer"),
    };
  }
};

}  // namespace tasktwin::mechanism
