#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

double ns(Duration time) { return static_cast<double>(time.count()); }

/// Whom a thread shares the ready queue with. While others are at it too a thread waits for them, which is no part of its own time.
enum class Company { kNone, kIdle, kBusy };

/// What rounds of the host's threads take, by what they do: an observation a run and a step, its mean over all rounds, so that what rarely
/// interrupts a thread counts as often as it happens. Each step ends with reading the clock, which takes `clock` and does not count.
struct Rounds {
  double clock = 0;
  std::vector<Observation> sweeps;
  std::vector<Observation> takings;   ///< by completions, edges, tasks made ready, other threads' lines, and pushes in each company
  std::vector<Observation> handings;  ///< by tasks, and hand-overs in each company

  /// Of a thread that looks after `cores`.
  void observe(Calibration& calibration, const std::string& what, const std::vector<gpu::DispatchRound>& rounds, Company company,
               int cores) {
    double completions = 0, edges = 0, lines = 0, released = 0, pushes = 0, resolving = 0, hand_overs = 0, handed = 0, handing = 0;
    std::vector<double> lengths;
    for (const gpu::DispatchRound& round : rounds) {
      lengths.push_back(ns(round.sweep) - clock);
      if (round.completions > 0) resolving += ns(round.resolve) - clock;
      completions += round.completions;
      edges += round.edges;
      lines += round.lines;
      released += round.released;
      pushes += round.released > 0 ? 1 : 0;
      if (round.handed_over == 0) continue;
      ++hand_overs;
      handed += round.handed_over;
      handing += ns(round.hand_over) - clock;
    }
    if (completions == 0 || resolving <= 0 || handing <= 0) return;
    const auto in = [company](Company which, double count) { return company == which ? count : 0.0; };
    const double pushed = pushes / completions;
    const double given = hand_overs / handed;
    sweeps.push_back({{1.0, static_cast<double>(cores)}, trimmed_mean(lengths)});
    takings.push_back(relative({1.0, edges / completions, released / completions, company == Company::kNone ? 0.0 : lines / completions,
                                in(Company::kIdle, pushed), in(Company::kBusy, pushed), in(Company::kNone, pushed)},
                               resolving / completions));
    handings.push_back(relative({1.0, in(Company::kIdle, given), in(Company::kBusy, given), in(Company::kNone, given)}, handing / handed));
    calibration.keep_sample("host_poll_ns", what, sweeps.back().value);
    calibration.keep_sample("host_resolve_ns", what, resolving / completions);
    calibration.keep_sample("host_dispatch_ns", what, handing / handed);
  }
};

}  // namespace

void calibrate_host_threads(Calibration& calibration) {
  const Design several = named_design("host-dispatcher");
  Design one = several;
  one.dispatchers = 1;
  const int all = calibration.machine().core_count();
  Rounds rounds{.clock = calibration.host_calls().clock_ns, .sweeps = {}, .takings = {}, .handings = {}};
  const auto observe = [&](const std::string& what, const TaskGraph& graph, Company company, int cores) {
    const Design& design = company == Company::kNone ? one : several;
    const int threads = design.dispatchers;
    rounds.observe(calibration, what, calibration.rounds(what, graph, design, cores), company, (cores + threads - 1) / threads);
  };
  // Counters and queue stay in one thread's cache.
  const TaskGraph chain = chain_graph(2000, 1000ns);
  observe("a host thread with little to do", chain, Company::kNone, all);
  for (const int cores : {8, all / 2})
    observe("a host thread with " + std::to_string(cores) + " cores", stencil_graph(20, 2 * cores, 1000ns), Company::kNone, cores);
  for (const int width : {24, 96})
    observe("a host thread with layers of " + std::to_string(width), layered_graph({20, width, width, 1000ns, 1000ns, 1}), Company::kNone,
            all);
  // Or go from one to the other: few edges a task, many, and many of which few make a task ready.
  observe("host threads with little to do", chain, Company::kIdle, all);
  for (const int leaves : {32, 128})
    observe("host threads with bursts of " + std::to_string(leaves), stars_graph(40, leaves, 1000ns), Company::kBusy, all);
  observe("host threads with a stencil", stencil_graph(20, 256, 1000ns), Company::kBusy, all);
  for (const int width : {24, 96})
    observe("host threads with layers of " + std::to_string(width), layered_graph({20, width, width, 1000ns, 1000ns, 1}), Company::kBusy,
            all);
  const TaskGraph loose = independent_graph(4000, spin_task(5us));
  observe("host threads with tasks without edges", loose, Company::kBusy, all);

  const std::vector<Estimate> sweep = fit_constants(rounds.sweeps);
  calibration.set("host_poll_ns", sweep[0], "sweeps of host threads over 8 cores to all, without stamps, intercept");
  calibration.set("host_poll_per_core_ns", sweep[1], "sweeps of host threads over 8 cores to all, without stamps, slope");
  const std::string taken =
      "host threads' rounds by completions, edges, tasks made ready, cache lines and pushes, without stamps, least relative squares";
  const std::vector<Estimate> taking = fit_constants(rounds.takings);
  calibration.set("host_complete_ns", taking[0], taken);
  calibration.set("host_resolve_ns", taking[1], taken);
  calibration.set("host_enqueue_ns", taking[2], taken);
  calibration.set("host_resolve_line_ns", taking[3], taken);
  calibration.set("host_locked_queue_ns", taking[4], taken + ", pushes where others are idle");
  const std::vector<Estimate> handing = fit_constants(rounds.handings);
  const std::string handed = "host threads' rounds by tasks handed over, without stamps, least relative squares";
  calibration.set("host_dispatch_ns", handing[0], handed + ", slope");
  calibration.set("host_hand_over_ns", handing[1] - taking[4], handed + ", intercept where others are idle, less host_locked_queue_ns");

  const Timeline lonely = calibration.run("a host thread with little to do", chain, one, 5).timeline;
  const Timeline saturated = calibration.run("host threads with tasks without edges", loose, several, 5).timeline;
  std::vector<double> hops;
  std::vector<double> waits;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    hops.push_back(ns(lonely.tasks[i].received - lonely.tasks[i].dispatched));
    if (i > 0) waits.push_back(ns(lonely.tasks[i].ready - lonely.tasks[i - 1].published));
  }
  // With all cores at work, because what others send across the bus holds a completion up.
  std::vector<double> publishing;
  for (const TaskTimes& times : saturated.tasks) publishing.push_back(ns(times.published - times.ended));
  calibration.set("host_mailbox_hop_ns", trimmed_mean(hops), "dispatched to received along a chain through a host thread");
  calibration.set("host_publish_ns", trimmed_mean(publishing), "ended to published of 4000 tasks of 5 us without edges under host threads");
  // As for the device's control cores: half a sweep until one begins that can see it, that sweep, and taking it in.
  calibration.set("host_completion_hop_ns", trimmed_mean(waits) - 1.5 * (sweep[0] + all * sweep[1]) - taking[0] - taking[1] - taking[2],
                  "published to successor ready along a chain, less the host thread's own steps");
}

}  // namespace tasktwin::verify
