#pragma once

#include <array>

#include "models/machine/field.hpp"

namespace tasktwin::mechanism {

/// Compute cores on which a worker stays.
struct ResidentCores {
  Nanoseconds start{};
  Nanoseconds hand_off{};
  Nanoseconds queue_hand_off{};
  Nanoseconds release{};
  Nanoseconds release_per_successor{};
  Nanoseconds push{};
  Nanoseconds push_per_successor{};
  Nanoseconds retire{};
  Nanoseconds counter_hop{};
  Nanoseconds counter_hop_spread{};
  Nanoseconds flag_hop{};
  Nanoseconds semaphore_hop{};
  Nanoseconds look{};
  Nanoseconds list_read{};
  Nanoseconds spawn{};
  Nanoseconds spawn_per_task{};
  int lanes = 0;
  int successors_at_hand = 0;

  static constexpr auto fields() {
    using M = ResidentCores;
    return std::array{
        constant<&M::start>(Payer::kDevice, "the core has the task and is free, to its body starting"),
        constant<&M::hand_off>(Payer::kDevice, "added to start_ns where one unit of the core fetches, one runs bodies, one publishes"),
        constant<&M::queue_hand_off>(Payer::kDevice, "hand_off_ns where a core claims its tasks from one queue"),
        constant<&M::release>(Payer::kDevice, "body ended to successors' counters decremented, where the core does that"),
        constant<&M::release_per_successor>(Payer::kDevice, "added to release_ns by each successor"),
        constant<&M::push>(Payer::kDevice, "counters decremented to the tasks made ready standing in a shared queue"),
        constant<&M::push_per_successor>(Payer::kDevice, "added to push_ns by each successor"),
        constant<&M::retire>(Payer::kDevice, "body ended to task done, where the core would release successors and has none"),
        constant<&M::counter_hop>(Payer::kDevice, "counter written to a waiting core having seen it"),
        constant<&M::counter_hop_spread>(Payer::kDevice, "standard deviation of counter_hop_ns and flag_hop_ns over pairs of cores"),
        constant<&M::flag_hop>(Payer::kDevice, "a predecessor's flag written to a waiting core having seen it"),
        constant<&M::semaphore_hop>(Payer::kDevice, "hardware semaphore signalled to a waiting core going on"),
        constant<&M::look>(Payer::kDevice, "reading a counter or flag that a core need not wait for"),
        constant<&M::list_read>(Payer::kDevice, "a worker going on to the next entry of its own list"),
        constant<&M::spawn>(Payer::kDevice, "a core making known spawned tasks, as many as it has lanes, added to releasing them"),
        constant<&M::spawn_per_task>(Payer::kDevice, "added to spawn_ns by each of them"),
        constant<&M::lanes>(Payer::kDevice,
                            "entries that a worker reads or copies side by side: flags, lengths of queues, successors, spawned tasks"),
        constant<&M::successors_at_hand>(Payer::kDevice, "successors that are read before the body ends; rows beyond cost a read each"),
    };
  }
};

}  // namespace tasktwin::mechanism
