#pragma once

#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

inline constexpr std::uint32_t kNoTask = 0xffffffffu;

/// Threads and bytes of shared memory of a task's blocks.
struct LaunchedBlock {
  std::uint32_t threads;
  std::uint32_t shared_bytes;
};

/// What kernels that launch others work on; pointers are to device memory.
struct LaunchedRun {
  StreamRun tasks;
  const std::uint32_t* successors;  ///< compressed rows of TaskIds; DeviceTask says where a task's begin
  std::uint32_t* counters;          ///< by TaskId: predecessors not yet done
};

}  // namespace tasktwin::gpu
