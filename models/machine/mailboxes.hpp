#pragma once

#include <array>

#include "models/machine/field.hpp"

namespace tasktwin::mechanism {

/// What control cores and compute cores write to each other.
struct Mailboxes {
  Nanoseconds hop{};
  Nanoseconds hop_sigma{};
  Nanoseconds first_hop{};
  Nanoseconds completion_hop{};
  Nanoseconds publish{};
  Nanoseconds fence_round{};
  Nanoseconds doorbell{};

  static constexpr auto fields() {
    using M = Mailboxes;
    return std::array{
        constant<&M::hop>(Payer::kDevice, "hand-over written to the core having the task"),
        constant<&M::hop_sigma>(Payer::kDevice, "standard deviation of hop_ns"),
        constant<&M::first_hop>(Payer::kDevice, "added to hop_ns for a core's first task"),
        constant<&M::completion_hop>(Payer::kDevice, "completion written to a dispatcher's poll seeing it"),
        constant<&M::publish>(Payer::kDevice, "body ended to completion written for a control core, where no other is being published"),
        constant<&M::doorbell>(Payer::kDevice, "a doorbell rung by a control core to the core that waits at it hearing it"),
        constant<&M::fence_round>(Payer::kDevice, "between moments at which completions are written; 0 where each is by itself"),
    };
  }
};

}  // namespace tasktwin::mechanism
