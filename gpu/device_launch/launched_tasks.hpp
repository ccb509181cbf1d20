#pragma once

#include <string>

#include "gpu/device_launch/launched_run.hpp"
#include "gpu/task_kernels/task_kernels.hpp"

namespace tasktwin::gpu {

/// What the designs share whose kernels launch others on the device: a kernel a task as under driver `streams`, and the counters
/// of predecessors that decide which comes next. A spawned task is one that its spawner releases, as other predecessors do.
class LaunchedTasks {
 public:
  /// As TaskKernels.
  LaunchedTasks(const ExecutorInputs& inputs, int (*registers)(bool whole_core));

  LaunchedRun describe(RunMode mode) const;
  const TaskKernels& kernels() const { return kernels_; }
  const std::vector<std::uint32_t>& roots() const { return kernels_.device_graph().roots; }

  /// Puts everything back to where it was before a run; all is done when it returns.
  void reset(cudaStream_t stream);
  TimePoint at(std::uint64_t stamp) const { return kernels_.at(stamp); }
  void take_origin(cudaStream_t stream) { kernels_.take_origin(stream); }

  /// Contract: all kernels of the run have ended. Throws RunError with the tasks that have not been launched, if there are any.
  RunResult result(RunMode mode) const;
  /// Of the tasks that have not been launched: how many they are and what their waits begin with; empty where there are none.
  std::string explain_waits() const;
  std::optional<Residual> check_result() const { return kernels_.check_result(); }

 private:
  ExecutorInputs inputs_;
  TaskKernels kernels_;
  DeviceBuffer<std::uint32_t> counters_;
};

}  // namespace tasktwin::gpu
