#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/fit/phases.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::ReadyQueues;
using mechanism::ResidentCores;

namespace {

using namespace std::chrono_literals;

constexpr int kEach = 20;  ///< tasks a core

/// What a task's body takes, from the worker's having it.
double start_and_body(Probes& probes, const ResidentCores& cores, Duration body) {
  const Timeline timeline = probes.run("bodies along a chain", chain_graph(500, body), named_design("static-queues"), 3).timeline;
  return cores.start.count() + cores.hand_off.count() + mean_phase(timeline, body_of);
}

/// Time a task without stamps, which lengthen every step: what `many` takes longer than `few`, shared among that many `tasks`.
double period(Probes& probes, std::string_view what, const TaskGraph& few, const TaskGraph& many, int tasks, const Design& design) {
  const auto time_of = [&](const TaskGraph& graph) { return probes.makespan(what, graph, design, 5); };
  return (time_of(many) - time_of(few)) / tasks;
}

/// From a task's body ended, or more exactly `released` later, to a waiting worker having its successor.
double hop(Probes& probes, const ResidentCores& cores, std::string_view what, const Design& design, double released) {
  const double step = period(probes, what, chain_graph(500, 1us), chain_graph(2000, 1us), 1500, design);
  return step - start_and_body(probes, cores, 1us) - released;
}

Design lists_and_queue(int percent) {
  Design design = named_design("hybrid");
  design.placement = Placement::kRoundRobin;
  design.static_percent = percent;
  return design;
}

TaskGraph alike(const Probes& probes, int each) { return independent_graph(each * probes.machine().core_count(), spin_task(3us)); }

/// Dealt out in turn: every other worker has long tasks, so that those between them steal when they are through, one at a time.
void calibrate_takes(Probes& probes, Calibrated<ReadyQueues>& queues) {
  const auto workers = static_cast<std::size_t>(probes.machine().core_count());
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < kEach * workers; ++i) tasks.push_back(spin_task(i % workers % 2 == 0 ? 2us : 20us));
  Design stealing = named_design("work-stealing");
  stealing.stealing = Stealing::kOne;
  const Timeline stolen = probes.run("queues of workers that steal", independent_graph(tasks, {}), stealing, 3).timeline;
  const auto fetched = [&](bool own) {
    return mean_over(stolen, [&](TaskId task, const TaskTimes& times) {
      return (index(times.core) == index(task) % workers) == own ? std::optional(fetching(times)) : std::nullopt;
    });
  };
  queues.set(&ReadyQueues::take, fetched(true), "dispatched to received of tasks that their owner takes from its queue");
  queues.set(&ReadyQueues::steal, fetched(false), "dispatched to received of stolen tasks");
}

void calibrate_waits(Probes& probes, const ResidentCores& cores, Calibrated<ReadyQueues>& queues) {
  const std::string chains = "time a task of chains of 2000 and 500 tasks, not stamped, less start, body";
  queues.set(&ReadyQueues::steal_hop, hop(probes, cores, "thieves that wait", named_design("work-stealing"), pushing_ns(cores, 1)),
             chains + ", release and push");
  queues.set(&ReadyQueues::list_hop, hop(probes, cores, "owners of frozen lists that wait", lists_and_queue(100), cores.release.count()),
             chains + " and release, of frozen lists");
}

void calibrate_lists(Probes& probes, Calibrated<ReadyQueues>& queues) {
  const auto fetched = [&](std::string_view what, const TaskGraph& graph, int percent) {
    return mean_phase(probes.run(what, graph, lists_and_queue(percent), 3).timeline, fetching);
  };
  queues.set(&ReadyQueues::list_take, fetched("frozen lists of ready tasks", alike(probes, kEach), 100),
             "dispatched to received of ready tasks of a worker's own list");
  const TaskGraph readers = independent_graph(kEach * probes.machine().core_count(), sized_task(Kernel::kStream, {}, 0, 16 << 10));
  queues.set(&ReadyQueues::uncached_fetch, fetched("frozen lists of readers", readers, 100) - queues.list_take.count(),
             "dispatched to received of ready tasks of a worker's own list that read 16 KiB, less list_take_ns");
}

}  // namespace

Calibrated<ReadyQueues> calibrate_ready_queues(Probes& probes, const CoreSteps& steps) {
  Calibrated<ReadyQueues> queues(&Machine::ready_queues);
  queues.set(&ReadyQueues::hop, steps.pushed_hop, "ready to received of tasks pushed to waiting cores");
  calibrate_takes(probes, queues);
  calibrate_waits(probes, steps.cores, queues);
  calibrate_lists(probes, queues);
  queues.assume_nothing({&ReadyQueues::service}, "push_ns, hop_ns and dispatch_ns were measured with the queue in them");
  return queues;
}

}  // namespace tasktwin::verify
