#include <algorithm>
#include <map>

#include "sim/simulator.hpp"
#include "verify/calibration/mechanisms.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/calibration/simulated_steps.hpp"

namespace tasktwin::verify {

using mechanism::FirstLooks;
using mechanism::Mailboxes;

namespace {

using namespace std::chrono_literals;

/// On the device.
constexpr std::pair<const char*, Nanoseconds FirstLooks::*> kFirstLooks[] = {{"static-queues", &FirstLooks::static_queues},
                                                                             {"layer-barrier", &FirstLooks::layer_barrier},
                                                                             {"shared-queue", &FirstLooks::shared_queue},
                                                                             {"work-stealing", &FirstLooks::work_stealing},
                                                                             {"central-dispatcher", &FirstLooks::central_dispatcher}};

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

/// When the first of all tasks started. Threads of the host hand over their first tasks slowly, and that is no part of their first look.
double earliest_start(const Timeline& timeline) {
  return ns(std::ranges::min_element(timeline.tasks, {}, &TaskTimes::started)->started.time_since_epoch());
}

/// Tasks without edges, 20 a core, and what their runs are called.
struct FirstTasks {
  const char* what;
  TaskGraph graph;

  FirstTasks(const char* name, const Machine& machine, const Task& task)
      : what(name), graph(independent_graph(20 * machine.core_count(), task)) {}

  /// What simulated runs, which begin at once, are early by in what `when` says.
  double early_by(Probes& probes, Machine known, const char* design, Nanoseconds FirstLooks::*look, double (*when)(const Timeline&)) const {
    (*known.first_looks).*look = Nanoseconds{0};
    const double measured = when(probes.run_on(known, what, graph, named_design(design), 5, 0).timeline);
    probes.keep_sample(&Machine::first_looks, look, std::string(what) + " under " + design + ": first starts", measured);
    return measured - when(sim::simulate(graph, known, named_design(design)).timeline);
  }
};

}  // namespace

/// A wave finds all cores idle, as the first one does.
Calibrated<Mailboxes> calibrate_first_hops(Probes& probes) {
  constexpr int kWaves = 8;
  constexpr int kWidth = 96;
  const std::vector<Task> tasks(kWaves * kWidth, spin_task(2us));
  const Timeline waves =
      probes.run("waves through mailboxes", wave_graph(tasks, kWidth, {}, {}), named_design("central-dispatcher"), 5).timeline;
  std::vector<double> first;
  std::vector<double> others;
  for (const auto& [core, own] : by_core(waves)) {
    for (std::size_t i = 0; i < own.size(); ++i) (i == 0 ? first : others).push_back(ns(own[i].started - own[i].dispatched));
  }
  Calibrated<Mailboxes> mailboxes(&Machine::device_mailboxes);
  mailboxes.set(&Mailboxes::first_hop, trimmed_mean(first) - trimmed_mean(others),
                "dispatched to started of each core's first task of 8 waves of 96 through dispatchers, less that of its others");
  return mailboxes;
}

Calibrated<FirstLooks> calibrate_first_looks(Probes& probes, const Machine& known) {
  const FirstTasks spinners("first looks", known, spin_task(3us));
  const FirstTasks readers("first looks of readers", known, sized_task(Kernel::kStream, {}, 0, 64 << 10));
  const std::string less = ", less that as simulated";
  Calibrated<FirstLooks> looks(&Machine::first_looks);
  for (const auto& [design, look] : kFirstLooks)
    looks.set(look, spinners.early_by(probes, known, design, look, first_started),
              "all cores there to the first start on each, of tasks without edges under " + std::string(design) + less);
  looks.set(&FirstLooks::host_dispatcher, spinners.early_by(probes, known, "host-dispatcher", &FirstLooks::host_dispatcher, earliest_start),
            "all cores there to the first start of tasks without edges under host-dispatcher" + less);
  Machine with_looks = known;
  looks.into(with_looks);
  std::vector<double> uncached;
  for (const auto& [design, look] : kFirstLooks)
    uncached.push_back(readers.early_by(probes, with_looks, design, &FirstLooks::uncached, first_started));
  looks.set(&FirstLooks::uncached, mean_or_zero(uncached),
            "all cores there to the first start on each, of tasks that read 64 KiB, mean of the designs that keep cores resident" + less);
  return looks;
}

}  // namespace tasktwin::verify
