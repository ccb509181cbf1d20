#pragma once

#include <span>

#include "gpu/executors/executor_entry.hpp"

namespace tasktwin::gpu {

std::span<const ExecutorEntry> executors();
/// Those over several devices.
std::span<const ExecutorEntry> peer_executors();

}  // namespace tasktwin::gpu
