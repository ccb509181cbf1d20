#pragma once

#include <cuda_runtime_api.h>

#include "gpu/bodies/body_context.hpp"
#include "gpu/device_task.hpp"
#include "gpu/phase_record.hpp"

namespace tasktwin::gpu {

/// What every kernel of a streams run works on; pointers are to device memory.
struct StreamRun {
  BodyContext bodies;
  const DeviceTask* tasks;  ///< by TaskId
  const std::uint32_t* predecessors;
  PhaseRecord* phases;  ///< by TaskId
  bool stamped;         ///< if not, only tasks without successors stamp their end
  std::uint32_t* done;  ///< by TaskId; null unless the order is checked
  std::uint32_t* violations;
};

/// Call once before launching tasks.
void prepare_task_kernel();

/// One task as a kernel of one block.
void launch_task(const StreamRun& run, std::uint32_t task, cudaStream_t stream);

/// Writes the global timer to `origin`, which is host memory mapped into the device.
void launch_origin_stamp(std::uint64_t* origin, cudaStream_t stream);

}  // namespace tasktwin::gpu
