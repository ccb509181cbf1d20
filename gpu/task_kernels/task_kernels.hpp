#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/cuda/mapped_word.hpp"
#include "gpu/cuda/time_stamp.hpp"
#include "gpu/problems/problem_data.hpp"
#include "gpu/run/executor_interface.hpp"
#include "gpu/run/graph_on_device.hpp"
#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

/// What the designs with a kernel a task share: the memory that the kernels work on, the run's origin, and what their stamps
/// say when they have ended.
class TaskKernels {
 public:
  /// `registers`: of the kernels that tasks are run by (check_registers). Throws InputError where a task states others.
  explicit TaskKernels(const ExecutorInputs& inputs, int (*registers)(bool whole_core) = task_registers);

  /// By value into each kernel; the same for a mode whenever it is asked for.
  StreamRun describe(RunMode mode) const;
  const DeviceGraph& device_graph() const { return device_graph_; }
  /// The task as its kernel is launched, in its turn and with no priority.
  TaskLaunch launch(TaskId task) const;
  /// The same for a launch into a stream, which takes longer for each attribute: without the carve-out that the kernels prefer already.
  TaskLaunch stream_launch(TaskId task) const;
  std::uint32_t blocks(TaskId task) const { return static_cast<std::uint32_t>(inputs_.graph.traits(task).blocks); }

  /// Puts everything back to where it was before a run; all is done when it returns.
  void reset(cudaStream_t stream);
  /// The device's time just before the host's first call, which it becomes the clock's 0; the host learns of it 1 to 2 µs
  /// late. Throws RunError if the device does not start a kernel within the watchdog's time.
  void take_origin(cudaStream_t stream);

  /// The same from elsewhere: the device's time at the run's origin, which another device has taken.
  void set_origin(std::uint64_t stamp) { origin_.write(stamp); }
  std::uint64_t origin() const { return origin_.read(); }

  /// A stamp of the device on the run's clock.
  TimePoint at(std::uint64_t stamp) const { return from_stamp(stamp, origin_.read()); }
  /// Contract: all kernels of the run have ended. Of a stamped run's phases there are those that the kernels stamp, start and end at
  /// least, each on its SM.
  RunResult result(RunMode mode) const;
  std::optional<Residual> check_result() const { return problem_->check(); }

 private:
  /// Adds the blocks of tasks that have several, and those tasks' times.
  void add_blocks(Timeline& timeline, std::uint64_t& last, bool stamped) const;

  ExecutorInputs inputs_;
  int carveout_;  ///< that all tasks ask for; -1 where they do not agree
  std::unique_ptr<ProblemData> problem_;
  DeviceGraph device_graph_;
  std::vector<std::uint32_t> first_block_;  ///< by TaskId, and one more
  DeviceBuffer<std::uint32_t> first_block_on_device_;
  DeviceBuffer<BlockRecord> blocks_;
  DeviceBuffer<TaskDescriptor> block_bodies_;
  DeviceBuffer<std::uint32_t> blocks_ended_;
  DeviceBuffer<PhaseRecord> phases_;
  DeviceBuffer<std::uint32_t> done_;
  DeviceBuffer<std::uint32_t> violations_;
  MappedWord origin_;
};

}  // namespace tasktwin::gpu
