#pragma once

#include "gpu/device_launch/launched_run.hpp"

namespace tasktwin::gpu {

/// What a run tells the host in addition to the tasks' own stamps.
struct DynamicCounts {
  std::uint32_t kept;     ///< times that a launch found no room and a task stayed with the block that made it ready
  std::uint32_t failure;  ///< the first error of a launch that was another than that; 0 for none
};

/// A kernel of a run in which kernels launch kernels; pointers are to device memory.
struct DynamicRun {
  LaunchedRun run;
  const std::uint32_t* roots;  ///< TaskIds that wait for nothing
  std::uint32_t root_count;
  std::uint32_t* next;  ///< by TaskId: the next of those that one block has kept
  DynamicCounts* counts;
  const LaunchedBlock* blocks;     ///< by TaskId; null where each has a core to itself
  std::uint32_t whole_core_bytes;  ///< dynamic_shared_bytes()
};

/// Call once before launching: sizes shared memory.
void prepare_dynamic_kernels();

/// Dynamic shared memory of a block that has its core to itself, bytes. Throws RunError.
std::uint32_t dynamic_shared_bytes();

/// As task_registers().
int dynamic_registers(bool whole_core);

/// Launches the kernel that launches the roots.
void launch_roots(const DynamicRun& run, cudaStream_t stream);

/// What a launch of an empty task from the device says; its kernel has run when this returns. Throws RunError.
cudaError_t probe_device_launch();

}  // namespace tasktwin::gpu
