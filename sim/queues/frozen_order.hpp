#pragma once

#include <memory>

#include "models/policies.hpp"

namespace tasktwin::sim {

/// The tasks of frozen lists in the order of their list, all others by `others`.
std::unique_ptr<TaskOrderPolicy> make_frozen_order(const FrozenSchedule& schedule, std::size_t tasks,
                                                   std::unique_ptr<TaskOrderPolicy> others);

}  // namespace tasktwin::sim
