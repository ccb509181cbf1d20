#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Compute cores on which a worker stays.
struct ResidentCores {
  Nanoseconds start{};
  Nanoseconds hand_off{};
  Nanoseconds release{};
  Nanoseconds push{};
  Nanoseconds push_per_successor{};
  Nanoseconds counter_hop{};
  Nanoseconds counter_hop_spread{};
  Nanoseconds flag_gain{};
  Nanoseconds message_gain{};
  Nanoseconds list_read{};
  Nanoseconds spawn{};
  Nanoseconds flush{};
  Nanoseconds ordered_read{};
  int lanes = 0;

  static constexpr auto fields() {
    using M = ResidentCores;
    return std::array{
        constant<&M::start>(Payer::kDevice, "the core has the task and is free, to its body starting"),
        constant<&M::hand_off>(Payer::kDevice, "added to start_ns where one unit of the core fetches, one runs bodies, one publishes"),
        constant<&M::release>(Payer::kDevice, "body ended to successors' counters decremented, where the core does that")
            .in(CostGroup::kFences),
        constant<&M::push>(Payer::kDevice, "counters decremented to the tasks made ready standing in a shared queue")
            .in(CostGroup::kDispatch),
        constant<&M::push_per_successor>(Payer::kDevice, "added to push_ns by each successor").in(CostGroup::kDispatch),
        constant<&M::counter_hop>(Payer::kDevice, "counter written to a waiting core having seen it").in(CostGroup::kHops),
        constant<&M::counter_hop_spread>(Payer::kDevice, "standard deviation of counter_hop_ns over pairs of cores").in(CostGroup::kHops),
        constant<&M::flag_gain>(Payer::kDevice, "by how much sooner a waiting core has seen a flag than counter_hop_ns")
            .in(CostGroup::kHops)
            .or_unstated(),
        constant<&M::message_gain>(Payer::kDevice, "by how much sooner a result that carries its own flags is seen than a flag behind it")
            .in(CostGroup::kFences)
            .or_unstated(),
        constant<&M::list_read>(Payer::kDevice, "a worker going on to the next entry of its own list").in(CostGroup::kDispatch),
        constant<&M::spawn>(Payer::kDevice, "a core making known spawned tasks, as many as it has lanes, added to releasing them")
            .in(CostGroup::kDispatch),
        constant<&M::flush>(Payer::kDevice,
                            "the part of release_ns, or of publish_ns, in which the core waits for the output to have landed")
            .in(CostGroup::kFences),
        constant<&M::ordered_read>(Payer::kDevice, "the part of start_ns that keeps the core from reading before it has seen the signal")
            .in(CostGroup::kFences),
        constant<&M::lanes>(Payer::kDevice,
                            "entries that a worker reads or copies side by side: flags, lengths of queues, successors, spawned tasks"),
    };
  }
};

}  // namespace tasktwin::mechanism
