#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// What control cores and compute cores write to each other.
struct Mailboxes {
  Nanoseconds hop{};
  Nanoseconds hop_sigma{};
  Nanoseconds publish{};
  Nanoseconds doorbell{};
};

/// Where the control cores are on the device.
struct DeviceMailboxes : Mailboxes {
  static constexpr auto fields() {
    using M = Mailboxes;
    return std::array{
        constant<&M::hop>(Payer::kDevice, "hand-over written to the core having the task"),
        constant<&M::hop_sigma>(Payer::kDevice, "standard deviation of hop_ns"),
        constant<&M::publish>(Payer::kDevice,
                              "body ended to a control core's poll seeing the completion, where no other is being published"),
        constant<&M::doorbell>(Payer::kDevice, "a doorbell rung by a control core to the core that waits at it hearing it"),
    };
  }
};

/// Where they are threads of the host; a doorbell takes a hop.
struct HostMailboxes : Mailboxes {
  static constexpr auto fields() {
    using M = Mailboxes;
    return std::array{
        constant<&M::hop>(Payer::kDevice, "hand-over written to the core having the task"),
        constant<&M::hop_sigma>(Payer::kDevice, "standard deviation of hop_ns"),
        constant<&M::publish>(Payer::kDevice, "body ended to a thread's poll seeing the completion, where no other is being published"),
    };
  }
};

}  // namespace tasktwin::mechanism
