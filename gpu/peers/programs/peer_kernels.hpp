#pragma once

#include <memory>
#include <vector>

#include "gpu/cuda/on_device.hpp"
#include "gpu/peers/devices/device_clocks.hpp"
#include "gpu/peers/programs/shard_kernels.hpp"
#include "gpu/peers/reading/read_rows.hpp"
#include "gpu/task_kernels/task_kernels.hpp"

namespace tasktwin::gpu {

/// TaskKernels of each device. Every device has all tasks' descriptions and stamps those that run on it; the marks by which the order is
/// checked are the first device's, so that a task on one device looks for what another one has written.
class PeerKernels {
 public:
  /// `inputs.graph`: each task with its device. Contract: peer access is allowed among the machine's devices.
  explicit PeerKernels(const ExecutorInputs& inputs);

  int devices() const { return static_cast<int>(kernels_.size()); }
  int device(TaskId task) const { return inputs_.graph[task].device; }
  const TaskKernels& of(int device) const { return *kernels_[static_cast<std::size_t>(device)]; }

  StreamRun describe(int device, RunMode mode) const;
  /// Puts the task into a stream of its device, which is current; `run` is describe() of it. Errors are those of cudaGetLastError.
  void launch(const StreamRun& run, TaskId task, cudaStream_t stream) const;
  /// The same as a node of `graph`, after the nodes `after`. Throws RunError.
  cudaGraphNode_t add_node(cudaGraph_t graph, const StreamRun& run, TaskId task, std::span<const cudaGraphNode_t> after) const;
  /// A device's part of a decode step that computes numbers; null where there is none.
  const ShardData* shard(int device) const { return shards_.empty() ? nullptr : &shards_[static_cast<std::size_t>(device)]; }

  /// Puts everything back to where it was before a run and compares the devices' timers; all is done when it returns.
  void reset();
  /// The first device's time just before the host's first call, which becomes the clock's 0 on all devices; `stream` is of that device.
  void take_origin(cudaStream_t stream);
  /// A stamp of a device on the run's clock.
  TimePoint at(int device, std::uint64_t stamp) const { return of(device).at(stamp); }

  /// Contract: all kernels of the run have ended. Cores are the multiprocessors of one device after those of the other.
  RunResult result(RunMode mode) const;
  /// Contract: the devices are idle.
  std::optional<Residual> check_result() const;

 private:
  ExecutorInputs inputs_;
  std::uint32_t multiprocessors_;
  std::vector<std::unique_ptr<TaskKernels>> kernels_;  ///< by device
  std::optional<PeerReads> reads_;                     ///< where bodies read other devices' memory
  std::vector<ShardData> shards_;                      ///< by device; none where nothing is split
  DeviceClocks clocks_;
};

}  // namespace tasktwin::gpu
