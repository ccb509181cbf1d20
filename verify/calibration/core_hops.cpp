#include <algorithm>
#include <ranges>
#include <utility>

#include "gpu/probes.hpp"
#include "sim/cores/core.hpp"
#include "verify/calibration/assumed_counts.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

constexpr int kChainLength = 2000;

/// Phase differences over the tasks of a run, in ns.
template <class Difference>
Estimate mean_over(const TaskGraph& graph, const Timeline& timeline, Difference difference) {
  std::vector<double> values;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (const auto value = difference(task_id(i), timeline.tasks[i])) values.push_back(ns(*value));
  }
  return trimmed_mean(values);
}

/// How many batches (sim::PublishCost::batch) and tasks of so many have been pushed when one of them is ready, with its batch: means.
std::pair<double, double> pushed_when_ready(int tasks) {
  constexpr int kBatch = assumed::kResidentCores.successors_at_hand;
  double batches = 0;
  double pushed = 0;
  for (int before = 0, batch = 1; before < tasks; before += kBatch, ++batch) {
    const int through = std::min(tasks, before + kBatch);
    const double share = static_cast<double>(through - before) / tasks;
    batches += share * batch;
    pushed += share * through;
  }
  return {batches, pushed};
}

using MaybeDuration = std::optional<Duration>;

Design round_robin_counters() {
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;  // neighbours in a chain on different cores
  return design;
}

/// By the time a layer takes, without stamps, beyond its body and start, `others`, and the steps around them.
void calibrate_barrier(Calibration& calibration, double others) {
  std::vector<Observation> layers;
  const int most = calibration.machine().core_count();
  for (const int workers : {most / 4, most / 2, most}) {
    const auto time_of = [&](int count) {
      const TaskGraph columns = layered_graph({count, workers, 1, 1000ns, 1000ns, 1});
      return median_ns(calibration.run("barriers", columns, named_design("layer-barrier"), 5, workers).makespans);
    };
    const double layer = (time_of(60) - time_of(20)) / 40;
    calibration.keep_sample("barriers.leave_ns", "a layer of 1 us on " + std::to_string(workers) + " cores", layer);
    layers.push_back({{1.0, static_cast<double>(workers)},
                      layer - others - calibration.get("memory.read_latency_ns") - calibration.get("resident_cores.retire_ns")});
  }
  const std::vector<Estimate> barrier = fit_constants(layers);
  const std::string method = "time a layer on a quarter, half and all of the cores, not stamped, less the steps of its task, ";
  calibration.set("barriers.leave_ns", barrier[0], method + "intercept");
  calibration.set("barriers.arrive_ns", barrier[1], method + "slope");
}

}  // namespace

void calibrate_memory_words(Calibration& calibration) {
  const gpu::MemoryWordTimes times = gpu::probe_memory_words();
  calibration.set("memory.read_latency_ns", times.read_latency_ns, "dependent loads past the L1 cache, one thread");
  calibration.set("memory.atomic_latency_ns", times.atomic_latency_ns, "dependent additions to one word, one thread");
  calibration.set("memory.atomic_service_ns", times.atomic_service_ns, "additions to one word by a thread of every SM");
}

void calibrate_memory_ports(Calibration& calibration) {
  const gpu::MemoryPortProbe probe = gpu::probe_memory_ports();
  const bool whole = probe.by_placement.size() == static_cast<std::size_t>(calibration.machine().core_count());
  calibration.set_memory_ports(whole ? probe.by_placement : std::vector<int>{});
  calibration.set(
      "memory.port_bandwidth_gb_per_s", probe.bytes_per_ns,
      "8 MiB read by each SM of sets of 16 or more that clusters share, median; their blocks as clusters and kernels place them");
}

void calibrate_memory_queues(Calibration& calibration) {
  const gpu::MemoryQueueProbe probe = gpu::probe_memory_queues();
  const bool whole = probe.by_multiprocessor.size() == static_cast<std::size_t>(calibration.machine().core_count());
  calibration.set_memory_queues(whole ? probe.by_multiprocessor : std::vector<int>{});
  calibration.set("memory.queue_bandwidth_gb_per_s", probe.bytes_per_ns,
                  "8 MiB read by all SMs but for one queue's, of which one does: what it draws alone, by what full queues get and it gets, "
                  "median; queues by who gets on quicker where one SM does not read");
}

void calibrate_core_hops(Calibration& calibration) {
  const Design counters = round_robin_counters();
  const TaskGraph chain = chain_graph(kChainLength, 1000ns);
  const Timeline hops = calibration.run("hops between cores", chain, counters, 3).timeline;
  const auto before = [](TaskId task) { return index(task) - 1; };
  std::vector<double> lengths;
  for (std::size_t i = 1; i < chain.size(); ++i) lengths.push_back(ns(hops.tasks[i].received - hops.tasks[i - 1].published));
  calibration.set("resident_cores.counter_hop_ns", trimmed_mean(lengths), "published to received along a chain across cores");
  calibration.set("resident_cores.counter_hop_spread_ns", spread_of(lengths),
                  "published to received along a chain across cores, half of what lies between the 16th and the 84th percentile");
  Design flags = counters;
  flags.notification = Notification::kFlag;
  const Timeline raised = calibration.run("flags between cores", chain, flags, 3).timeline;
  calibration.set("resident_cores.flag_hop_ns",
                  mean_over(chain, raised,
                            [&](TaskId task, const TaskTimes& times) -> MaybeDuration {
                              if (index(task) == 0) return std::nullopt;
                              return times.received - raised.tasks[before(task)].published;
                            }),
                  "published to received along a chain across cores told by flags");
  calibration.set("resident_cores.start_ns",
                  mean_over(chain, hops, [](TaskId, const TaskTimes& times) -> MaybeDuration { return times.started - times.received; }),
                  "received to started along a chain across cores");

  std::vector<Observation> releases;
  for (const int leaves : {1, 4, 32, 64, 128}) {
    const TaskGraph stars = stars_graph(40, leaves, 1000ns);
    const Timeline released = calibration.run("releases of several successors", stars, counters, 1).timeline;
    const double mean = mean_over(stars, released, [&](TaskId task, const TaskTimes& times) -> MaybeDuration {
      if (stars.out_degree(task) != static_cast<std::size_t>(leaves)) return std::nullopt;
      return times.published - times.ended;
    });
    calibration.keep_sample("resident_cores.release_ns", "hub with " + std::to_string(leaves) + " successors", mean);
    releases.push_back({{1.0, static_cast<double>(leaves)}, mean});
  }
  const std::vector<Estimate> release = fit_constants(releases);
  calibration.set("resident_cores.release_ns", release[0], "ended to published of hubs with 1 to 128 successors, intercept");
  calibration.set("resident_cores.release_per_successor_ns", release[1], "ended to published of hubs with 1 to 128 successors, slope");

  // Stamps take longer than retiring, so that it is what a period without them leaves of the other phases.
  const int workers = calibration.machine().core_count();
  const auto retired = [&](int each) {
    return calibration.run("retiring", independent_graph(each * workers, spin_task(1000ns)), counters, 5);
  };
  const gpu::Measurement few = retired(100);
  const gpu::Measurement many = retired(400);
  const TaskGraph loose = independent_graph(400 * workers, spin_task(1000ns));
  const double list_read =
      mean_over(loose, many.timeline, [](TaskId, const TaskTimes& times) -> MaybeDuration { return times.received - times.dispatched; });
  const double others =
      mean_over(loose, many.timeline, [](TaskId, const TaskTimes& times) -> MaybeDuration { return times.ended - times.received; });
  const double period = (median_ns(many.makespans) - median_ns(few.makespans)) / 300;
  calibration.set("resident_cores.list_read_ns", list_read, "dispatched to received of tasks without predecessors");
  calibration.set("resident_cores.retire_ns", period - list_read - others,
                  "time a task of lists of 400 and 100 tasks without edges, not stamped, less dispatched to ended of them");

  // Of two chains in turn on one core, a look at one's next task finds it open, and may show the other's too.
  const TaskGraph twins = twin_chains_graph(400, 1000ns);
  const Timeline looks = calibration.run("looks at counters that are open", twins, counters, 3, 1).timeline;
  std::vector<double> waits;
  for (std::size_t i = 2; i < twins.size(); ++i) waits.push_back(ns(looks.tasks[i].received - looks.tasks[i].dispatched));
  std::ranges::sort(waits);
  const double seen_before = (list_read + waits[waits.size() * 9 / 10]) / 2;  // less, where the look before had shown it
  const double looked = mean_over(twins, looks, [&](TaskId task, const TaskTimes& times) -> MaybeDuration {
    if (index(task) < 2 || ns(times.received - times.dispatched) <= seen_before) return std::nullopt;
    return times.received - times.dispatched;
  });
  calibration.set("resident_cores.look_ns", looked - list_read, "dispatched to received of tasks that were open before, less list_read_ns");

  const auto handed_off = [&](const char* design, Duration body) {
    const auto makespan = [&](int each) {
      return median_ns(
          calibration.run("handing bodies off", independent_graph(each * workers, spin_task(body)), named_design(design), 5).makespans);
    };
    return (makespan(400) - makespan(100)) / 300 - others - ns(body - 1000ns);
  };
  calibration.set("resident_cores.hand_off_ns", handed_off("layer-barrier", 1000ns) - calibration.get("memory.read_latency_ns"),
                  "time a task of 400 and 100 tasks a core without edges under layer-barrier, not stamped, less received to ended of "
                  "static-queues and read_latency_ns");
  // Of tasks so long that the queue keeps up.
  calibration.set(
      "resident_cores.queue_hand_off_ns", handed_off("shared-queue", 3000ns),
      "time a task of 400 and 100 tasks of 3 us a core without edges under shared-queue, not stamped, less received to ended of "
      "static-queues");
  calibrate_barrier(calibration, others + calibration.get("resident_cores.hand_off_ns"));

  // A pushed task is ready before its pusher is through, so pushing is timed up to there, and the hop from there.
  std::vector<Observation> pushes;
  std::vector<double> queue_hops;
  for (const int leaves : {1, 16, 64, 128, 256}) {
    const TaskGraph stars = stars_graph(40, leaves, 1000ns);
    const Timeline pushed = calibration.run("pushes into a shared queue", stars, named_design("shared-queue"), 1).timeline;
    std::vector<double> times;
    for (std::size_t hub = 0; hub < stars.size(); ++hub) {
      if (stars.out_degree(task_id(hub)) != static_cast<std::size_t>(leaves)) continue;
      for (const TaskId leaf : stars.successors(task_id(hub))) {
        times.push_back(ns(pushed.tasks[index(leaf)].ready - pushed.tasks[hub].ended));
        // Later leaves may have to wait for a core; the first few find one waiting.
        if (leaves <= 64) queue_hops.push_back(ns(pushed.tasks[index(leaf)].received - pushed.tasks[index(leaf)].ready));
      }
    }
    const double mean = trimmed_mean(times);
    calibration.keep_sample("resident_cores.push_ns", "hub with " + std::to_string(leaves) + " successors", mean);
    const auto [batches, tasks] = pushed_when_ready(leaves);
    pushes.push_back({{batches, tasks}, mean - batches * release[0] - tasks * release[1]});
  }
  const std::vector<Estimate> push = fit_constants(pushes);
  calibration.set("resident_cores.push_ns", push[0],
                  "ended to successors ready of hubs in a shared queue, by batches of 128 and tasks, less the release, a batch");
  calibration.set("resident_cores.push_per_successor_ns", push[1],
                  "ended to successors ready of hubs in a shared queue, by batches of 128 and tasks, less the release, a task");
  calibration.set("ready_queues.hop_ns", trimmed_mean(queue_hops), "ready to received of tasks pushed to waiting cores");

  const Timeline posted = calibration.run("mailboxes", chain, named_design("central-dispatcher"), 3).timeline;
  calibration.set(
      "device_mailboxes.hop_ns",
      mean_over(chain, posted, [](TaskId, const TaskTimes& times) -> MaybeDuration { return times.received - times.dispatched; }),
      "dispatched to received along a chain through a dispatcher");
  // Cores lie near and far and look at moments of their own: with hops all alike, tasks of one length would end together for ever.
  const Timeline spread =
      calibration.run("mailboxes near and far", stencil_graph(60, 60, 3us), named_design("central-dispatcher"), 1).timeline;
  std::vector<double> posts;
  for (const TaskTimes& times : spread.tasks) posts.push_back(ns(times.received - times.dispatched));
  calibration.set("device_mailboxes.hop_sigma_ns", spread_of(posts),
                  "dispatched to received of a stencil of 60 columns through dispatchers, half of what lies between the 16th and the 84th "
                  "percentile");
  calibration.set("device_mailboxes.publish_ns",
                  mean_over(chain, posted, [](TaskId, const TaskTimes& times) -> MaybeDuration { return times.published - times.ended; }),
                  "ended to published along a chain through a dispatcher");
}

}  // namespace tasktwin::verify
