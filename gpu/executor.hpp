#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/device_info.hpp"
#include "gpu/run/run_options.hpp"
#include "gpu/supported/why_unsupported.hpp"
#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::gpu {

/// A measurement: `repeats` stamped and unstamped runs after those that check every ordering.
struct Measurement {
  Timeline timeline;                        ///< of the stamped run whose makespan is the median
  std::vector<Duration> stamped_makespans;  ///< with phase stamps
  std::vector<Duration> makespans;          ///< without
  Nanoseconds host_call{};  ///< HostCalls::reference_launch around each run, or graph_call just after, or what threads of the host took
                            ///< for gpu::computing_ns() around it, mean of the threads; median of the runs. 0 under other drivers
  std::int64_t ordering_violations = 0;        ///< predecessors not yet done when a task began, and wrong bytes, over all check runs
  std::optional<double> residual;              ///< relative error of the graph's real result; absent for synthetic kernels
  double residual_limit = 0;                   ///< what counts as right
  std::vector<DispatchRound> dispatch_rounds;  ///< of the run of `timeline`, or of RunOptions::rounds; empty without dispatchers
};

/// Why no GPU can be used (none, no driver, built without CUDA), or nullopt if one can.
std::optional<std::string> why_no_gpu();

/// What this GPU, its driver or the others of its host lack for `graph` under `design` with the cores and devices of
/// `machine`; nullopt if nothing. Contract: !why_no_gpu().
std::optional<std::string> why_not_here(const TaskGraph& graph, const Machine& machine, const Design& design);

/// What collectives of `graph` lack here (NCCL's library); nullopt if nothing.
std::optional<std::string> why_no_collectives(const TaskGraph& graph);

/// Runs `graph` under `design` on the GPU. `machine` says how many workers and control cores there are (at most what the
/// device has) and gives the expected durations for frozen placements.
/// Throws InputError for what why_unsupported, why_not_here and why_no_collectives say, RunError for CUDA errors and for a run the watchdog
/// ended; the latter says which tasks waited for what. Throws UnendedRun (gpu/run/unended_run.hpp) for one that the watchdog cannot end.
Measurement run(const TaskGraph& graph, const Machine& machine, const Design& design, const RunOptions& options = {});

}  // namespace tasktwin::gpu
