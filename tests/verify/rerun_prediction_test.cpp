#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/cost/rerun.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "tests/verify/support/captured_text.hpp"
#include "verify/rerun/predicted_schedules.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(RerunPrediction, IsOfEachScheduleFromAHostThatDoesNothingElse) {
  CapturedText capture;
  for (int i = 0; i < 2; ++i) capture.kernel("f(float*)", 7, {4096}, 50).kernel("g(float*)", 8, {8192}, 50);
  const scenarios::Scenario scenario = capture.sync().scenario();
  const auto predicted = predicted_schedules(
      {.scenario = scenario, .host = scenarios::load_machine("nvidia-h200"), .schedules = "as-captured,chain,graph,streams:1,cut:3"});
  ASSERT_THAT(predicted, SizeIs(5));
  const auto us = [&](std::size_t i) { return to_ns(predicted[i].host) / 1000; };
  // Two streams, side by side: 100 us; one behind the other 200. The host launches and waits besides.
  EXPECT_GT(us(0), 100);
  EXPECT_LT(us(0), 150);
  EXPECT_GT(us(1), 200);
  EXPECT_LT(us(1), 240);
  EXPECT_GT(us(2), 100);
  EXPECT_LT(us(2), 150);
  EXPECT_GT(us(3), 200);
  EXPECT_THAT(predicted[4].why_not, HasSubstr("wrong order"));
}

TEST(RerunPrediction, IsOfEachOperationToo) {
  CapturedText capture;
  for (int i = 0; i < 2; ++i) capture.kernel("f(float*)", 7, {4096}, 50).kernel("g(float*)", 8, {8192}, 50);
  const scenarios::Scenario scenario = capture.sync().scenario();
  const auto predicted = predicted_schedules(
      {.scenario = scenario, .host = scenarios::load_machine("nvidia-h200"), .schedules = "chain,graph", .times = true});
  const auto& chain = predicted[1].operations_us;
  const auto& graph = predicted[2].operations_us;
  ASSERT_THAT(chain, SizeIs(4));
  ASSERT_THAT(graph, SizeIs(4));
  EXPECT_EQ(chain[0].first, 0);
  EXPECT_NEAR(chain[0].second, 50, 2);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GE(chain[i].first, chain[i - 1].second);
  EXPECT_LT(graph[1].first, graph[0].second);
}

/// A kernel more in a chain, of one block, takes what a profiler saw, less what that has around it, and the gap of kernels that are not
/// this project's.
TEST(RerunPrediction, TakesNothingOfThisProjectsKernels) {
  const Machine host = scenarios::load_machine("nvidia-h200");
  const auto chain = [&host](int kernels) {
    CapturedText capture;
    for (int i = 0; i < kernels; ++i) capture.kernel("f(float*)", 7, {4096}, 50);
    const scenarios::Scenario scenario = capture.sync().scenario();
    return to_ns(predicted_schedules({.scenario = scenario, .host = host, .schedules = "chain"}).back().host);
  };
  const double gap = host.graph_launch->gap.count() - host.launched_kernels->around.count();
  EXPECT_NEAR(static_cast<double>(chain(11) - chain(10)), 50'000 - static_cast<double>(kAroundOneBlock.count()) + gap, 2);
}

}  // namespace
}  // namespace tasktwin::verify
