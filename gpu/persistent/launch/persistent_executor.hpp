#pragma once

#include <string>
#include <vector>

#include "gpu/cuda/stream_handle.hpp"
#include "gpu/cuda/time_stamp.hpp"
#include "gpu/persistent/launch/persistent_run.hpp"
#include "gpu/problems/problem_data.hpp"
#include "gpu/run/executor_interface.hpp"
#include "gpu/run/graph_on_device.hpp"

namespace tasktwin::gpu {

/// What all persistent designs share: the run's memory, its watchdog, and how stamps become a Timeline. A design adds
/// its queues and its kernel.
class PersistentExecutor : public Executor {
 public:
  /// `places`, `durations`, `events` and `told` as DeviceGraph takes them.
  explicit PersistentExecutor(const ExecutorInputs& inputs, std::vector<std::uint32_t> places = {},
                              std::span<const Duration> durations = {}, EventUse events = EventUse::kPassed, const ToldEdges& told = {});

  RunResult run(RunMode mode) final;
  std::optional<Residual> check_result() final { return problem_->check(); }

 protected:
  /// Restores the design's queues to their state before a run.
  virtual void reset(cudaStream_t stream) = 0;
  virtual void launch(const PersistentRun& run, cudaStream_t stream) = 0;
  /// Adds what the design alone has observed to a stamped result; times are made relative to `origin`.
  virtual void add_observations(RunResult&, std::uint64_t /*origin*/) {}
  /// Adds how quick the host was, where it takes part.
  virtual void add_pace(RunResult&) {}
  /// Adds the dispatchers' rounds; of executors that have dispatchers.
  virtual void add_rounds(RunResult&) {}
  /// How many results that tasks have handed to each other are wrong.
  virtual std::int64_t wrong_results() const { return 0; }
  /// Of an aborted run: a line for each of the things that its waits begin with, each after a line break.
  virtual std::string explain_waits() const;

  const ExecutorInputs& inputs() const { return inputs_; }
  BodyContext bodies() const { return problem_->context(); }
  const DeviceGraph& device_graph() const { return device_graph_; }
  std::uint32_t workers() const { return static_cast<std::uint32_t>(cores_.size()); }
  std::uint32_t task_count() const { return static_cast<std::uint32_t>(inputs_.graph.size()); }  ///< with events
  std::uint32_t run_count() const { return task_count() - device_graph_.events; }                ///< of tasks that workers run

 private:
  PersistentRun describe(RunMode mode) const;
  std::uint64_t progress();
  [[noreturn]] void end_and_explain();
  Timeline timeline(std::uint64_t origin) const;
  void add_blocks(Timeline& timeline, std::uint64_t origin) const;

  ExecutorInputs inputs_;
  std::vector<CoreType> cores_;
  std::unique_ptr<ProblemData> problem_;
  DeviceGraph device_graph_;
  Stream stream_;
  Stream side_stream_;
  DeviceBuffer<std::uint32_t> counters_;
  DeviceBuffer<DeviceTask> table_;     ///< by place, where tasks spawn others: those that exist
  DeviceBuffer<std::uint32_t> seats_;  ///< by multiprocessor, where several workers share each
  DeviceBuffer<RunControl> control_;
  DeviceBuffer<std::uint32_t> completions_;
  DeviceBuffer<std::uint32_t> waiting_for_;
  DeviceBuffer<std::uint64_t> last_published_;
  DeviceBuffer<std::uint64_t> stopped_;
  // Where some tasks occupy several cores:
  DeviceBuffer<std::uint32_t> blocks_begun_;
  DeviceBuffer<std::uint32_t> blocks_ended_;
  DeviceBuffer<PhaseRecord> block_records_;
  DeviceBuffer<PhaseRecord> phases_;
  DeviceBuffer<std::uint32_t> done_;
  DeviceBuffer<std::uint32_t> violations_;
};

}  // namespace tasktwin::gpu
