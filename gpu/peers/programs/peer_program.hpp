#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "gpu/cuda/mapped_word.hpp"
#include "gpu/cuda/stream_handle.hpp"
#include "gpu/host/launch_threads.hpp"
#include "gpu/peers/programs/peer_operations.hpp"
#include "gpu/streams/stream_set.hpp"
#include "models/program/stream_plan.hpp"

namespace tasktwin::gpu {

/// What the host does under driver `streams` over several devices: the calls of plan_streams, each on its task's device; streams of one
/// device wait for events of another, and the ranks of a collective are one group of calls. Under launching `thread_per_device` each device
/// has a thread that makes its calls in the plan's order, and its rank's alone of a collective; before it lets a stream wait for an event
/// it waits until the thread of the other device has recorded that.
class PeerProgram {
 public:
  using Clock = std::chrono::steady_clock;

  /// All must outlive this. `operations` is null where all tasks are kernels.
  PeerProgram(const ExecutorInputs& inputs, const PeerKernels& kernels, PeerOperations* operations);
  PeerProgram(const PeerProgram&) = delete;
  PeerProgram& operator=(const PeerProgram&) = delete;

  const std::vector<StreamLaunch>& plan() const { return plan_; }
  std::uint32_t stream_count() const { return count_ * static_cast<std::uint32_t>(sets_.size()); }
  /// By number over all devices.
  cudaStream_t stream(std::uint32_t number) const { return (*sets_[number / count_])[number % count_]; }
  int device_of(std::uint32_t stream) const { return static_cast<int>(stream / count_); }
  /// The first stream of each device.
  std::vector<cudaStream_t> front() const;

  /// Before a run whose host time counts: threads that launch are awake when it returns.
  void get_ready();
  /// One pass over the plan; returns before its kernels have run.
  void submit(RunMode mode);
  /// Between two passes: no kernel of the next starts before all of the last have ended, on any device.
  void meet();
  /// After the last pass: an event after each stream whose last launch is no kernel. A graph that is captured has it.
  void finish(RunMode mode);
  /// The program as one graph over all devices, which stream capture makes of one pass.
  cudaGraph_t capture(RunMode mode);

  Clock::time_point launched(TaskId task) const { return launched_[index(task)]; }  ///< end of its latest launch call, of a stamped run

 private:
  void warm_up(int device) const;
  void submit_all(RunMode mode);
  void submit_of(int device, RunMode mode);
  void prepare(const StreamLaunch& launch);
  void launch_kernel(const StreamLaunch& launch, const StreamRun& run);
  /// The ranks of a collective from the plan's `first` on; returns where those after them begin.
  std::size_t launch_collective(std::size_t first, RunMode mode);
  void behind(const StreamLaunch& launch, RunMode mode);
  void gather();
  void scatter();
  const Event& event(TaskId task) const { return *events_[index(task)]; }

  ExecutorInputs inputs_;
  const PeerKernels& kernels_;
  PeerOperations* operations_;
  std::vector<StreamLaunch> plan_;
  std::uint32_t count_;                           ///< streams of a device
  std::vector<std::unique_ptr<StreamSet>> sets_;  ///< by device
  std::vector<std::uint32_t> in_use_;             ///< streams, one of the first device first
  std::vector<std::unique_ptr<Event>> events_;    ///< by TaskId, where it records one
  std::vector<std::unique_ptr<Event>> meeting_;   ///< by place in in_use_
  std::vector<Clock::time_point> launched_;       ///< by TaskId
  bool capturing_ = false;
  // Of threads that launch:
  RunMode mode_ = RunMode::kPlain;
  std::uint32_t pass_ = 0;
  std::atomic<bool> failed_ = false;                  ///< one of them, for which the others wait no more
  std::vector<std::atomic<std::uint32_t>> recorded_;  ///< by TaskId: the latest pass in which its event was recorded
  MappedWord aside_;                                  ///< for launches that warm threads up
  std::unique_ptr<LaunchThreads> threads_;            ///< null where one thread launches all
};

}  // namespace tasktwin::gpu
