#include <gtest/gtest.h>

#include "models/base/random.hpp"
#include "tests/support/free_machine.hpp"
#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/fit/fit.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {
namespace {

using namespace std::chrono_literals;

TEST(TrimmedMean, LeavesOutTheOutermostTenths) {
  EXPECT_DOUBLE_EQ(trimmed_mean(std::vector<double>{5}), 5);
  EXPECT_DOUBLE_EQ(trimmed_mean(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 1e9}), 5.5);
  EXPECT_DOUBLE_EQ(trimmed_mean(std::vector<double>{-1e9, 2, 4, 6, 8, 10, 12, 14, 16, 1e9}), 9);
}

TEST(FitConstants, FindsTheConstantsBehindNoisySums) {
  Random random(1);
  std::vector<Observation> observations;
  for (int i = 0; i < 2000; ++i) {
    const auto items = static_cast<double>(random.between(0, 5));
    const auto edges = static_cast<double>(random.between(0, 9));
    observations.push_back({{1.0, items, edges}, 100 + 30 * items + 7 * edges + random.normal()});
  }
  const std::vector<Estimate> fitted = fit_constants(observations);
  ASSERT_EQ(fitted.size(), 3u);
  EXPECT_NEAR(fitted[0], 100, 0.5);
  EXPECT_NEAR(fitted[1], 30, 0.1);
  EXPECT_NEAR(fitted[2], 7, 0.1);
}

TEST(Fit, FindsUnknownsByTheirNamesBesideWhatIsKnown) {
  Fit<Line> line;
  for (const double at : {1.0, 2.0, 5.0}) line.observe_relative({.intercept = 1, .slope = at}, 40 + 100 + 7 * at, 40);
  const Line<Estimate> found = line.solve();
  EXPECT_NEAR(found.intercept, 100, 1e-9);
  EXPECT_NEAR(found.slope, 7, 1e-9);
  EXPECT_EQ(Fit<Line>().solve().slope, 0) << "nothing was observed";
}

TEST(FitConstants, SetsWhatWouldBeNegativeToZeroAndFitsTheRestAgain) {
  // y = 10 x exactly, but with an intercept of -5 left over.
  const std::vector<Estimate> fitted = fit_constants({{{1.0, 1.0}, 5}, {{1.0, 2.0}, 15}, {{1.0, 3.0}, 25}});
  EXPECT_EQ(fitted[0], 0);
  EXPECT_NEAR(fitted[1], (1 * 5 + 2 * 15 + 3 * 25) / 14.0, 1e-9);
}

TEST(TrimmedMean, HasAnIntervalThatCoversTheTruthInNineteenOfTwenty) {
  Random random(5);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values;
    for (int i = 0; i < 40; ++i) values.push_back(100 + 3 * random.normal());
    const Estimate estimate = trimmed_mean(values);
    ASSERT_TRUE(estimate.interval);
    covered += estimate.interval->low <= 100 && 100 <= estimate.interval->high ? 1 : 0;
  }
  EXPECT_NEAR(covered, 0.95 * kTrials, 0.02 * kTrials);
  EXPECT_FALSE(trimmed_mean(std::vector<double>{5}).interval) << "one value does not tell";
  EXPECT_EQ(*trimmed_mean(std::vector<double>{5, 5, 5}).interval, (Interval{5, 5}));
}

TEST(FitConstants, HaveIntervalsThatCoverTheTruthInNineteenOfTwenty) {
  Random random(6);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<Observation> observations;
    for (int i = 0; i < 12; ++i) {
      const auto items = static_cast<double>(i);
      observations.push_back({{1.0, items}, 100 + 30 * items + 5 * random.normal()});
    }
    const std::vector<Estimate> fitted = fit_constants(observations);
    ASSERT_TRUE(fitted[1].interval);
    covered += fitted[1].interval->low <= 30 && 30 <= fitted[1].interval->high ? 1 : 0;
  }
  EXPECT_NEAR(covered, 0.95 * kTrials, 0.02 * kTrials);
  const std::vector<Estimate> exact = fit_constants({{{1.0, 1.0}, 5}, {{1.0, 2.0}, 7}});
  EXPECT_FALSE(exact[0].interval) << "as many constants as observations";
  EXPECT_FALSE(fit_constants({{{1.0, 1.0}, 5}, {{1.0, 2.0}, 15}, {{1.0, 3.0}, 25}})[0].interval) << "set to 0";
}

TEST(Calibration, KeepsIntervalsThatAMachineFileCanHold) {
  Calibrated<mechanism::DeviceControl> loop(&Machine::device_control);
  loop.set(&mechanism::ControlLoop::poll, Estimate{10, Interval{-2, 22}}, "measured");
  loop.set(&mechanism::ControlLoop::claim, Estimate{-10, Interval{-12, -8}}, "measured");
  EXPECT_EQ(loop.claim, Nanoseconds{0});
  Machine machine = free_machine();
  machine.measured.date = "2026-01-02";
  machine.device_control->complete = Nanoseconds{7};
  loop.into(machine);
  EXPECT_EQ(machine.device_control->poll, Nanoseconds{10});
  EXPECT_EQ(machine.device_control->complete, Nanoseconds{7}) << "was not found";
  EXPECT_EQ(machine.provenance.at("device_control.poll_ns").interval, (Interval{0, 22}));
  EXPECT_EQ(machine.provenance.at("device_control.poll_ns").date, "2026-01-02");
  EXPECT_FALSE(machine.provenance.at("device_control.claim_ns").interval) << "it is none of 0";
}

TEST(Groups, CountOnceEachAndLeaveOutTheRare) {
  Groups<Slope> groups;
  groups[{.slope = 1}] = std::vector<double>(1000, 3.0);
  groups[{.slope = 2}] = std::vector<double>(10, 5.0);
  groups[{.slope = 3}] = std::vector<double>(9, 7.0);
  const std::vector<Groups<Slope>::Mean> means = groups.means();
  ASSERT_EQ(means.size(), 2u);
  EXPECT_EQ(means[0].value, 3.0);
  EXPECT_EQ(means[1].value, 5.0);
}

TEST(MicroGraphs, ChainStarsAndStencilHaveTheEdgesTheirNamesSay) {
  const TaskGraph chain = chain_graph(5, 1us);
  EXPECT_EQ(chain.edge_count(), 4u);
  const TaskGraph stars = stars_graph(3, 4, 1us);
  EXPECT_EQ(stars.size(), 15u);
  EXPECT_EQ(stars.edge_count(), 3u * 4 + 2);
  const TaskGraph stencil = stencil_graph(3, 4, 1us);
  EXPECT_EQ(stencil.edge_count(), 2u * (3 * 4 - 2));
  EXPECT_EQ(stencil.in_degree(task_id(4 + 0)), 2u);
  EXPECT_EQ(stencil.in_degree(task_id(4 + 1)), 3u);
}

TEST(MicroGraphs, EveryWaveWaitsForTheWholeOneBefore) {
  const std::vector<Task> tasks(5, spin_task(1us));
  const TaskGraph graph = wave_graph(tasks, 2, {std::vector<Task>(3, spin_task(2us))}, {});
  // Waves of 3, 2, 3, 2, 3, 1, each behind a gate.
  EXPECT_EQ(graph.size(), 14u + 6);
  EXPECT_EQ(graph.edge_count(), 14u + 13);
  const TaskGraph plain = wave_graph(tasks, 2, {}, {});
  EXPECT_EQ(plain.size(), 5u + 3);
  EXPECT_EQ(plain.edge_count(), 5u + 4);
}

}  // namespace
}  // namespace tasktwin::verify
