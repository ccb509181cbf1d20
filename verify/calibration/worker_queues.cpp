#include <algorithm>

#include "sim/cores/core.hpp"
#include "verify/calibration/assumed_counts.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

/// Dispatched to received, trimmed mean, of tasks that `counts`.
template <class Counts>
Estimate fetching(const Timeline& timeline, Counts counts) {
  std::vector<double> times;
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    if (counts(i)) times.push_back(ns(timeline.tasks[i].received - timeline.tasks[i].dispatched));
  }
  return trimmed_mean(times);
}

/// What a task's body takes, from the worker's having it.
double start_and_body(Calibration& calibration, Duration body) {
  const TaskGraph chain = chain_graph(500, body);
  const Timeline timeline = calibration.run("bodies along a chain", chain, named_design("static-queues"), 3).timeline;
  std::vector<double> bodies;
  for (const TaskTimes& times : timeline.tasks) bodies.push_back(ns(times.ended - times.started));
  return calibration.get("resident_cores.start_ns") + calibration.get("resident_cores.hand_off_ns") + trimmed_mean(bodies);
}

/// Time a task without stamps, which lengthen every step: what `many` takes longer than `few`, shared among so many `tasks`.
double period(Calibration& calibration, std::string_view what, const TaskGraph& few, const TaskGraph& many, int tasks,
              const Design& design) {
  const auto time_of = [&](const TaskGraph& graph) { return median_ns(calibration.run(what, graph, design, 5).makespans); };
  return (time_of(many) - time_of(few)) / tasks;
}

/// What releasing and pushing so many successors takes.
double pushing(const Calibration& calibration, double successors) {
  return calibration.get("resident_cores.release_ns") + calibration.get("resident_cores.push_ns") +
         successors *
             (calibration.get("resident_cores.release_per_successor_ns") + calibration.get("resident_cores.push_per_successor_ns"));
}

/// From a task's body ended, or more exactly `released` later, to a waiting worker having its successor.
double hop(Calibration& calibration, std::string_view what, const Design& design, double released) {
  const double step = period(calibration, what, chain_graph(500, 1us), chain_graph(2000, 1us), 1500, design);
  return step - start_and_body(calibration, 1us) - released;
}

Design lists_and_queue(int percent) {
  Design design = named_design("hybrid");
  design.placement = Placement::kRoundRobin;
  design.static_percent = percent;
  return design;
}

void calibrate_spawns(Calibration& calibration) {
  std::vector<Observation> spawns;
  for (const int children : {1, 2, 4, 8, 32, 128}) {
    const TaskGraph graph = spawning_graph(200, children, 2us);
    const Timeline timeline = calibration.run("spawned tasks", graph, named_design("shared-queue"), 3).timeline;
    std::vector<double> times;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (const auto parent = graph.spawner(task_id(i)))
        times.push_back(ns(timeline.tasks[i].ready - timeline.tasks[index(*parent)].ended) - pushing(calibration, children));
    }
    const double mean = trimmed_mean(times);
    calibration.keep_sample("resident_cores.spawn_ns", std::to_string(children) + " spawned tasks", mean);
    constexpr int kLanes = assumed::kResidentCores.lanes;
    const double batches = (children + kLanes - 1) / kLanes;
    spawns.push_back(relative({batches, static_cast<double>(children)}, mean));
  }
  const std::string spawning = "ended to spawned tasks ready of tasks that spawn 1 to 128 in a shared queue, less release and push, by ";
  const std::vector<Estimate> spawn = fit_constants(spawns);
  calibration.set("resident_cores.spawn_ns", spawn[0], spawning + "batches of 32, least relative squares");
  calibration.set("resident_cores.spawn_per_task_ns", spawn[1], spawning + "tasks, least relative squares");
}

}  // namespace

void calibrate_worker_queues(Calibration& calibration) {
  // Dealt out in turn: every other worker has long tasks, so that those between them steal when they are through, one at a time.
  constexpr std::size_t kEach = 20;
  const auto workers = static_cast<std::size_t>(calibration.machine().core_count());
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < kEach * workers; ++i) tasks.push_back(spin_task(i % workers % 2 == 0 ? 2us : 20us));
  const TaskGraph uneven = independent_graph(tasks, {});
  Design stealing = named_design("work-stealing");
  stealing.stealing = Stealing::kOne;
  const Timeline stolen = calibration.run("queues of workers that steal", uneven, stealing, 3).timeline;
  const auto own = [&](std::size_t i) { return index(stolen.tasks[i].core) == i % workers; };
  const Estimate take = fetching(stolen, own);
  calibration.set("ready_queues.take_ns", take, "dispatched to received of tasks that their owner takes from its queue");
  calibration.set("ready_queues.steal_fail_ns", take, "not measured; assumed: take_ns");
  calibration.set("ready_queues.steal_ns", fetching(stolen, [&](std::size_t i) { return !own(i); }),
                  "dispatched to received of stolen tasks");
  const auto alike = [&](int each) { return independent_graph(each * static_cast<int>(workers), spin_task(3us)); };
  calibration.set("ready_queues.refill_ns",
                  period(calibration, "queues of workers", alike(20), alike(80), 60, named_design("work-stealing")) - take -
                      start_and_body(calibration, 3us),
                  "time a task of 80 and 20 tasks a worker without edges under work-stealing, not stamped, less take_ns, start and body");

  const std::string chains = "time a task of chains of 2000 and 500 tasks, not stamped, less start, body";
  calibration.set("ready_queues.steal_hop_ns",
                  hop(calibration, "thieves that wait", named_design("work-stealing"), pushing(calibration, 1)),
                  chains + ", release and push");
  calibration.set("ready_queues.list_hop_ns",
                  hop(calibration, "owners of frozen lists that wait", lists_and_queue(100),
                      calibration.get("resident_cores.release_ns") + calibration.get("resident_cores.release_per_successor_ns")),
                  chains + " and release, of frozen lists");

  const TaskGraph even = alike(20);
  const auto all = [](std::size_t) { return true; };
  calibration.set("ready_queues.list_take_ns",
                  fetching(calibration.run("frozen lists of ready tasks", even, lists_and_queue(100), 3).timeline, all),
                  "dispatched to received of ready tasks of a worker's own list");
  calibration.set("ready_queues.list_claim_ns",
                  fetching(calibration.run("claims beside frozen lists", even, lists_and_queue(0), 3).timeline, all),
                  "dispatched to received of ready tasks of the queue beside the lists");
  const TaskGraph readers = independent_graph(20 * static_cast<int>(workers), sized_task(Kernel::kStream, {}, 0, 16 << 10));
  calibration.set("ready_queues.uncached_fetch_ns",
                  std::max(0.0, fetching(calibration.run("frozen lists of readers", readers, lists_and_queue(100), 3).timeline, all).value -
                                    calibration.get("ready_queues.list_take_ns")),
                  "dispatched to received of ready tasks of a worker's own list that read 16 KiB, less list_take_ns");
  calibrate_spawns(calibration);
}

}  // namespace tasktwin::verify
