#pragma once

#include "tests/support/free_machine.hpp"

namespace tasktwin::sim {

/// 24 clusters of a matrix core and two vector cores, and four control cores of one lane that take none of them: an Ascend a2a3, about.
inline Machine clustered_machine() {
  Machine machine = free_machine();
  machine.name = "clustered";
  machine.compute_cores = {{.type = CoreType::kAic, .count = 24, .per_cluster = 1},
                           {.type = CoreType::kAiv, .count = 48, .per_cluster = 2}};
  machine.control_cores = {.count = 4, .lanes = 1, .occupied_cores = 0};
  machine.device_control->poll_per_core = Nanoseconds{92};
  machine.device_control->complete = Nanoseconds{880};
  machine.device_control->resolve = Nanoseconds{64};
  machine.device_control->dispatch = Nanoseconds{5};
  machine.device_control->submit = Nanoseconds{669};
  machine.device_mailboxes->hop = Nanoseconds{633};
  machine.device_mailboxes->hop_sigma = Nanoseconds{236};
  machine.device_mailboxes->publish = Nanoseconds{80};
  machine.resident_cores->start = Nanoseconds{491};
  machine.resident_cores->release = machine.resident_cores->push = Nanoseconds{283};
  machine.resident_cores->counter_hop = Nanoseconds{283};
  machine.ready_queues->hop = machine.ready_queues->steal_hop = Nanoseconds{566};
  machine.ready_queues->take = Nanoseconds{283};
  machine.memory->read_latency = machine.memory->atomic_latency = Nanoseconds{283};
  machine.memory->atomic_service = Nanoseconds{10};
  return machine;
}

inline const Machine& clustered() {
  static const Machine machine = clustered_machine();
  return machine;
}

}  // namespace tasktwin::sim
