#include <algorithm>
#include <utility>

#include "sim/cores/core.hpp"
#include "verify/calibration/mechanisms.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/calibration/phases.hpp"

namespace tasktwin::verify {

using mechanism::ResidentCores;

namespace {

using namespace std::chrono_literals;

constexpr Duration kBody = 1000ns;

Design round_robin_counters() {
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;  // neighbours in a chain on different cores
  return design;
}

void calibrate_hops(Probes& probes, Calibrated<ResidentCores>& cores) {
  const TaskGraph chain = chain_graph(2000, kBody);
  const Timeline hops = probes.run("hops between cores", chain, round_robin_counters(), 3).timeline;
  std::vector<double> lengths;
  for (std::size_t i = 1; i < chain.size(); ++i) lengths.push_back(ns(hops.tasks[i].received - hops.tasks[i - 1].published));
  cores.set(&ResidentCores::counter_hop, trimmed_mean(lengths), "published to received along a chain across cores");
  cores.set(&ResidentCores::counter_hop_spread, spread_of(lengths),
            "published to received along a chain across cores, half of what lies between the 16th and the 84th percentile");
  cores.set(&ResidentCores::start, mean_phase(hops, [](const TaskTimes& task) { return task.started - task.received; }),
            "received to started along a chain across cores");
  Design flags = round_robin_counters();
  flags.notification = Notification::kFlag;
  const Timeline raised = probes.run("flags between cores", chain, flags, 3).timeline;
  cores.set(&ResidentCores::flag_hop,
            mean_over_links(raised, [](const TaskTimes& before, const TaskTimes& task) { return task.received - before.published; }),
            "published to received along a chain across cores told by flags");
}

Line<Estimate> calibrate_releases(Probes& probes, Calibrated<ResidentCores>& cores) {
  Fit<Line> releases;
  for (const int leaves : {1, 4, 32, 64, 128}) {
    const TaskGraph stars = stars_graph(40, leaves, kBody);
    const Timeline released = probes.run("releases of several successors", stars, round_robin_counters(), 1).timeline;
    const Estimate mean = mean_over(released, [&](TaskId task, const TaskTimes& times) {
      const bool hub = stars.out_degree(task) == static_cast<std::size_t>(leaves);
      return hub ? std::optional(publishing(times)) : std::nullopt;
    });
    probes.keep_sample(&Machine::resident_cores, &ResidentCores::release, "hub with " + std::to_string(leaves) + " successors", mean);
    releases.observe({.intercept = 1, .slope = static_cast<double>(leaves)}, mean);
  }
  const Line<Estimate> release = releases.solve();
  cores.set(&ResidentCores::release, release.intercept, "ended to published of hubs with 1 to 128 successors, intercept");
  cores.set(&ResidentCores::release_per_successor, release.slope, "ended to published of hubs with 1 to 128 successors, slope");
  return release;
}

/// What the lists of independent tasks take a core.
struct Retiring {
  double list_read = 0;
  double body = 0;  ///< received to ended
};

/// Stamps take longer than retiring, so that it is what a period without them leaves of the other phases.
Retiring calibrate_retiring(Probes& probes, Calibrated<ResidentCores>& cores) {
  const int workers = probes.machine().core_count();
  const auto retired = [&](int each) {
    return probes.run("retiring", independent_graph(each * workers, spin_task(kBody)), round_robin_counters(), 5);
  };
  const gpu::Measurement few = retired(100);
  const gpu::Measurement many = retired(400);
  const Retiring found{mean_phase(many.timeline, fetching),
                       mean_phase(many.timeline, [](const TaskTimes& task) { return task.ended - task.received; })};
  const double period = (median_ns(many.makespans) - median_ns(few.makespans)) / 300;
  cores.set(&ResidentCores::list_read, found.list_read, "dispatched to received of tasks without predecessors");
  cores.set(&ResidentCores::retire, period - found.list_read - found.body,
            "time a task of lists of 400 and 100 tasks without edges, not stamped, less dispatched to ended of them");
  return found;
}

/// Of two chains in turn on one core, a look at one's next task finds it open, and may show the other's too.
void calibrate_looks(Probes& probes, double list_read, Calibrated<ResidentCores>& cores) {
  const TaskGraph twins = twin_chains_graph(400, kBody);
  const Timeline looks = probes.run("looks at counters that are open", twins, round_robin_counters(), 3, 1).timeline;
  std::vector<double> waits;
  for (std::size_t i = 2; i < twins.size(); ++i) waits.push_back(ns(fetching(looks.tasks[i])));
  std::ranges::sort(waits);
  const double seen_before = (list_read + waits[waits.size() * 9 / 10]) / 2;  // less, where the look before had shown it
  const Estimate looked = mean_over(looks, [&](TaskId task, const TaskTimes& times) {
    const bool counts = index(task) > 1 && ns(fetching(times)) > seen_before;
    return counts ? std::optional(fetching(times)) : std::nullopt;
  });
  cores.set(&ResidentCores::look, looked - list_read, "dispatched to received of tasks that were open before, less list_read_ns");
}

void calibrate_hand_offs(Probes& probes, double body, const mechanism::Memory& memory, Calibrated<ResidentCores>& cores) {
  const auto handed_off = [&](const char* design, Duration spun) {
    const auto makespan = [&](int each) {
      const TaskGraph graph = independent_graph(each * probes.machine().core_count(), spin_task(spun));
      return probes.makespan("handing bodies off", graph, named_design(design), 5);
    };
    return (makespan(400) - makespan(100)) / 300 - body - ns(spun - kBody);
  };
  cores.set(&ResidentCores::hand_off, handed_off("layer-barrier", kBody) - memory.read_latency.count(),
            "time a task of 400 and 100 tasks a core without edges under layer-barrier, not stamped, less received to ended of "
            "static-queues and read_latency_ns");
  // Of tasks so long that the queue keeps up.
  cores.set(&ResidentCores::queue_hand_off, handed_off("shared-queue", 3000ns),
            "time a task of 400 and 100 tasks of 3 us a core without edges under shared-queue, not stamped, less received to ended of "
            "static-queues");
}

template <class T>
struct PushSteps {
  T batch{};
  T task{};
  auto all() { return std::array{&batch, &task}; }
};

/// How many batches (sim::PublishCost::batch) and tasks of so many have been pushed when one of them is ready, with its batch: means.
PushSteps<double> pushed_when_ready(int tasks) {
  constexpr int kBatch = assumed::kResidentCores.successors_at_hand;
  PushSteps<double> pushed;
  for (int before = 0, batch = 1; before < tasks; before += kBatch, ++batch) {
    const int through = std::min(tasks, before + kBatch);
    const double share = static_cast<double>(through - before) / tasks;
    pushed.batch += share * batch;
    pushed.task += share * through;
  }
  return pushed;
}

/// A pushed task is ready before its pusher is through, so pushing is timed up to there, and the hop, which is returned, from there.
Estimate calibrate_pushes(Probes& probes, const Line<Estimate>& release, Calibrated<ResidentCores>& cores) {
  Fit<PushSteps> pushes;
  std::vector<double> hops;
  for (const int leaves : {1, 16, 64, 128, 256}) {
    const TaskGraph stars = stars_graph(40, leaves, kBody);
    const Timeline pushed = probes.run("pushes into a shared queue", stars, named_design("shared-queue"), 1).timeline;
    std::vector<double> times;
    for (std::size_t hub = 0; hub < stars.size(); ++hub) {
      if (stars.out_degree(task_id(hub)) != static_cast<std::size_t>(leaves)) continue;
      for (const TaskId task : stars.successors(task_id(hub))) {
        const TaskTimes& leaf = pushed.tasks[index(task)];
        times.push_back(ns(leaf.ready - pushed.tasks[hub].ended));
        // Later leaves may have to wait for a core; the first few find one waiting.
        if (leaves <= 64) hops.push_back(ns(leaf.received - leaf.ready));
      }
    }
    const Estimate mean = trimmed_mean(times);
    probes.keep_sample(&Machine::resident_cores, &ResidentCores::push, "hub with " + std::to_string(leaves) + " successors", mean);
    const PushSteps<double> steps = pushed_when_ready(leaves);
    pushes.observe(steps, mean - steps.batch * release.intercept - steps.task * release.slope);
  }
  const PushSteps<Estimate> push = pushes.solve();
  cores.set(&ResidentCores::push, push.batch,
            "ended to successors ready of hubs in a shared queue, by batches of 128 and tasks, less the release, a batch");
  cores.set(&ResidentCores::push_per_successor, push.task,
            "ended to successors ready of hubs in a shared queue, by batches of 128 and tasks, less the release, a task");
  return trimmed_mean(hops);
}

void calibrate_spawns(Probes& probes, Calibrated<ResidentCores>& cores) {
  Fit<PushSteps> spawns;
  for (const int children : {1, 2, 4, 8, 32, 128}) {
    const TaskGraph graph = spawning_graph(200, children, 2us);
    const Timeline timeline = probes.run("spawned tasks", graph, named_design("shared-queue"), 3).timeline;
    std::vector<double> times;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (const auto parent = graph.spawner(task_id(i)))
        times.push_back(ns(timeline.tasks[i].ready - timeline.tasks[index(*parent)].ended) - pushing_ns(cores, children));
    }
    const Estimate mean = trimmed_mean(times);
    probes.keep_sample(&Machine::resident_cores, &ResidentCores::spawn, std::to_string(children) + " spawned tasks", mean);
    const double batches = (children + cores.lanes - 1) / cores.lanes;
    spawns.observe_relative({.batch = batches, .task = static_cast<double>(children)}, mean);
  }
  const std::string spawning = "ended to spawned tasks ready of tasks that spawn 1 to 128 in a shared queue, less release and push, by ";
  const PushSteps<Estimate> spawn = spawns.solve();
  cores.set(&ResidentCores::spawn, spawn.batch, spawning + "batches of 32, least relative squares");
  cores.set(&ResidentCores::spawn_per_task, spawn.task, spawning + "tasks, least relative squares");
}

}  // namespace

double pushing_ns(const ResidentCores& cores, double successors) {
  return cores.release.count() + cores.push.count() + successors * (cores.release_per_successor.count() + cores.push_per_successor.count());
}

CoreSteps calibrate_resident_cores(Probes& probes, const mechanism::Memory& memory) {
  CoreSteps steps;
  Calibrated<ResidentCores>& cores = steps.cores;
  calibrate_hops(probes, cores);
  const Line<Estimate> release = calibrate_releases(probes, cores);
  const Retiring retiring = calibrate_retiring(probes, cores);
  steps.body_ns = retiring.body;
  calibrate_looks(probes, retiring.list_read, cores);
  calibrate_hand_offs(probes, retiring.body, memory, cores);
  steps.pushed_hop = calibrate_pushes(probes, release, cores);
  calibrate_spawns(probes, cores);
  cores.assume(&ResidentCores::semaphore_hop, cores.counter_hop, "resident_cores.counter_hop_ns, for want of a semaphore between SMs");
  cores.assume(&ResidentCores::lanes, "lanes of a warp");
  cores.assume(&ResidentCores::successors_at_hand, "four rounds of a warp's lanes");
  return steps;
}

}  // namespace tasktwin::verify
