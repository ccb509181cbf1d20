// Fits by simulation, and the calibration of cores' hops, against machines whose constants are known.
#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/support/free_machine.hpp"
#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"
#include "verify/calibration/trials/refinement.hpp"

namespace tasktwin::verify {
namespace {

using namespace std::chrono_literals;

Machine known(double poll, double publish, double steal) {
  Machine machine = free_machine();
  machine.device_control->poll = Nanoseconds{poll};
  machine.device_mailboxes->publish = Nanoseconds{publish};
  machine.ready_queues->steal = Nanoseconds{steal};
  return machine;
}

/// A model in place of the simulator: sums of what each of its steps takes.
double model(const Machine& machine, double polls, double publications) {
  return 1000 + polls * machine.device_control->poll.count() + publications * machine.device_mailboxes->publish.count();
}

TEST(FitBySimulation, FindsWhatTheTargetsTellAndLeavesTheRest) {
  const Machine truth = known(300, 80, 7);
  const Machine start = known(210, 120, 9);
  std::vector<Target> targets;
  for (const auto& [polls, publications] : {std::pair{100.0, 3.0}, {2.0, 90.0}, {50.0, 50.0}, {7.0, 20.0}}) {
    targets.push_back({[polls = polls, publications = publications](const Machine& machine) { return model(machine, polls, publications); },
                       model(truth, polls, publications)});
  }
  const std::vector<Unknown> unknowns{of_constant(&Machine::device_control, &mechanism::ControlLoop::poll),
                                      of_constant(&Machine::device_mailboxes, &mechanism::Mailboxes::publish),
                                      of_constant(&Machine::ready_queues, &mechanism::ReadyQueues::steal),
                                      of_constant(&Machine::resident_cores, &mechanism::ResidentCores::start)};
  const std::vector<Estimate> found = fit_by_simulation(start, unknowns, targets);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_NEAR(found[0], 300, 3);
  EXPECT_NEAR(found[1], 80, 1);
  EXPECT_NEAR(found[2], 9, 1e-6) << "no target says anything of it";
  EXPECT_EQ(found[3].value, 0) << "constants of 0 stay so";
  ASSERT_TRUE(found[0].interval);
  EXPECT_LT(found[0].interval->low, 300);
  EXPECT_GT(found[0].interval->high, 300);
  EXPECT_LT(found[0].interval->high - found[0].interval->low, 60) << "the targets are known to 1 %";
  EXPECT_FALSE(found[3].interval);
}

TEST(FitBySimulation, WhatIsKnownBetterMovesLess) {
  const Machine start = known(200, 200, 0);
  const std::vector<Target> targets{{[](const Machine& machine) { return model(machine, 10, 10); }, 6000}};  // both 250, or one 300
  Unknown well_known = of_constant(&Machine::device_control, &mechanism::ControlLoop::poll);
  well_known.known_to = 0.01;
  const std::vector<Estimate> found =
      fit_by_simulation(start, {well_known, of_constant(&Machine::device_mailboxes, &mechanism::Mailboxes::publish)}, targets);
  EXPECT_NEAR(found[0], 200, 2);
  EXPECT_NEAR(found[1], 300, 4);
}

TEST(FitBySimulation, TargetsThatContradictEachOtherWidenTheIntervals) {
  const Machine start = known(300, 80, 0);
  const auto interval = [&start](double error) {
    const std::vector<Target> targets{{[](const Machine& machine) { return model(machine, 50, 0); }, 16000 * (1 + error)},
                                      {[](const Machine& machine) { return model(machine, 100, 0); }, 31000 * (1 - error)}};
    const Interval found =
        *fit_by_simulation(start, of_constant(&Machine::device_control, &mechanism::ControlLoop::poll), targets).interval;
    return found.high - found.low;
  };
  EXPECT_GT(interval(0.1), 3 * interval(0));
}

TEST(FitBySimulation, SearchesOnWhereADescentGetsStuck) {
  const Machine truth = known(300, 80, 0);
  const Machine start = known(190, 130, 0);
  // Hollows in the way to what was measured.
  const auto hollow = [](const Machine& machine, double polls, double publications) {
    const double waves =
        std::sin(14 * std::log(machine.device_control->poll.count())) + std::sin(14 * std::log(machine.device_mailboxes->publish.count()));
    return model(machine, polls, publications) * (1 + 0.2 * waves);
  };
  std::vector<Target> targets;
  for (const auto& [polls, publications] : {std::pair{100.0, 3.0}, {2.0, 90.0}, {50.0, 50.0}}) {
    targets.push_back(
        {[=, polls = polls, publications = publications](const Machine& machine) { return hollow(machine, polls, publications); },
         hollow(truth, polls, publications)});
  }
  const std::vector<Unknown> unknowns{of_constant(&Machine::device_control, &mechanism::ControlLoop::poll),
                                      of_constant(&Machine::device_mailboxes, &mechanism::Mailboxes::publish)};
  const auto off = [](const std::vector<Estimate>& found) { return std::max(std::abs(found[0] / 300 - 1), std::abs(found[1] / 80 - 1)); };
  EXPECT_GT(off(fit_by_simulation(start, unknowns, targets)), 0.1) << "too easy a case";
  EXPECT_LT(off(fit_by_simulation(start, unknowns, targets, true)), 0.02);
}

/// A smaller H200, so that a fit does not take long.
Machine few_cores() {
  Machine machine = scenarios::load_machine("nvidia-h200");
  machine.compute_cores = {{CoreType::kSm, 16}};
  return machine;
}

TEST(Refinement, BringsMakespansToThoseMeasured) {
  const Machine truth = few_cores();
  Machine skeleton = truth;
  skeleton.resident_cores->release *= 1.4;
  skeleton.resident_cores->counter_hop *= 0.7;
  const Design design = named_design("static-queues");
  const std::vector<MakespanTrial> trials{{"a chain", chain_graph(100, 1us), design},
                                          {"layers", layered_graph({10, 20, 3, 500ns, 3us, 7}), design},
                                          {"layers of few", layered_graph({10, 8, 2, 500ns, 1us, 8}), design, 8},
                                          {"stars", stars_graph(5, 30, 1us), design}};
  Probes probes = tests::probes_of(skeleton, tests::simulated(truth));
  using Cores = mechanism::ResidentCores;
  const std::vector<Refined> constants = known_to(0.4, &Machine::resident_cores, {&Cores::release, &Cores::counter_hop});
  const Machine refined = tests::found_by(probes, refine(probes, skeleton, constants, trials));
  for (const MakespanTrial& trial : trials) {
    Machine found = refined;
    Machine real = truth;
    if (trial.workers > 0) found.compute_cores = real.compute_cores = {{CoreType::kSm, trial.workers}};
    const auto predicted = static_cast<double>(sim::simulate(trial.tasks, found, design).timeline.makespan().count());
    const auto measured = static_cast<double>(sim::simulate(trial.tasks, real, design).timeline.makespan().count());
    EXPECT_NEAR(predicted / measured, 1, 0.015) << trial.graph;
  }
  // Two constants as they were, and of each trial its makespan and the host's pace.
  EXPECT_EQ(probes.samples().size(), 3 + 2 * trials.size());
  EXPECT_NE(refined.provenance.at("resident_cores.release_ns").text.find("refined by makespans of 4 micro-graphs"), std::string::npos);
}

/// As `machine` measures it, but the first `at_first` runs of each graph find a host that does something else besides: a call takes it half
/// as long again, and the run three times as long.
CalibrationBackend disturbed(const Machine& machine, int at_first) {
  CalibrationBackend backend = tests::simulated(machine);
  backend.run = [machine, at_first, calm = backend.run, runs = std::map<std::size_t, int>()](
                    const TaskGraph& graph, const Machine& asked, const Design& design, const gpu::RunOptions& options) mutable {
    gpu::Measurement measurement = calm(graph, asked, design, options);
    measurement.host_call = machine.host_calls->reference_launch;
    if (++runs[graph.size()] > at_first) return measurement;
    measurement.host_call *= 1.5;
    measurement.makespans.front() *= 3;
    return measurement;
  };
  return backend;
}

std::vector<Refined> launches() { return known_to(0.4, &Machine::host_calls, {&mechanism::HostCalls::launch}); }

TEST(Refinement, MeasuresAnewWhatADisturbedHostWasTimedAt) {
  const Machine truth = few_cores();
  Machine skeleton = truth;
  skeleton.host_calls->launch *= 1.3;
  const Design design = named_design("cuda-streams");
  const std::vector<MakespanTrial> trials{{"few", independent_graph(300, spin_task(1us)), design},
                                          {"more", independent_graph(500, spin_task(1us)), design}};
  Probes probes = tests::probes_of(skeleton, disturbed(truth, 1));
  const Machine refined = tests::found_by(probes, refine(probes, skeleton, launches(), trials));
  EXPECT_NEAR(refined.host_calls->launch.count() / truth.host_calls->launch.count(), 1, 0.01);
  EXPECT_EQ(probes.samples().size(), 2 + 2 * 2 * trials.size());
}

TEST(Refinement, LeavesAConstantAloneOfWhichOnlyADisturbedHostSaysAnything) {
  const Machine truth = few_cores();
  Machine skeleton = truth;
  skeleton.host_calls->launch *= 1.3;
  Probes probes = tests::probes_of(skeleton, disturbed(truth, 99));
  const std::vector<MakespanTrial> trials{{"few", independent_graph(300, spin_task(1us)), named_design("cuda-streams")}};
  const Machine refined = tests::found_by(probes, refine(probes, skeleton, launches(), trials));
  EXPECT_EQ(refined.host_calls->launch, skeleton.host_calls->launch);
}

TEST(CoreHopsCalibration, FindsHopsBarriersAndTheirSpread) {
  Machine truth = scenarios::load_machine("nvidia-h200");
  truth.resident_cores->counter_hop = Nanoseconds{330};
  truth.resident_cores->counter_hop_spread = Nanoseconds{60};
  truth.resident_cores->flag_gain = Nanoseconds{50};
  truth.resident_cores->message_gain = Nanoseconds{300};
  truth.resident_cores->hand_off = Nanoseconds{70};
  truth.resident_cores->release = Nanoseconds{380};
  truth.barriers->leave = Nanoseconds{1200};
  truth.barriers->arrive = Nanoseconds{3};
  const Machine skeleton =
      tests::without(truth, {"resident_cores.counter_hop_ns", "resident_cores.counter_hop_spread_ns", "resident_cores.flag_gain_ns",
                             "resident_cores.message_gain_ns", "resident_cores.hand_off_ns", "resident_cores.release_ns",
                             "barriers.leave_ns", "barriers.arrive_ns", "resident_cores.start_ns"});
  Probes probes = tests::probes_of(skeleton, tests::simulated(truth));
  const CoreSteps steps = calibrate_resident_cores(probes, *truth.memory);
  const Calibrated<mechanism::Barriers> barriers = calibrate_barriers(probes, *truth.memory, steps);
  tests::expect_found(
      tests::found_by(probes, steps), truth,
      {"resident_cores.counter_hop_ns", "resident_cores.hand_off_ns", "resident_cores.start_ns", "resident_cores.list_read_ns"}, 6);
  EXPECT_NEAR(steps.cores.counter_hop_spread.count(), 60, 6);
  EXPECT_NEAR(steps.cores.flag_gain.count(), 50, 6);
  EXPECT_NEAR(steps.cores.message_gain.count(), 300, 6);
  EXPECT_NEAR((barriers.leave + 132 * barriers.arrive).count(), 1200 + 132 * 3, 20);
}

}  // namespace
}  // namespace tasktwin::verify
