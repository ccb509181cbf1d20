#include <algorithm>
#include <map>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::FirstPoll;

namespace {

using namespace std::chrono_literals;

/// Designs with resident workers whose tasks are released on the device.
constexpr const char* kResident[] = {"static-queues", "layer-barrier", "shared-queue", "work-stealing", "central-dispatcher"};

using TasksByCore = std::map<CoreId, std::vector<TaskTimes>>;

/// Each core's in the order in which they started.
TasksByCore by_core(const Timeline& timeline) {
  TasksByCore tasks;
  for (const TaskTimes& times : timeline.tasks) tasks[times.core].push_back(times);
  for (auto& [core, own] : tasks) std::ranges::sort(own, {}, &TaskTimes::started);
  return tasks;
}

/// When the cores' first tasks started, all cores being there at 0: the mean, in ns.
double first_started(const Timeline& timeline) {
  std::vector<double> starts;
  for (const auto& [core, own] : by_core(timeline)) starts.push_back(ns(own.front().started.time_since_epoch()));
  return mean_or_zero(starts);
}

/// Tasks without edges, 20 a core, and what their runs are called.
struct FirstTasks {
  const char* what;
  TaskGraph graph;

  FirstTasks(const char* name, const Machine& machine, const Task& task)
      : what(name), graph(independent_graph(20 * machine.core_count(), task)) {}

  /// What simulated runs, which begin at once, are early by when cores' first tasks start: the mean over designs that keep cores resident.
  double early_by(Probes& probes, const Machine& known, Nanoseconds FirstPoll::*look) const {
    std::vector<double> early;
    for (const char* const design : kResident) {
      const double measured = first_started(probes.run_on(known, what, graph, named_design(design), 5, 0).timeline);
      probes.keep_sample(&Machine::first_poll, look, std::string(what) + " under " + design + ": first starts", measured);
      early.push_back(measured - first_started(sim::simulate(graph, known, named_design(design)).timeline));
    }
    return mean_or_zero(early);
  }
};

}  // namespace

Calibrated<FirstPoll> calibrate_first_poll(Probes& probes, const Machine& known) {
  const FirstTasks spinners("first looks", known, spin_task(3us));
  const FirstTasks readers("first looks of readers", known, sized_task(Kernel::kStream, {}, 0, 64 << 10));
  Machine now = known;
  *now.first_poll = {};
  Calibrated<FirstPoll> looks(&Machine::first_poll);
  looks.set(&FirstPoll::look, spinners.early_by(probes, now, &FirstPoll::look),
            "all cores there to the first start on each, of tasks without edges, mean of five designs that keep cores resident, less that "
            "as simulated");
  looks.into(now);
  looks.set(&FirstPoll::uncached, readers.early_by(probes, now, &FirstPoll::uncached), "the same of tasks that read 64 KiB, less look_ns");
  return looks;
}

}  // namespace tasktwin::verify
