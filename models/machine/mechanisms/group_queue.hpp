#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// A hardware queue for each dispatcher: slots for tasks, with comparators for their dependencies.
struct GroupQueue {
  int slots{};
  int comparators{};
  Nanoseconds submit{};
  Nanoseconds compare{};

  static constexpr auto fields() {
    using M = GroupQueue;
    return std::array{
        constant<&M::slots>(Payer::kDevice, "tasks that a controller holds until they are handed over"),
        constant<&M::comparators>(Payer::kDevice, "predecessors, not yet done, that a task in a slot can wait for"),
        constant<&M::submit>(Payer::kControlMemory, "a control core putting one task into a slot"),
        constant<&M::compare>(Payer::kDevice, "completion written to the slots having seen it").in(CostGroup::kHops),
    };
  }
};

}  // namespace tasktwin::mechanism
