#include <algorithm>

#include "models/runtimes/runtimes.hpp"
#include "sim/cores/core.hpp"
#include "verify/calibration/fit/phases.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

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
}

/// By makespans, which no stamps lengthen: what a chain takes less by flags than by counters, and by messages than by flags, a hop.
void calibrate_flags(Probes& probes, Calibrated<ResidentCores>& cores) {
  const TaskGraph chain = chain_graph(2000, kBody);
  const auto a_hop = [&](Notification notification, const char* what) {
    Design design = round_robin_counters();
    design.notification = notification;
    return probes.makespan(what, chain, design, 5) / static_cast<double>(chain.size() - 1);
  };
  const double by_counters = a_hop(Notification::kCounter, "hops by counters");
  const double by_flags = a_hop(Notification::kFlag, "hops by flags");
  const double by_messages = a_hop(Notification::kMessage, "hops by messages");
  cores.set(&ResidentCores::flag_gain, std::max(0.0, by_counters - by_flags),
            "makespan of a chain across cores by counters, less that by flags, a hop; not stamped");
  cores.set(&ResidentCores::message_gain, std::max(0.0, by_flags - by_messages),
            "makespan of a chain across cores by flags, less that by messages, a hop; not stamped");
}

Estimate calibrate_releases(Probes& probes, Calibrated<ResidentCores>& cores) {
  std::vector<double> times;
  for (const int leaves : {1, 8, 32}) {
    const TaskGraph stars = stars_graph(40, leaves, kBody);
    const Timeline released = probes.run("releases of several successors", stars, round_robin_counters(), 1).timeline;
    const Estimate mean = mean_over(released, [&](TaskId task, const TaskTimes& of) {
      const bool hub = stars.out_degree(task) == static_cast<std::size_t>(leaves);
      return hub ? std::optional(publishing(of)) : std::nullopt;
    });
    probes.keep_sample(&Machine::resident_cores, &ResidentCores::release, "hub with " + std::to_string(leaves) + " successors", mean);
    times.push_back(mean);
  }
  const Estimate release = mean_or_zero(times);
  cores.set(&ResidentCores::release, release, "ended to published of hubs with 1 to 32 successors, mean");
  return release;
}

/// Returns what a body takes, received to ended.
double calibrate_lists(Probes& probes, Calibrated<ResidentCores>& cores) {
  const TaskGraph lists = independent_graph(400 * probes.machine().core_count(), spin_task(kBody));
  const Timeline timeline = probes.run("lists", lists, round_robin_counters(), 3).timeline;
  cores.set(&ResidentCores::list_read, mean_phase(timeline, fetching), "dispatched to received of tasks without predecessors");
  return mean_phase(timeline, [](const TaskTimes& task) { return task.ended - task.received; });
}

void calibrate_hand_offs(Probes& probes, double body, const mechanism::Memory& memory, Calibrated<ResidentCores>& cores) {
  const auto makespan = [&](int each) {
    const TaskGraph graph = independent_graph(each * probes.machine().core_count(), spin_task(kBody));
    return probes.makespan("handing bodies off", graph, named_design("layer-barrier"), 5);
  };
  cores.set(&ResidentCores::hand_off, (makespan(400) - makespan(100)) / 300 - body - memory.read_latency.count(),
            "time a task of 400 and 100 tasks a core without edges under layer-barrier, not stamped, less received to ended of "
            "static-queues and read_latency_ns");
}

template <class T>
struct PushSteps {
  T batch{};
  T task{};
  auto all() { return std::array{&batch, &task}; }
};

/// How many batches (sim::PublishCost::batch) and tasks of that many have been pushed when one of them is ready, with its batch: means.
PushSteps<double> pushed_when_ready(int tasks) {
  constexpr int kBatch = static_cast<int>(sim::PublishCost::kRowsAtHand) * assumed::kResidentCores.lanes;
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
Estimate calibrate_pushes(Probes& probes, const Estimate& release, Calibrated<ResidentCores>& cores) {
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
    pushes.observe(steps, mean - steps.batch * release);
  }
  const PushSteps<Estimate> push = pushes.solve();
  cores.set(&ResidentCores::push, push.batch,
            "ended to successors ready of hubs in a shared queue, by batches of 128 and tasks, less the release, a batch");
  cores.set(&ResidentCores::push_per_successor, push.task,
            "ended to successors ready of hubs in a shared queue, by batches of 128 and tasks, less the release, a task");
  return trimmed_mean(hops);
}

void calibrate_spawns(Probes& probes, Calibrated<ResidentCores>& cores) {
  Fit<Slope> spawns;
  for (const int children : {2, 32, 128}) {
    const TaskGraph graph = spawning_graph(200, children, 2us);
    const Timeline timeline = probes.run("spawned tasks", graph, named_design("shared-queue"), 3).timeline;
    std::vector<double> times;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (const auto parent = graph.spawner(task_id(i)))
        times.push_back(ns(timeline.tasks[i].ready - timeline.tasks[index(*parent)].ended) - pushing_ns(cores, children));
    }
    const Estimate mean = trimmed_mean(times);
    probes.keep_sample(&Machine::resident_cores, &ResidentCores::spawn, std::to_string(children) + " spawned tasks", mean);
    spawns.observe_relative({.slope = static_cast<double>((children + cores.lanes - 1) / cores.lanes)}, mean);
  }
  cores.set(&ResidentCores::spawn, spawns.solve().slope,
            "ended to spawned tasks ready of tasks that spawn 2 to 128 in a shared queue, less release and push, by batches of 32, least "
            "relative squares");
}

}  // namespace

double pushing_ns(const ResidentCores& cores, double successors) {
  return cores.release.count() + cores.push.count() + successors * cores.push_per_successor.count();
}

CoreSteps calibrate_resident_cores(Probes& probes, const mechanism::Memory& memory) {
  CoreSteps steps;
  Calibrated<ResidentCores>& cores = steps.cores;
  calibrate_hops(probes, cores);
  calibrate_flags(probes, cores);
  const Estimate release = calibrate_releases(probes, cores);
  steps.body_ns = calibrate_lists(probes, cores);
  calibrate_hand_offs(probes, steps.body_ns, memory, cores);
  steps.pushed_hop = calibrate_pushes(probes, release, cores);
  calibrate_spawns(probes, cores);
  cores.assume_nothing({&ResidentCores::flush, &ResidentCores::ordered_read}, "fences, which no executor leaves out");
  cores.assume(&ResidentCores::lanes, "lanes of a warp");
  return steps;
}

}  // namespace tasktwin::verify
