#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/cuda/graph_handle.hpp"
#include "gpu/cuda/stream_handle.hpp"
#include "gpu/operations/operations.hpp"
#include "gpu/run/executor_interface.hpp"
#include "gpu/streams/callback_board.hpp"
#include "gpu/streams/host_replay.hpp"
#include "gpu/streams/stream_set.hpp"
#include "gpu/task_kernels/task_kernels.hpp"
#include "models/program/host_program.hpp"
#include "models/program/stream_plan.hpp"

namespace tasktwin::gpu {

/// What the host does under driver `streams`: the calls of plan_streams, waiting as the design says. The simulated twin is
/// sim::Launcher; the calls are the same in the same order.
class StreamProgram {
 public:
  using Clock = std::chrono::steady_clock;

  /// A stretch in which the host waited.
  struct Wait {
    Clock::time_point begin;
    Clock::time_point end;
  };

  /// All must outlive this. `operations` is null where all tasks are kernels.
  StreamProgram(const ExecutorInputs& inputs, const TaskKernels& kernels, Operations* operations = nullptr);

  ~StreamProgram();
  StreamProgram(const StreamProgram&) = delete;
  StreamProgram& operator=(const StreamProgram&) = delete;

  const StreamSet& streams() const { return streams_; }
  const std::vector<StreamLaunch>& plan() const { return plan_; }

  /// To be called before submit(), for what that takes no time for.
  void prepare(const StreamRun& run);
  /// One pass over the plan, or of the host program's calls. Under `events` and where no task is awaited it returns before its kernels have
  /// run. Throws RunError if under `event_query` or `callback` nothing happens for the watchdog's time; a call that blocks has no end of
  /// its own.
  void submit(const StreamRun& run);
  /// Between two passes: no kernel of the next starts before all of the last have ended.
  void meet();
  /// After the last pass: an event after each stream whose last launch is no kernel (Operations).
  void finish();
  /// The program as a graph, which stream capture makes of one pass. Contract: stream_wait `events`.
  cudaGraph_t capture(const StreamRun& run);

  Clock::time_point launched(TaskId task) const { return launched_[index(task)]; }  ///< end of its latest launch call, of a stamped run
  const std::vector<Wait>& waits() const { return waits_; }                         ///< since forget_waits()
  void forget_waits() { waits_.clear(); }

 private:
  /// The arguments of a host function.
  struct Report {
    CallbackBoard* board = nullptr;
    std::uint32_t launch = 0;
  };

  void submit_by_callbacks(const StreamRun& run);
  void submit_call(const StreamRun& run, const HostCall& call);
  ExecutableGraph captured_graph(const StreamRun& run, const HostCall& call) const;
  void wait_for(const StreamLaunch& launch);
  void ask_for(cudaEvent_t event);
  void launch(const StreamRun& run, const StreamLaunch& launch);
  void make_launch(const StreamRun& run, const StreamLaunch& launch);
  void launch_operation(const StreamRun& run, const StreamLaunch& launch);
  cudaEvent_t event(TaskId task) const { return events_[event_of_[index(task)]]; }
  template <class Call>
  void timed(Call call);

  ExecutorInputs inputs_;
  const TaskKernels& kernels_;
  Operations* operations_;
  StreamWait how_;
  std::vector<StreamLaunch> plan_;
  StreamSet streams_;
  std::vector<std::uint32_t> in_use_;  ///< streams, that of the first launch first
  std::vector<int> priorities_;        ///< by TaskId, as CUDA counts them; empty where all are the same
  std::vector<Event> events_;
  std::vector<std::size_t> event_of_;     ///< by TaskId, where it records one
  std::vector<Event> meeting_;            ///< by place in in_use_
  std::vector<std::uint32_t> stream_of_;  ///< by TaskId
  std::vector<HostShare> shares_;         ///< by TaskId: the host's time for each launch; empty where there is no host program
  std::optional<HostReplay> replay_;      ///< under stream_wait `program`
  /// Its graphs, by whether runs are stamped and checked, and by the first of their tasks.
  std::map<std::pair<bool, bool>, std::map<std::uint32_t, ExecutableGraph>> graphs_;
  std::unique_ptr<CallbackBoard> board_;
  std::vector<Report> reports_;
  std::vector<Clock::time_point> launched_;  ///< by TaskId
  std::vector<Wait> waits_;
  bool capturing_ = false;
};

}  // namespace tasktwin::gpu
