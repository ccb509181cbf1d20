#pragma once

#include <vector>

#include "models/task_graph.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/micro_graphs.hpp"

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
  Stagger stagger = {};
};

/// The probe's waves one after the other.
TaskGraph graph_of(const BodyProbe& probe);

/// What was seen of a probe's bodies, in ns; trimmed means.
struct BodyTimes {
  double warm = 0;        ///< started to ended, of bodies that began when another of the kernel had ended on their GPC
  double cold = 0;        ///< how much longer those before took; in a run that found the cache empty, those of its first wave
  double again = 0;       ///< started to ended of those right behind another on their core, where others lie between waves; 0 for none
  bool uncached = false;  ///< in a run that found the cache empty (finds_cache_empty)
  double start = 0;       ///< received to started, beyond start_ns
  double release = 0;     ///< ended to published, beyond release_ns; 0 without waves
};

/// Under `static-queues`, one stamped run. Contract: start_ns and release_ns have been measured.
BodyTimes measure_bodies(Calibration& calibration, const BodyProbe& probe);

/// BodyTimes::warm, cold and again as `machine` is simulated; `graph` is the probe's.
BodyTimes simulate_bodies(const Machine& machine, const TaskGraph& graph, const BodyProbe& probe);

/// How much longer the probe's bodies take under `design`, which launches a kernel for each, than `warm`, launched_body_ns and
/// launched_body_busy_ns, which have been measured, say; in ns. Where kernels launch them, of those that a warp launched last: launches
/// that come later hold bodies up (DynamicParallelism::stall). Contract: the probe has waves.
double measure_launched(Calibration& calibration, const BodyProbe& probe, double warm, const char* design);

/// By how much more than simulated those bodies of a wave that a warp launches first take longer than those that it launches afterwards, in
/// ns. Contract: the bodies are so long that they run meanwhile, and the probe's waves wider than what a warp launches at a time.
double measure_stall(const Calibration& calibration, const BodyProbe& probe);

/// What bodies take longer where their core fetches the next task and publishes the last one beside them (KernelCost::beside_*), and less
/// where it does neither (KernelCost::quiet_core_saving), beyond what a spinning body does there, which the hops have in them.
class BesideBodies {
 public:
  /// Measures the spinning ones.
  explicit BesideBodies(Calibration& calibration);

  /// Of the probe's kernel; negative where they take less.
  void measure(Calibration& calibration, const BodyProbe& probe, KernelCost& cost) const;

 private:
  KernelCost spinning_{};
};

/// Ended to published under `central-dispatcher`, beyond publish_ns, which has been measured; in ns.
double measure_publishing(const Calibration& calibration, const BodyProbe& probe);

/// The step of calibrate_bodies() for those that read memory; and the memory's bandwidth.
void calibrate_streaming_bodies(Calibration& calibration, const BesideBodies& beside);

/// Its step for what holds them up: copies, and launches by warps. Contract: what they take in company has been set.
void calibrate_held_up_bodies(Calibration& calibration);

}  // namespace tasktwin::verify
