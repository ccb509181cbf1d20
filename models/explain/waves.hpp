#pragma once

#include <span>
#include <vector>

#include "models/explain/occupancy.hpp"

namespace tasktwin {

/// By position, in which wave of its task each part ran, from 1: one more than the latest of those that had left its core before it
/// started. Contract: `parts` ascend by task.
std::vector<int> waves(std::span<const Occupancy> parts);

}  // namespace tasktwin
