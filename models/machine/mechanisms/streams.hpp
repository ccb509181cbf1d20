#pragma once

#include <array>

#include "models/machine/fields/field.hpp"
#include "models/machine/mechanisms/host_calls.hpp"

namespace tasktwin::mechanism {

/// Kernels that streams start.
struct Streams {
  Nanoseconds launch_latency{};
  Nanoseconds gap{};
  Nanoseconds event_gap{};
  Nanoseconds waiting_queue{};
  Nanoseconds queue_turns{};
  Nanoseconds loaded_queue{};
  Nanoseconds programmatic_gap{};
  Nanoseconds trigger_latency{};

  static constexpr auto fields() {
    using M = Streams;
    return std::array{
        constant<&M::launch_latency>(Payer::kDevice, "launch call begun to kernel start, everything idle")
            .in(CostGroup::kHost)
            .begins_with<&HostCalls::launch>(),
        constant<&M::gap>(Payer::kDevice, "kernel end to next kernel start in the same stream").in(CostGroup::kHops),
        constant<&M::event_gap>(Payer::kDevice, "kernel end to start of a kernel of another stream that waits for it").in(CostGroup::kHops),
        constant<&M::waiting_queue>(Payer::kDevice,
                                    "added to event_gap_ns, in the mean, by each other hardware queue that waits for an event")
            .in(CostGroup::kHops),
        constant<&M::queue_turns>(Payer::kDevice, "added to event_gap_ns where more than two hardware queues wait for events")
            .in(CostGroup::kHops)
            .or_unstated(),
        constant<&M::loaded_queue>(
            Payer::kDevice,
            "added to waiting_queue_ns behind a kernel that drew all of the memory's bandwidth; in proportion behind one that drew less")
            .in(CostGroup::kHops)
            .or_unstated(),
        constant<&M::programmatic_gap>(Payer::kDevice, "kernel end to the start of one that waits for it on the device")
            .in(CostGroup::kHops),
        constant<&M::trigger_latency>(
            Payer::kDevice,
            "a kernel's trigger to the first instruction of one that is launched programmatically behind it, where "
            "there is room")
            .in(CostGroup::kHops)
            .or_unstated(),
    };
  }
};

}  // namespace tasktwin::mechanism
