#pragma once

#include <array>

#include "models/machine/field.hpp"

namespace tasktwin::mechanism {

/// Conditional nodes of CUDA graphs.
struct ConditionalNodes {
  Nanoseconds launch{};
  Nanoseconds decide{};
  Nanoseconds enter{};
  Nanoseconds skip{};
  Nanoseconds leave{};
  Nanoseconds again{};
  Nanoseconds service{};
  Nanoseconds body_end_service{};
  Nanoseconds release{};
  Nanoseconds poll{};
  int polled_branches = 0;

  static constexpr auto fields() {
    using M = ConditionalNodes;
    return std::array{
        constant<&M::launch>(Payer::kHost, "added to graph_launch.launch_ns by each conditional node"),
        constant<&M::decide>(Payer::kDevice, "the kernel that sets a conditional node's value started to ended"),
        constant<&M::enter>(Payer::kDevice, "a conditional node's value set to its body starting"),
        constant<&M::skip>(Payer::kDevice, "a conditional node's value set to the node's end without its body"),
        constant<&M::leave>(Payer::kDevice, "a conditional node's body ended to the node's end"),
        constant<&M::again>(Payer::kDevice, "added to leave_ns by a loop that ends"),
        constant<&M::service>(Payer::kDevice, "between two conditional nodes that the device looks at"),
        constant<&M::body_end_service>(Payer::kDevice, "between two ends of conditional nodes' bodies"),
        constant<&M::release>(Payer::kDevice, "between two ends of conditional nodes that make others ready"),
        constant<&M::poll>(Payer::kDevice, "of the device's rounds of looks at conditional nodes, by each branch of them to come"),
        constant<&M::polled_branches>(Payer::kDevice, "branches of such nodes beyond which a round of looks gets no longer"),
    };
  }
};

}  // namespace tasktwin::mechanism
