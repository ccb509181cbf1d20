#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"
#include "verify/calibration/probes/probes.hpp"

namespace tasktwin::verify {

/// Bodies of one kernel and size, and how they meet each other: in waves of `width`, each of which waits for the whole one
/// before, with the waves `between` ahead of each.
struct BodyProbe {
  std::vector<Task> tasks;
  Problem problem;
  std::vector<std::vector<Task>>
      between;                   ///< so that neither data nor code of the last wave is left in a cache, and what the bodies read is new
  int width = 128;               ///< 0 for no waves: independent, all cores busy all the time
  std::vector<Task> ahead = {};  ///< a wave before all others
};

/// The probe's waves one after the other.
TaskGraph graph_of(const BodyProbe& probe);

/// What was seen of a probe's bodies, in ns; trimmed means.
struct BodyTimes {
  double warm = 0;        ///< started to ended, of bodies that began when another of the kernel had ended
  double cold = 0;        ///< how much longer those before took; in a run that found the cache empty, those of its first wave
  double again = 0;       ///< started to ended of those right after another on their core, where others lie between waves; 0 for none
  bool uncached = false;  ///< in a run that found the cache empty (finds_cache_empty)
  double spread = 0;      ///< standard deviation of the bodies of a wave, mean over waves whose code was there; 0 without waves
  double release = 0;     ///< ended to published, beyond release_ns; 0 without waves
};

/// Under `static-queues`, one stamped run.
BodyTimes measure_bodies(Probes& probes, const Machine& known, const BodyProbe& probe);

/// BodyTimes::warm, cold and again as `machine` is simulated; `graph` is the probe's.
BodyTimes simulate_bodies(const Machine& machine, const TaskGraph& graph, const BodyProbe& probe);

/// Ended to published under `central-dispatcher`, beyond Mailboxes::publish; in ns.
double measure_publishing(const Probes& probes, const Machine& known, const BodyProbe& probe);

/// How much longer the probe's bodies take in kernels that a graph launches for each than `warm` and `kernels` say; in ns. Contract: the
/// probe has waves.
double measure_launched(Probes& probes, const mechanism::LaunchedKernels& kernels, const BodyProbe& probe, double warm);

/// KernelCost::pipelined of the probe's bodies, which take `warm` in workers that have lists: under `shared-queue`.
double measure_pipelined(const Probes& probes, const BodyProbe& probe, double warm);

// What the measurements above share.

/// As many runs as recordings have: what the first ones find in the cache is not what those after them do.
inline constexpr int kBodyRepeats = 5;

/// Round robin puts the bodies of a wave on cores of their own, and those of the next on others.
Design on_cores_of_their_own(const char* design);

/// The probe's own bodies among the others.
std::vector<TaskId> own_tasks(const TaskGraph& graph, const BodyProbe& probe);

/// Of a stamped run of the probe on `machine`: BodyTimes::warm, cold and again.
BodyTimes times_of(const Machine& machine, const TaskGraph& graph, const Timeline& timeline, const BodyProbe& probe);

/// BodyTimes::warm of `own`.
double warm_time(const Timeline& timeline, const std::vector<TaskId>& own);

std::string_view kernel_of(const BodyProbe& probe);
void keep_body_sample(Probes& probes, const BodyProbe& probe, const std::string& setting, double value_ns);

}  // namespace tasktwin::verify
