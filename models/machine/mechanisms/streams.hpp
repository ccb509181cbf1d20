#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Kernels that streams start.
struct Streams {
  Nanoseconds launch_latency{};
  Nanoseconds gap{};
  Nanoseconds event_gap{};
  Nanoseconds waiting_queue{};
  Nanoseconds programmatic_gap{};

  static constexpr auto fields() {
    using M = Streams;
    return std::array{
        constant<&M::launch_latency>(Payer::kDevice, "launch call begun to kernel start, everything idle"),
        constant<&M::gap>(Payer::kDevice, "kernel end to next kernel start in the same stream"),
        constant<&M::event_gap>(Payer::kDevice, "kernel end to start of a kernel of another stream that waits for it"),
        constant<&M::waiting_queue>(Payer::kDevice,
                                    "added to event_gap_ns, in the mean, by each other hardware queue that waits for an event"),
        constant<&M::programmatic_gap>(Payer::kDevice, "kernel end to the start of one that waits for it on the device"),
    };
  }
};

}  // namespace tasktwin::mechanism
