#include <algorithm>
#include <map>

#include "sim/simulator.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

using namespace std::chrono_literals;

namespace {

constexpr int kEach = 20;  ///< tasks a core

struct FirstLook {
  const char* design;
  const char* constant;
};

/// On the device.
constexpr FirstLook kFirstLooks[] = {{"static-queues", "first_looks.static_queues_ns"},
                                     {"layer-barrier", "first_looks.layer_barrier_ns"},
                                     {"shared-queue", "first_looks.shared_queue_ns"},
                                     {"work-stealing", "first_looks.work_stealing_ns"},
                                     {"central-dispatcher", "first_looks.central_dispatcher_ns"}};

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

/// What simulated runs, which begin at once, are early by in what `when` says.
double early_by(Calibration& calibration, std::string_view what, const TaskGraph& graph, const char* name, std::string_view look,
                double (*when)(const Timeline&)) {
  const Design design = named_design(name);
  Machine from_the_first = calibration.machine();
  find_constant(look)->set(from_the_first, 0);
  const double measured = when(calibration.run(what, graph, design, 5).timeline);
  calibration.keep_sample(std::string(look), std::string(what) + " under " + name + ": first starts", measured);
  return measured - when(sim::simulate(graph, from_the_first, design).timeline);
}

/// A wave finds all cores idle, as the first one does.
void calibrate_first_mailboxes(Calibration& calibration) {
  constexpr int kWaves = 8;
  constexpr int kWidth = 96;
  const std::vector<Task> tasks(kWaves * kWidth, spin_task(2us));
  const Timeline waves =
      calibration.run("waves through mailboxes", wave_graph(tasks, kWidth, {}, {}), named_design("central-dispatcher"), 5).timeline;
  std::vector<double> first;
  std::vector<double> others;
  for (const auto& [core, own] : by_core(waves)) {
    for (std::size_t i = 0; i < own.size(); ++i) (i == 0 ? first : others).push_back(ns(own[i].started - own[i].dispatched));
  }
  calibration.set("device_mailboxes.first_hop_ns", trimmed_mean(first) - trimmed_mean(others),
                  "dispatched to started of each core's first task of 8 waves of 96 through dispatchers, less that of its others");
}

}  // namespace

void calibrate_first_looks(Calibration& calibration) {
  const int workers = calibration.machine().core_count();
  const TaskGraph spinners = independent_graph(kEach * workers, spin_task(3us));
  const TaskGraph readers = independent_graph(kEach * workers, sized_task(Kernel::kStream, {}, 0, 64 << 10));
  const std::string less = ", less that as simulated";
  calibrate_first_mailboxes(calibration);
  for (const auto& [design, constant] : kFirstLooks) {
    calibration.set(constant, early_by(calibration, "first looks", spinners, design, constant, first_started),
                    "all cores there to the first start on each, of tasks without edges under " + std::string(design) + less);
  }
  calibration.set("first_looks.host_dispatcher_ns",
                  early_by(calibration, "first looks", spinners, "host-dispatcher", "first_looks.host_dispatcher_ns", earliest_start),
                  "all cores there to the first start of tasks without edges under host-dispatcher" + less);
  std::vector<double> uncached;
  for (const auto& [design, constant] : kFirstLooks)
    uncached.push_back(early_by(calibration, "first looks of readers", readers, design, "first_looks.uncached_ns", first_started));
  calibration.set(
      "first_looks.uncached_ns", mean_or_zero(uncached),
      "all cores there to the first start on each, of tasks that read 64 KiB, mean of the designs that keep cores resident" + less);
}

}  // namespace tasktwin::verify
