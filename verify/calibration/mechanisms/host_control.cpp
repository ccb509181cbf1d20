#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"
#include "verify/predict/statistics.hpp"

namespace tasktwin::verify {

using mechanism::ControlLoop;
using mechanism::HostControl;

namespace {

using namespace std::chrono_literals;

template <class T>
struct SweepSteps {
  T poll{};
  T core{};            ///< each that the thread looks after
  T first_complete{};  ///< where it saw completions
  T complete{};
  auto all() { return std::array{&poll, &core, &first_complete, &complete}; }
};

template <class T>
struct TakingSteps {
  T complete{};
  T resolve{};  ///< by edges
  T line{};     ///< of cache, among several threads
  T count{};    ///< among several threads
  auto all() { return std::array{&complete, &resolve, &line, &count}; }
};

template <class T>
struct HandingSteps {
  T alone{};    ///< a hand-over of a single thread
  T several{};  ///< of several
  T dispatch{};
  auto all() { return std::array{&alone, &several, &dispatch}; }
};

/// What rounds of a run did, in all, and their time without the operations on the ready queue. Steps begin and end with reading the clock,
/// which takes `clock` and does not count.
struct RoundSums {
  double rounds = 0, sweeping = 0, busy = 0, completions = 0, edges = 0, lines = 0, taking = 0;
  double hand_overs = 0, handed = 0, handing = 0;

  RoundSums(const std::vector<gpu::DispatchRound>& all, double clock, bool alone) : rounds(static_cast<double>(all.size())) {
    for (const gpu::DispatchRound& round : all) {
      sweeping += ns(round.sweep) - clock;
      completions += round.completions;
      edges += round.edges;
      lines += round.lines;
      if (round.completions > 0) {
        ++busy;
        taking += ns(round.resolve) - clock;
      }
      if (round.released > 0) taking -= ns(round.push) + clock;
      if (round.handed_over == 0) continue;
      ++hand_overs;
      handed += round.handed_over;
      handing += ns(round.hand_over) - clock * (1 + 2 * round.claims);
      if (!alone) handing -= ns(round.claim) - clock * round.claims;
    }
  }
};

/// By what rounds of the host's threads do: an observation a run and a step, its mean over all rounds, so that what rarely interrupts a
/// thread counts as often as it happens.
struct Rounds {
  double clock = 0;
  Fit<SweepSteps> sweeps = {};
  Fit<TakingSteps> takings = {};
  Fit<HandingSteps> handings = {};

  /// Of one of `threads` that looks after `cores`.
  void observe(Probes& probes, const std::string& what, const std::vector<gpu::DispatchRound>& rounds, int threads, int cores) {
    const bool alone = threads == 1;
    const RoundSums sums(rounds, clock, alone);
    if (sums.completions == 0 || sums.taking <= 0 || sums.handing <= 0) return;
    sweeps.observe({.poll = 1,
                    .core = static_cast<double>(cores),
                    .first_complete = sums.busy / sums.rounds,
                    .complete = sums.completions / sums.rounds},
                   sums.sweeping / sums.rounds);
    takings.observe_relative({.complete = sums.completions / sums.busy,
                              .resolve = sums.edges / sums.busy,
                              .line = alone ? 0 : sums.lines / sums.busy,
                              .count = alone ? 0.0 : 1.0},
                             sums.taking / sums.busy);
    handings.observe_relative({.alone = alone ? 1.0 : 0.0, .several = alone ? 0.0 : 1.0, .dispatch = sums.handed / sums.hand_overs},
                              sums.handing / sums.hand_overs);
    probes.keep_sample(&Machine::host_control, &ControlLoop::poll, what, sums.sweeping / sums.rounds);
    probes.keep_sample(&Machine::host_control, &ControlLoop::resolve, what, sums.taking / sums.busy);
    probes.keep_sample(&Machine::host_control, &ControlLoop::dispatch, what, sums.handing / sums.hand_overs);
  }
};

/// Of threads that had seen no completion, and found what another had just pushed.
double idle_claim(const std::vector<gpu::DispatchRound>& rounds) {
  std::vector<double> claims;
  for (const gpu::DispatchRound& round : rounds) {
    if (round.completions == 0 && round.claims == 1 && round.handed_over > 0) claims.push_back(ns(round.claim));
  }
  return claims.empty() ? 0 : median(claims);
}

/// Returns what a claim takes of threads that have nothing else to do.
double observe_rounds(Probes& probes, Rounds& rounds, const Design& several) {
  const int all = probes.machine().core_count();
  const auto observe = [&](const std::string& what, const TaskGraph& graph, const Design& design, int cores) {
    const std::vector<gpu::DispatchRound> seen = probes.rounds(what, graph, design, cores);
    rounds.observe(probes, what, seen, design.dispatchers, (cores + design.dispatchers - 1) / design.dispatchers);
    return seen;
  };
  Design one = several;
  one.dispatchers = 1;
  // Counters and queue stay in one thread's cache.
  const TaskGraph chain = chain_graph(2000, 1000ns);
  observe("a host thread with little to do", chain, one, all);
  for (const int cores : {8, all / 2})
    observe("a host thread with " + std::to_string(cores) + " cores", stencil_graph(20, 2 * cores, 1000ns), one, cores);
  for (const int width : {24, 96})
    observe("a host thread with layers of " + std::to_string(width), layered_graph({20, width, width, 1000ns, 1000ns, 1}), one, all);
  // Or go from one to the other, but seldom while that one is there itself.
  const double claim = idle_claim(observe("host threads with little to do", chain, several, all)) - rounds.clock;
  for (const int leaves : {32, 128})
    observe("host threads with bursts of " + std::to_string(leaves), stars_graph(40, leaves, 1000ns), several, all);
  observe("host threads with a stencil", stencil_graph(20, 256, 1000ns), several, all);
  observe("host threads with layers of few edges", layered_graph({20, 256, 3, 1000ns, 1000ns, 1}), several, all);
  observe("host threads with tasks without edges", independent_graph(4000, spin_task(5us)), several, all);
  return claim;
}

void set_steps(const Rounds& rounds, Calibrated<HostControl>& loop) {
  const SweepSteps<Estimate> sweep = rounds.sweeps.solve();
  const TakingSteps<Estimate> taking = rounds.takings.solve();
  const HandingSteps<Estimate> handing = rounds.handings.solve();
  loop.set(&ControlLoop::poll, sweep.poll, "sweeps of host threads over 8 cores to all, without stamps, intercept");
  loop.set(&ControlLoop::poll_per_core, sweep.core, "sweeps of host threads over 8 cores to all, without stamps, slope");
  loop.set(&ControlLoop::first_complete, sweep.first_complete,
           "sweeps of host threads over 8 cores to all, without stamps, where they saw completions");
  const std::string taken = "host threads' rounds by completions, edges, cache lines and rounds, without stamps, least relative squares";
  loop.set(&ControlLoop::complete, taking.complete + sweep.complete, taken + ", and sweeps by completions");
  loop.set(&ControlLoop::resolve, taking.resolve, taken);
  loop.set(&ControlLoop::count, taking.count, taken + ", intercept of several threads");
  const std::string handed = "host threads' rounds by tasks handed over, without stamps, least relative squares";
  loop.set(&ControlLoop::hand_over, handing.alone, handed + ", intercept of a single thread");
  loop.set(&ControlLoop::dispatch, handing.dispatch, handed + ", slope");
}

/// `claim`: of one that has nothing else to do.
void set_contention(Probes& probes, int threads, double claim, Calibrated<HostControl>& loop) {
  const gpu::HostContentionTimes contention = probes.ask("what threads of the host share", &CalibrationBackend::host_contention, threads);
  const std::string at_once = std::to_string(threads) + " host threads at once";
  loop.set(&ControlLoop::resolve_line, contention.line_ns,
           "decrements of one counter by " + at_once + ", 20 us apart, less by one, median");
  loop.set(&ControlLoop::locked_queue, contention.queue_ns, "pushes and claims of 16 tasks by " + at_once + ", 20 us apart, median");
  loop.set(&ControlLoop::queue_contention, contention.contended_queue_ns - contention.queue_ns,
           "pushes and claims of 16 tasks by " + at_once + ", one behind the other, less host_control.locked_queue_ns");
  loop.set(&ControlLoop::queue_fetch, claim - contention.queue_ns,
           "claims along a chain by host threads that had nothing to do, median, less host_control.locked_queue_ns");
}

}  // namespace

Calibrated<HostControl> calibrate_host_control(Probes& probes) {
  const Design several = named_design("host-dispatcher");
  Calibrated<HostControl> loop(&Machine::host_control);
  Rounds rounds{.clock = probes.ask("calls of the host", &CalibrationBackend::host_calls).clock_ns};
  const double claim = observe_rounds(probes, rounds, several);
  set_steps(rounds, loop);
  set_contention(probes, several.dispatchers, claim, loop);
  return loop;
}

}  // namespace tasktwin::verify
