#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Calls of the host that launch, record, wait and ask.
struct HostCalls {
  /// Launches of a run that share first_launches; calibration does not vary it.
  static constexpr int kFirstLaunches = 32;

  Nanoseconds launch{};
  Nanoseconds first_launches{};
  Nanoseconds event_record{};
  Nanoseconds stream_wait{};
  Nanoseconds sync{};
  Nanoseconds sync_latency{};
  Nanoseconds callback_latency{};
  Nanoseconds reference_launch{};

  static constexpr auto fields() {
    using M = HostCalls;
    return std::array{
        constant<&M::launch>(Payer::kHost, "host time of one kernel launch"),
        constant<&M::first_launches>(Payer::kHost, "added to the first 32 launches of a run together"),
        constant<&M::event_record>(Payer::kHost, "host time of one event record"),
        constant<&M::stream_wait>(Payer::kHost, "host time of making a stream wait for an event"),
        constant<&M::sync>(
            Payer::kHost,
            "host time of blocking for what has already ended, of asking for it, and of putting a host function into a stream"),
        constant<&M::sync_latency>(Payer::kDevice, "kernel end to the host that blocks for it, or asks, knowing").in(CostGroup::kHost),
        constant<&M::callback_latency>(Payer::kDevice, "kernel end to the start of the host function after it").in(CostGroup::kHost),
        constant<&M::reference_launch>(Payer::kHost,
                                       "host time of launching an empty kernel, when the host's other times with streams were measured")
            .in_no_group(),
    };
  }
};

}  // namespace tasktwin::mechanism
