#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Queues of ready tasks in the memory of the device.
struct ReadyQueues {
  Nanoseconds service{};
  Nanoseconds hop{};
  Nanoseconds steal{};
  Nanoseconds steal_hop{};
  Nanoseconds take{};
  Nanoseconds list_take{};
  Nanoseconds list_hop{};
  Nanoseconds uncached_fetch{};

  static constexpr auto fields() {
    using M = ReadyQueues;
    return std::array{
        constant<&M::service>(Payer::kDevice, "a ready queue is held for this long by one push or claim"),
        constant<&M::hop>(Payer::kDevice, "task pushed to a shared queue to the core whose ticket it meets having it")
            .added_when_cold(&M::uncached_fetch),
        constant<&M::steal>(Payer::kDevice, "finding another's queue with tasks and taking from it, once for all taken together")
            .added_when_cold(&M::uncached_fetch),
        constant<&M::steal_hop>(Payer::kDevice, "task pushed to a core's own queue to a waiting core, perhaps a thief, having it")
            .added_when_cold(&M::uncached_fetch),
        constant<&M::take>(Payer::kDevice, "a core looking at its own queue to its having the task found there")
            .added_when_cold(&M::uncached_fetch),
        constant<&M::list_take>(Payer::kDevice, "the same of a frozen list from which others may take").added_when_cold(&M::uncached_fetch),
        constant<&M::list_hop>(Payer::kDevice, "task of such a list become ready to a waiting core having it")
            .added_when_cold(&M::uncached_fetch),
        constant<&M::uncached_fetch>(Payer::kDevice, "added to fetching a task from a queue in a run that finds the cache empty"),
    };
  }
};

}  // namespace tasktwin::mechanism
