// What stands for a design under which runs differ.
#include "verify/predict/prediction.hpp"
#include "models/runtimes/runtimes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::verify {
namespace {

/// The makespans of the runs that median predictions are taken from, in order.
std::vector<Duration> makespans(const scenarios::Scenario& scenario, const Design& design) {
  std::vector<Duration> all;
  for (std::uint64_t run = 0; run < kChanceRuns; ++run) {
    const sim::SimulationOptions options{.seed = scenario.seed, .run = run};
    all.push_back(sim::simulate(scenario.graph, scenario.machine, design, options).timeline.makespan());
  }
  std::ranges::sort(all);
  return all;
}

TEST(MedianPrediction, IsTheRunOfTheMedianMakespanWhereChanceHasAPart) {
  const scenarios::Scenario scenario = scenarios::load_scenario("suite/tree-10us");
  const Design& design = named_design("work-stealing");
  const std::vector<Duration> all = makespans(scenario, design);
  ASSERT_LT(all.front(), all.back());
  EXPECT_EQ(predict_median(scenario, design).timeline.makespan(), all[kChanceRuns / 2]);
  EXPECT_EQ(predict_median_with_bodies(scenario, design, {}), all[kChanceRuns / 2]);
}

TEST(MedianPrediction, IsTheOnlyRunElsewhere) {
  const scenarios::Scenario scenario = scenarios::load_scenario("suite/tree-10us");
  const Design& design = named_design("layer-barrier");
  EXPECT_EQ(predict_median(scenario, design).timeline, predict(scenario, design, scenario.seed).timeline);
}

}  // namespace
}  // namespace tasktwin::verify
