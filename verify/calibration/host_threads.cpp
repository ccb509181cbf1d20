#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

double ns(Duration time) { return static_cast<double>(time.count()); }

/// What one thread of the host does in a round, by what it meets.
struct Rounds {
  std::vector<Observation> sweeps;
  ObservationGroups takings;
  ObservationGroups handings;

  void observe(const gpu::Measurement& measurement, int cores) {
    std::vector<double> lengths;
    for (const gpu::DispatchRound& round : measurement.dispatch_rounds) {
      lengths.push_back(ns(round.sweep));
      if (round.completions > 0) {
        takings[{static_cast<double>(round.completions), static_cast<double>(round.edges)}].push_back(ns(round.resolve));
      }
      if (round.handed_over > 0) handings[{static_cast<double>(round.handed_over)}].push_back(ns(round.hand_over));
    }
    if (!lengths.empty()) sweeps.push_back({{1.0, static_cast<double>(cores)}, trimmed_mean(lengths)});
  }
};

}  // namespace

void calibrate_host_threads(Calibration& calibration) {
  Design design = named_design("host-dispatcher");
  design.dispatchers = 1;
  const TaskGraph chain = chain_graph(2000, 1000ns);
  const int all = calibration.machine().core_count();
  const gpu::Measurement lonely = calibration.run("a host thread with little to do", chain, design, 3);
  Rounds rounds;
  rounds.observe(lonely, all);
  for (const int cores : {8, all / 2}) rounds.observe(calibration.run("a host thread with few cores", chain, design, 1, cores), cores);
  for (const int leaves : {32, 128}) {
    rounds.observe(calibration.run("a host thread with bursts", stars_graph(40, leaves, 1000ns), design, 1), all);
  }
  rounds.observe(calibration.run("a host thread with a stencil", stencil_graph(20, 256, 1000ns), design, 1), all);

  const std::vector<Estimate> sweep = fit_constants(rounds.sweeps);
  calibration.set("host_poll_ns", sweep[0], "sweeps of one host thread over 8 cores to all, intercept");
  calibration.set("host_poll_per_core_ns", sweep[1], "sweeps of one host thread over 8 cores to all, slope");
  const std::vector<Estimate> taking = fit_constants(group_means(rounds.takings));
  calibration.set("host_complete_ns", taking[0], "a host thread's rounds by completions and edges, least squares");
  calibration.set("host_resolve_ns", taking[1], "a host thread's rounds by completions and edges, least squares");
  calibration.set("host_dispatch_ns", fit_constants(group_means(rounds.handings))[0],
                  "a host thread's rounds by hand-overs, least squares");

  std::vector<double> hops;
  std::vector<double> publishing;
  std::vector<double> waits;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const TaskTimes& times = lonely.timeline.tasks[i];
    hops.push_back(ns(times.received - times.dispatched));
    publishing.push_back(ns(times.published - times.ended));
    if (i > 0) waits.push_back(ns(times.ready - lonely.timeline.tasks[i - 1].published));
  }
  calibration.set("host_mailbox_hop_ns", trimmed_mean(hops), "dispatched to received along a chain through a host thread");
  calibration.set("host_publish_ns", trimmed_mean(publishing), "ended to published along a chain through a host thread");
  // As for the device's control cores: half a sweep until one begins that can see it, that sweep, and taking it in.
  calibration.set("host_completion_hop_ns", trimmed_mean(waits) - 1.5 * (sweep[0] + all * sweep[1]) - taking[0] - taking[1],
                  "published to successor ready along a chain, less the host thread's own steps");
}

}  // namespace tasktwin::verify
