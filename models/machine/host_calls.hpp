#pragma once

#include <array>

#include "models/machine/field.hpp"

namespace tasktwin::mechanism {

/// Calls of the host that launch, record, wait and ask.
struct HostCalls {
  Nanoseconds launch{};
  Nanoseconds first_launches{};
  Nanoseconds event_record{};
  Nanoseconds stream_wait{};
  Nanoseconds stream_first_wait{};
  Nanoseconds sync{};
  Nanoseconds sync_latency{};
  Nanoseconds event_query{};
  Nanoseconds callback{};
  Nanoseconds callback_latency{};
  Nanoseconds reference_launch{};
  int first_launch_count = 0;

  static constexpr auto fields() {
    using M = HostCalls;
    return std::array{
        constant<&M::launch>(Payer::kHost, "host time of one kernel launch"),
        constant<&M::first_launches>(Payer::kHost,
                                     "host time that the first_launch_count first launches of a run take together beyond launch_ns"),
        constant<&M::event_record>(Payer::kHost, "host time of one event record"),
        constant<&M::stream_wait>(Payer::kHost, "host time of making a stream wait for an event"),
        constant<&M::stream_first_wait>(Payer::kHost, "added to stream_wait_ns for the first wait for an event that has been recorded"),
        constant<&M::sync>(Payer::kHost, "host time of blocking for what has already ended"),
        constant<&M::sync_latency>(Payer::kDevice, "kernel end to the host that blocks for it, or asks, knowing"),
        constant<&M::event_query>(Payer::kHost, "host time of asking for one event"),
        constant<&M::callback>(Payer::kHost, "host time of putting a host function into a stream"),
        constant<&M::callback_latency>(Payer::kDevice, "kernel end to the host function behind it having run"),
        constant<&M::reference_launch>(Payer::kHost,
                                       "host time of launching an empty kernel, when the host's other times with streams were measured"),
        constant<&M::first_launch_count>(Payer::kHost, "launches that first_launches_ns is spread over"),
    };
  }
};

}  // namespace tasktwin::mechanism
