#include <algorithm>

#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/statistics.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

/// What rounds of the host's threads take beside what they do to the ready queue, by what they do: an observation a run and a step, its
/// mean over all rounds, so that what rarely interrupts a thread counts as often as it happens. Steps begin and end with reading the clock,
/// which takes `clock` and does not count.
struct Rounds {
  double clock = 0;
  std::vector<Observation> sweeps = {};
  std::vector<Observation> takings = {};   ///< by completions, edges, and among several threads lines, late or not, and rounds
  std::vector<Observation> pushes = {};    ///< of a single thread, by tasks
  std::vector<Observation> handings = {};  ///< by hand-overs of a single thread and of several, and tasks

  /// Of one of `threads` that looks after `cores`.
  void observe(Calibration& calibration, const std::string& what, const std::vector<gpu::DispatchRound>& rounds, int threads, int cores) {
    double sweeping = 0, busy = 0, completions = 0, edges = 0, lines = 0, released = 0, lots = 0, pushing = 0, taking = 0;
    double hand_overs = 0, handed = 0, handing = 0;
    for (const gpu::DispatchRound& round : rounds) {
      sweeping += ns(round.sweep) - clock;
      completions += round.completions;
      edges += round.edges;
      lines += round.lines;
      released += round.released;
      if (round.completions > 0) {
        ++busy;
        taking += ns(round.resolve) - clock;
      }
      if (round.released > 0) {
        ++lots;
        pushing += ns(round.push) - clock;
        taking -= ns(round.push) + clock;
      }
      if (round.handed_over == 0) continue;
      ++hand_overs;
      handed += round.handed_over;
      handing += ns(round.hand_over) - clock * (1 + 2 * round.claims);
      if (threads > 1) handing -= ns(round.claim) - clock * round.claims;
    }
    if (completions == 0 || taking <= 0 || handing <= 0) return;
    const bool alone = threads == 1;
    const auto all = static_cast<double>(rounds.size());
    sweeps.push_back({{1.0, static_cast<double>(cores), busy / all, completions / all}, sweeping / all});
    takings.push_back(relative({completions / busy, edges / busy, alone ? 0 : lines / busy, alone ? 0.0 : 1.0}, taking / busy));
    if (alone && pushing > 0) pushes.push_back({{1.0, released / lots}, pushing / lots});
    handings.push_back(relative({alone ? 1.0 : 0.0, alone ? 0.0 : 1.0, handed / hand_overs}, handing / hand_overs));
    calibration.keep_sample("host_control.poll_ns", what, sweeping / all);
    calibration.keep_sample("host_control.resolve_ns", what, taking / busy);
    calibration.keep_sample("host_control.dispatch_ns", what, handing / hand_overs);
  }
};

int share_of(const Design& design, int cores) { return (cores + design.dispatchers - 1) / design.dispatchers; }

/// Of threads that had seen no completion, and found what another had just pushed.
double idle_claim(const std::vector<gpu::DispatchRound>& rounds) {
  std::vector<double> claims;
  for (const gpu::DispatchRound& round : rounds) {
    if (round.completions == 0 && round.claims == 1 && round.handed_over > 0) claims.push_back(ns(round.claim));
  }
  return claims.empty() ? 0 : median(claims);
}

}  // namespace

void calibrate_host_threads(Calibration& calibration) {
  const Design several = named_design("host-dispatcher");
  Design one = several;
  one.dispatchers = 1;
  const int all = calibration.machine().core_count();
  Rounds rounds{.clock = calibration.host_calls().clock_ns};
  const auto observe = [&](const std::string& what, const TaskGraph& graph, const Design& design, int cores) {
    rounds.observe(calibration, what, calibration.rounds(what, graph, design, cores), design.dispatchers, share_of(design, cores));
  };
  // Counters and queue stay in one thread's cache.
  const TaskGraph chain = chain_graph(2000, 1000ns);
  observe("a host thread with little to do", chain, one, all);
  for (const int cores : {8, all / 2})
    observe("a host thread with " + std::to_string(cores) + " cores", stencil_graph(20, 2 * cores, 1000ns), one, cores);
  for (const int width : {24, 96})
    observe("a host thread with layers of " + std::to_string(width), layered_graph({20, width, width, 1000ns, 1000ns, 1}), one, all);
  // Or go from one to the other, but seldom while that one is there itself.
  const std::vector<gpu::DispatchRound> idle = calibration.rounds("host threads with little to do", chain, several, all);
  rounds.observe(calibration, "host threads with little to do", idle, several.dispatchers, share_of(several, all));
  const double fetching = idle_claim(idle) - rounds.clock;
  for (const int leaves : {32, 128})
    observe("host threads with bursts of " + std::to_string(leaves), stars_graph(40, leaves, 1000ns), several, all);
  observe("host threads with a stencil", stencil_graph(20, 256, 1000ns), several, all);
  observe("host threads with layers of few edges", layered_graph({20, 256, 3, 1000ns, 1000ns, 1}), several, all);
  const TaskGraph loose = independent_graph(4000, spin_task(5us));
  observe("host threads with tasks without edges", loose, several, all);

  const std::vector<Estimate> sweep = fit_constants(rounds.sweeps);
  calibration.set("host_control.poll_ns", sweep[0], "sweeps of host threads over 8 cores to all, without stamps, intercept");
  calibration.set("host_control.poll_per_core_ns", sweep[1], "sweeps of host threads over 8 cores to all, without stamps, slope");
  const std::string taken = "host threads' rounds by completions, edges, cache lines and rounds, without stamps, least relative squares";
  const std::vector<Estimate> taking = fit_constants(rounds.takings);
  calibration.set("host_control.first_complete_ns", sweep[2],
                  "sweeps of host threads over 8 cores to all, without stamps, where they saw completions");
  calibration.set("host_control.complete_ns", taking[0] + sweep[3], taken + ", and sweeps by completions");
  calibration.set("host_control.resolve_ns", taking[1], taken);
  const std::vector<Estimate> pushing = fit_constants(rounds.pushes);
  const Estimate push = pushing[1];
  calibration.set("host_control.enqueue_ns", push, "pushes of a host thread by tasks made ready, without stamps, slope");
  const std::vector<Estimate> handing = fit_constants(rounds.handings);
  const std::string handed = "host threads' rounds by tasks handed over, without stamps, least relative squares";
  calibration.set("host_control.hand_over_ns", handing[0], handed + ", intercept of a single thread");
  calibration.set("host_control.dispatch_ns", handing[2], handed + ", slope");
  calibration.set("host_control.count_ns", taking[3], taken + ", intercept of several threads");
  calibration.set("host_control.round_ns", handing[1].value - handing[0].value, handed + ", what several threads take more than one");
  const gpu::HostContentionTimes contention = calibration.host_contention(several.dispatchers);
  const std::string at_once = std::to_string(several.dispatchers) + " host threads at once";
  calibration.set("host_control.resolve_line_ns", contention.line_ns,
                  "decrements of one counter by " + at_once + ", 20 us apart, less by one, median");
  calibration.set("host_control.locked_queue_ns", contention.queue_ns,
                  "pushes and claims of 16 tasks by " + at_once + ", 20 us apart, median");
  calibration.set("host_control.queue_reuse_ns", std::max(0.0, contention.queue_ns - pushing[0]),
                  "host_locked_queue_ns less pushes of a host thread by tasks made ready, without stamps, intercept");
  calibration.set("host_control.queue_contention_ns", contention.contended_queue_ns - contention.queue_ns,
                  "pushes and claims of 16 tasks by " + at_once + ", one behind the other, less host_locked_queue_ns");
  calibration.set("host_control.queue_fetch_ns", fetching - contention.queue_ns,
                  "claims along a chain by host threads that had nothing to do, median, less host_locked_queue_ns");

  // A thread lies nearer to the device in one run than in another; tasks go through all of several, but only a single one's queue, which it
  // has to itself, does not come between an end and the next task.
  constexpr int kRuns = 9;
  const TaskGraph links = chain_graph(400, 1000ns);
  std::vector<double> hops;
  std::vector<double> lonely_hops;
  std::vector<double> waits;
  for (int run = 0; run < kRuns; ++run) {
    const Timeline lonely = calibration.run("a host thread with little to do", links, one, 1).timeline;
    const Timeline shared = calibration.run("host threads with little to do", links, several, 1).timeline;
    for (std::size_t i = 0; i < links.size(); ++i) {
      hops.push_back(ns(shared.tasks[i].received - shared.tasks[i].dispatched));
      lonely_hops.push_back(ns(lonely.tasks[i].received - lonely.tasks[i].dispatched));
      if (i > 0) waits.push_back(ns(lonely.tasks[i].ready - lonely.tasks[i - 1].published));
    }
  }
  const Timeline saturated = calibration.run("host threads with tasks without edges", loose, several, 5).timeline;
  // With all cores at work, because what others send across the bus holds a completion up.
  std::vector<double> publishing;
  for (const TaskTimes& times : saturated.tasks) publishing.push_back(ns(times.published - times.ended));
  calibration.set("host_mailboxes.hop_ns", trimmed_mean(hops), "dispatched to received along chains through host threads, 9 runs");
  // A core asks for its mailbox across the bus, so that how long it takes depends on when it last did.
  const std::string middle = ", half of what lies between the 16th and the 84th percentile";
  calibration.set("host_mailboxes.hop_sigma_ns", spread_of(lonely_hops),
                  "dispatched to received along chains through a host thread, one of 9 after the other" + middle);
  // Ends lie anywhere in a round of fences, so that what they wait for it is spread evenly from 0 to a whole one.
  const double round = 2 * spread_of(publishing) / 0.68;
  for (double& time : publishing) time -= round / 2;
  const std::string published = "ended to published of 4000 tasks of 5 us without edges under host threads";
  calibration.set("host_mailboxes.publish_ns", trimmed_mean(publishing), published + ", less half of host_fence_round_ns");
  calibration.set("host_mailboxes.fence_round_ns", round, published + ", from the 16th to the 84th percentile of an even spread");
  // As for the device's control cores: half a sweep until one begins that can see it, that sweep, and taking it in.
  calibration.set("host_mailboxes.completion_hop_ns",
                  trimmed_mean(waits) - 1.5 * (sweep[0] + all * sweep[1]) - sweep[2] - sweep[3] - taking[0] - taking[1] - push,
                  "published to successor ready along chains through a host thread, one of 9 after the other, less its own steps");
}

}  // namespace tasktwin::verify
