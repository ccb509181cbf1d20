#include "gpu/executors/peer_streams.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/peers/programs/peer_program.hpp"
#include "gpu/peers/programs/peer_run.hpp"
#include "gpu/streams/host_pace.hpp"
#include "gpu/supported/peers.hpp"

namespace tasktwin::gpu {

namespace {

/// Streams on several devices (PeerProgram); what cuda_streams.cpp does on one.
class PeerStreamsExecutor final : public Executor {
 public:
  explicit PeerStreamsExecutor(const ExecutorInputs& inputs) : run_(inputs), program_(run_.inputs(), run_.kernels(), run_.operations()) {
    for (std::uint32_t number = 0; number < program_.stream_count(); ++number) {
      streams_.push_back(program_.stream(number));
      devices_.push_back(program_.device_of(number));
    }
  }

  RunResult run(RunMode mode) override {
    if (mode != RunMode::kCheckOrder) return run_passes(mode, run_.inputs().design.replays);
    RunResult sum;
    for (int pass = 0; pass < std::min(run_.inputs().design.replays, 2); ++pass) {
      const RunResult result = run_passes(mode, 1);
      sum.makespan = result.makespan;
      sum.ordering_violations += result.ordering_violations;
    }
    return sum;
  }

  std::optional<Residual> check_result() override { return run_.kernels().check_result(); }

 private:
  RunResult run_passes(RunMode mode, int passes) {
    run_.reset(mode, program_.front());
    const double pace_before = pace_.find_processor();
    program_.get_ready();
    run_.kernels().take_origin(program_.stream(0));
    const auto host_origin = PeerRun::HostClock::now();
    for (int pass = 0; pass < passes; ++pass) {
      if (pass > 0) program_.meet();
      program_.submit(mode);
    }
    const auto host_end = PeerRun::HostClock::now();
    program_.finish(mode);
    run_.await(streams_, devices_);

    RunResult result = run_.result(mode);
    if (mode != RunMode::kCheckOrder) {
      const double pace_behind = pace_.call_ns();
      result.host_call_ns = (pace_before + pace_behind) / 2;
      result.host_disturbance = std::abs(pace_behind - pace_before) / result.host_call_ns;
    }
    if (mode != RunMode::kStamped) return result;
    add_launches(result.timeline, host_origin);
    result.timeline.roles = {ControlRole::kHost};
    result.timeline.dispatchers = {{{TimePoint{}, PeerRun::since(host_origin, host_end)}}};
    run_.take_transfers(result);
    return result;
  }

  /// The cores of such a timeline are streams; where kernels of one block ran is noted first.
  void add_launches(Timeline& timeline, PeerRun::HostClock::time_point host_origin) const {
    const TaskGraph& graph = run_.inputs().graph;
    for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
      const TaskTimes& times = timeline.tasks[i];
      const TaskId task = task_id(i);
      if (graph[task].operation != Operation::kKernel || graph.traits(task).blocks > 1 || !is_present(times.started)) continue;
      timeline.blocks.push_back({task, times.core, times.started, times.ended, kAbsent});
    }
    std::ranges::stable_sort(timeline.blocks, {}, &BlockTimes::task);
    timeline.compute_cores = run_.compute_cores();
    timeline.compute_core_devices = run_.compute_core_devices();
    timeline.cores.assign(streams_.size(), CoreType::kSm);
    timeline.core_devices.assign(devices_.begin(), devices_.end());
    timeline.on_streams = true;
    for (const StreamLaunch& launch : program_.plan()) {
      TaskTimes& times = timeline.tasks[index(launch.task)];
      times.dispatched = PeerRun::since(host_origin, program_.launched(launch.task));
      times.core = core_id(launch.stream);
    }
  }

  PeerRun run_;
  PeerProgram program_;
  StreamPace pace_;
  std::vector<cudaStream_t> streams_;
  std::vector<int> devices_;  ///< of each stream
};

}  // namespace

const ExecutorEntry kPeerStreamsExecutor{&kPeerStreamsSupported, make_executor<PeerStreamsExecutor>};

}  // namespace tasktwin::gpu
