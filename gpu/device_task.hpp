#pragma once

#include "gpu/bodies/task_descriptor.hpp"

namespace tasktwin::gpu {

/// A task as executors see it: what its body needs, and where its edges stand in the graph's compressed rows. One line.
struct alignas(128) DeviceTask {
  TaskDescriptor body;
  std::uint32_t first_successor;
  std::uint32_t successor_count;
  std::uint32_t first_predecessor;
  std::uint32_t predecessor_count;
};
static_assert(sizeof(DeviceTask) == 128);

/// The bytes of it that mean anything.
inline constexpr std::size_t kDeviceTaskBytes = sizeof(TaskDescriptor) + 4 * sizeof(std::uint32_t);

}  // namespace tasktwin::gpu
