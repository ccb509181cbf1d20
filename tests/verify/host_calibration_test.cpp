// Calibration of the host's launches and of its threads as dispatchers, against a machine whose constants are known: the simulator.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/free_machine.hpp"
#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"

namespace tasktwin::verify {
namespace {

using tests::expect_found;
using tests::found_by;
using tests::probes_of;
using tests::simulated;

Machine true_machine() {
  Machine machine = tests::known_card();
  machine.host_calls->launch = Nanoseconds{3500};
  machine.host_calls->first_launches = Nanoseconds{48000};
  machine.host_calls->stream_wait = Nanoseconds{190};
  machine.host_calls->event_record = Nanoseconds{260};
  machine.streams->launch_latency = Nanoseconds{7300};
  machine.streams->gap = Nanoseconds{1600};
  machine.streams->event_gap = Nanoseconds{1750};
  machine.streams->waiting_queue = Nanoseconds{290};
  machine.streams->queue_turns = Nanoseconds{1100};
  machine.host_mailboxes->hop = Nanoseconds{1400};
  machine.host_mailboxes->publish = Nanoseconds{900};
  machine.host_control->poll = Nanoseconds{60};
  machine.host_control->poll_per_core = Nanoseconds{3};
  machine.host_control->first_complete = Nanoseconds{85};
  machine.host_control->complete = Nanoseconds{11};
  machine.host_control->resolve = Nanoseconds{7};
  machine.host_control->resolve_line = Nanoseconds{43};
  machine.host_control->count = Nanoseconds{130};
  machine.host_control->locked_queue = Nanoseconds{310};
  machine.host_control->queue_contention = Nanoseconds{150};
  machine.host_control->queue_fetch = Nanoseconds{210};
  machine.host_mailboxes->hop_sigma = Nanoseconds{120};
  machine.host_control->hand_over = Nanoseconds{90};
  machine.host_control->dispatch = Nanoseconds{75};
  return machine;
}

Machine host_path_found(const Machine& truth, CalibrationBackend backend) {
  Probes probes = probes_of(without_mechanisms(truth), std::move(backend));
  const Calibrated<mechanism::HostCalls> calls = calibrate_host_launches(probes);
  return found_by(probes, calls, calibrate_streams(probes, calls));
}

TEST(HostPathCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  expect_found(
      host_path_found(truth, simulated(truth)), truth,
      {"host_calls.launch_ns", "host_calls.first_launches_ns", "host_calls.stream_wait_ns", "host_calls.event_record_ns",
       "streams.launch_latency_ns", "streams.gap_ns", "streams.event_gap_ns", "streams.waiting_queue_ns", "streams.queue_turns_ns"});
}

TEST(HostPathCalibration, FindsWhatReadersAddToLooksAtQueues) {
  Machine truth = true_machine();
  truth.streams->loaded_queue = Nanoseconds{240};
  Probes probes = probes_of(truth, simulated(truth));
  expect_found(found_by(probes, calibrate_queues_behind_readers(probes, truth)), truth, {"streams.loaded_queue_ns"});
}

TEST(HostPathCalibration, TakesTheMedianHostWhereItsSpeedChangesFromRunToRun) {
  const Machine truth = true_machine();
  CalibrationBackend backend = simulated(truth);
  backend.run = [truth, run = 0](const TaskGraph& graph, const Machine& asked, const Design& design,
                                 const gpu::RunOptions& options) mutable {
    // Every third run meets a host that takes half as long again for everything.
    Machine machine = truth;
    const double slower = run++ % 3 == 0 ? 1.5 : 1.0;
    for (Nanoseconds* time : {&machine.host_calls->launch, &machine.host_calls->stream_wait, &machine.host_calls->event_record})
      *time *= slower;
    return simulated(machine).run(graph, asked, design, options);
  };
  expect_found(host_path_found(truth, backend), truth, {"host_calls.launch_ns", "host_calls.stream_wait_ns", "host_calls.event_record_ns"});
}

constexpr Nanoseconds kClock{24};  ///< read for each stamp
constexpr Nanoseconds kSeen{5};    ///< of taking a completion in, as the sweep comes to it

/// Rounds of a host's threads over all tasks, some at a time, as `machine` says what they take.
std::vector<gpu::DispatchRound> rounds(const TaskGraph& graph, const Machine& machine, int threads, int cores) {
  std::vector<int> released(graph.size());  // by TaskId: successors of which it is the last predecessor
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto before = graph.predecessors(task_id(i));
    if (before.begin() != before.end()) ++released[index(*std::ranges::max_element(before))];
  }
  std::vector<gpu::DispatchRound> rounds;
  for (std::size_t next = 0; next < graph.size();) {
    gpu::DispatchRound round;
    for (std::size_t left = 1 + next % (2 + graph.size() / 10 % 7); left > 0 && next < graph.size(); --left, ++next) {
      ++round.completions;
      ++round.handed_over;
      round.edges += static_cast<int>(graph.out_degree(task_id(next)));
      round.released += released[next];
      std::set<std::size_t> lines;
      for (const TaskId successor : graph.successors(task_id(next))) lines.insert(index(successor) / 16);
      round.lines += static_cast<int>(lines.size());
    }
    // One thread has counters and queue to itself.
    const bool alone = threads == 1;
    const double lines = alone ? 0 : round.lines;
    const Nanoseconds counting = alone ? Nanoseconds{0} : machine.host_control->count;
    const Nanoseconds queue = alone ? Nanoseconds{20} : Nanoseconds{900};  // with others before it
    round.claims = 1;
    round.push = round.released > 0 ? round_ns(kClock + queue) : Duration{0};
    round.claim = round_ns(kClock + queue);
    round.sweep = round_ns(kClock + machine.host_control->poll + double(cores) * machine.host_control->poll_per_core +
                           machine.host_control->first_complete + double(round.completions) * kSeen);
    round.resolve = round.push + round_ns(kClock + counting + double(round.completions) * (machine.host_control->complete - kSeen) +
                                          double(round.edges) * machine.host_control->resolve + lines * machine.host_control->resolve_line +
                                          (round.released > 0 ? kClock : Nanoseconds{0}));
    round.hand_over = (alone ? Duration{0} : round_ns(queue)) +
                      round_ns(3 * kClock + machine.host_control->hand_over + double(round.handed_over) * machine.host_control->dispatch);
    rounds.push_back(round);
    if (alone) continue;
    // One that had nothing to do finds what another has pushed.
    gpu::DispatchRound idle;
    idle.claims = idle.handed_over = 1;
    idle.sweep = round_ns(kClock + machine.host_control->poll + double(cores) * machine.host_control->poll_per_core);
    idle.resolve = round_ns(kClock);
    idle.claim = round_ns(kClock + machine.host_control->locked_queue + machine.host_control->queue_fetch);
    idle.hand_over = round_ns(machine.host_control->locked_queue + machine.host_control->queue_fetch + 3 * kClock +
                              machine.host_control->hand_over + machine.host_control->dispatch);
    rounds.push_back(idle);
  }
  return rounds;
}

Machine host_threads_found(const Machine& truth) {
  CalibrationBackend backend = simulated(truth);
  backend.run = [truth, simulate = backend.run](const TaskGraph& graph, const Machine& asked, const Design& design,
                                                const gpu::RunOptions& options) {
    gpu::Measurement measurement = simulate(graph, asked, design, options);
    const int threads = design.dispatchers;
    measurement.dispatch_rounds = rounds(graph, truth, threads, (asked.core_count() + threads - 1) / threads);
    return measurement;
  };
  backend.host_calls = [] { return gpu::HostCallTimes{.clock_ns = kClock.count()}; };
  backend.host_contention = [truth](int) {
    return gpu::HostContentionTimes{.queue_ns = truth.host_control->locked_queue.count(),
                                    .contended_queue_ns = (truth.host_control->locked_queue + truth.host_control->queue_contention).count(),
                                    .line_ns = truth.host_control->resolve_line.count()};
  };
  Probes probes = probes_of(without_mechanisms(truth), backend);
  const Calibrated<mechanism::HostControl> loop = calibrate_host_control(probes);
  return found_by(probes, loop, calibrate_host_mailboxes(probes, loop));
}

TEST(HostThreadCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  const Machine found = host_threads_found(truth);
  expect_found(found, truth,
               {"host_control.poll_ns", "host_control.poll_per_core_ns", "host_control.first_complete_ns", "host_control.complete_ns",
                "host_control.resolve_ns", "host_control.resolve_line_ns", "host_control.hand_over_ns", "host_control.dispatch_ns",
                "host_control.count_ns", "host_control.locked_queue_ns", "host_control.queue_contention_ns", "host_control.queue_fetch_ns",
                "host_mailboxes.hop_ns"});
  EXPECT_NEAR(found.host_mailboxes->hop_sigma.count(), truth.host_mailboxes->hop_sigma.count(), 6);
  // When an idle thread's sweep begins is not stamped, and along a chain it is always the same.
  const double sweep = truth.host_control->poll.count() + truth.core_count() * truth.host_control->poll_per_core.count();
  EXPECT_NEAR(found.host_mailboxes->publish.count(), truth.host_mailboxes->publish.count(), sweep / 2);
}

}  // namespace
}  // namespace tasktwin::verify
