#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <cuda_runtime_api.h>

#include "gpu/bodies/body_context.hpp"
#include "gpu/run/device_task.hpp"
#include "gpu/run/phase_record.hpp"
#include "models/cost/footprint.hpp"

namespace tasktwin::gpu {

/// One block of a task that has several; stamps as in PhaseRecord.
struct BlockRecord {
  std::uint64_t started;
  std::uint64_t ended;
  std::uint32_t core;
  std::uint32_t pad;
};

/// What every kernel of a run of one kernel a task works on; pointers are to device memory.
struct StreamRun {
  BodyContext bodies;
  const DeviceTask* tasks;  ///< by TaskId
  const std::uint32_t* predecessors;
  PhaseRecord* phases;                 ///< by TaskId; of tasks of one block
  const std::uint32_t* first_block;    ///< by TaskId: place of its first block in `blocks`
  BlockRecord* blocks;                 ///< of tasks of several
  const TaskDescriptor* block_bodies;  ///< of the same blocks, where their arguments differ; else null
  std::uint32_t* blocks_ended;         ///< by TaskId, where the order is checked
  bool stamped;                        ///< if not, only tasks without successors stamp their end
  bool programmatic;                   ///< kernels may come before those they depend on have ended, and wait themselves
  bool prologues;                      ///< some tasks have one
  std::uint32_t* done;                 ///< by TaskId; null unless the order is checked
  std::uint32_t* violations;
};

/// Call before launching tasks. Blocks of any size prefer this carve-out where their launch states none; -1: the driver decides.
void prepare_task_kernels(int carveout = -1);

/// Registers a thread of the kernel that runs blocks of a footprint: of the one compiled for all bodies, with a core to itself, or of the
/// one for those that run in any block.
int task_registers(bool whole_core);
/// The same of the kernel that runs that one of a scenario's own. Throws as LinkedKernels::launched.
int task_registers(const LinkedKernels& linked, std::size_t own);

/// A task as a kernel.
struct TaskLaunch {
  std::uint32_t task = 0;
  std::uint32_t blocks = 1;                   ///< Contract: of several only if StreamRun::blocks has room for them.
  Footprint block = footprint(TaskTraits{});  ///< Contract: where it is no whole core, the task's kernel runs in any block.
  std::optional<std::size_t> own = {};        ///< which of the kernels that the scenario has brought along; StreamRun::bodies has them
  bool programmatic = false;                  ///< comes while the kernel before it in the stream runs; needs StreamRun::programmatic
  std::optional<int> priority = {};           ///< as CUDA counts them
};

/// Errors are those of cudaGetLastError, but for launches that ask for more than blocks, threads and shared memory: these throw RunError.
void launch_task(const StreamRun& run, const TaskLaunch& launch, cudaStream_t stream);

/// The same as a node of `graph`, after the nodes `after`, which under StreamRun::programmatic it does not wait for but in its own
/// body; `run` and `launch` are copied into it. Contract: it has no priority, and StreamRun::programmatic decides how it comes. Throws
/// RunError.
cudaGraphNode_t add_task_node(cudaGraph_t graph, const StreamRun& run, const TaskLaunch& launch, std::span<const cudaGraphNode_t> after);

/// Writes the global timer to `origin`, which is host memory mapped into the device.
void launch_origin_stamp(std::uint64_t* origin, cudaStream_t stream);

/// The same by a kernel whose arguments are as large as those of launch_task.
void launch_wide_stamp(std::uint64_t* origin, cudaStream_t stream);

/// launch_wide_stamp as a node of `graph` after `after`, on the device that is current. Throws RunError.
cudaGraphNode_t add_wide_stamp_node(cudaGraph_t graph, std::uint64_t* stamp, std::span<const cudaGraphNode_t> after);

/// launch_origin_stamp as a node of `graph` that waits for none. Throws RunError.
void add_origin_stamp_node(cudaGraph_t graph, std::uint64_t* origin);

}  // namespace tasktwin::gpu
