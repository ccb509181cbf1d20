#include "models/body_cost.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tasktwin {
namespace {

Machine machine_with_fma(std::vector<KernelCost::Point> arithmetic) {
  Machine machine;
  KernelCost& fma = machine.kernels[static_cast<std::size_t>(Kernel::kFma)];
  fma.overhead = Nanoseconds{7};
  fma.arithmetic = std::move(arithmetic);
  machine.constants.core_bandwidth = 4;
  machine.constants.memory_bandwidth = 100;
  return machine;
}

Duration fma_time(const Machine& machine, std::int64_t flops) {
  return body_cost(machine, {.cost = {.flops = {flops}}, .kernel = Kernel::kFma}, task_id(0), 1).fixed;
}

TEST(RoundNs, TakesHalvesAwayFromZero) {
  EXPECT_EQ(round_ns(Nanoseconds{1.4999}), Duration{1});
  EXPECT_EQ(round_ns(Nanoseconds{1.5}), Duration{2});
  EXPECT_EQ(round_ns(Nanoseconds{2.5}), Duration{3});
  EXPECT_EQ(round_ns(Nanoseconds{-0.5}), Duration{-1});
}

TEST(BodyCost, OfASpinIsItsTimeAndTheKernelsOverhead) {
  Machine machine;
  machine.kernels[static_cast<std::size_t>(Kernel::kSpin)].overhead = Nanoseconds{12.6};
  const BodyCost cost = body_cost(machine, {.cost = {.time = Duration{1000}}}, task_id(0), 1);
  EXPECT_EQ(cost.fixed, Duration{1000});
  EXPECT_EQ(cost.overhead, Duration{13});
  EXPECT_EQ(cost.alone(machine), Duration{1013});
}

TEST(BodyCost, ArithmeticIsLinearBetweenPointsFromZeroAndBeyondTheLast) {
  const Machine machine = machine_with_fma({{100, 50}, {300, 90}, {500, 190}});
  EXPECT_EQ(fma_time(machine, 0), Duration{0});
  EXPECT_EQ(fma_time(machine, 20), Duration{10});
  EXPECT_EQ(fma_time(machine, 100), Duration{50});
  EXPECT_EQ(fma_time(machine, 200), Duration{70});
  EXPECT_EQ(fma_time(machine, 300), Duration{90});
  EXPECT_EQ(fma_time(machine, 301), Duration{91});  // 90.5
  EXPECT_EQ(fma_time(machine, 500), Duration{190});
  EXPECT_EQ(fma_time(machine, 900), Duration{390});
}

TEST(BodyCost, WithOnePointExtendsItsSlope) { EXPECT_EQ(fma_time(machine_with_fma({{100, 50}}), 1000), Duration{500}); }

TEST(BodyCost, WithoutPointsArithmeticIsFree) { EXPECT_EQ(fma_time(machine_with_fma({}), 1000), Duration{0}); }

TEST(BodyCost, BytesRunBesideTheRestAtTheCoresOwnBandwidth) {
  const Machine machine = machine_with_fma({{1, 1}});
  Task task{.cost = {.flops = {100}, .bytes = {396}}, .kernel = Kernel::kFma};
  EXPECT_EQ(body_cost(machine, task, task_id(0), 1).alone(machine), Duration{107});  // 99 of bytes < 100 of arithmetic
  task.cost.bytes = {404};
  EXPECT_EQ(body_cost(machine, task, task_id(0), 1).alone(machine), Duration{108});  // 101 of bytes
}

TEST(BodyCost, OneCoreDrawsNoMoreThanTheWholeMemoryGives) {
  Machine machine = machine_with_fma({});
  machine.constants.memory_bandwidth = 2;
  const Task task{.cost = {.bytes = {100}}, .kernel = Kernel::kFma};
  EXPECT_EQ(body_cost(machine, task, task_id(0), 1).alone(machine), Duration{57});
}

TEST(BodyCost, DrawsDependOnSeedAndTaskAlone) {
  const Machine machine;
  const Task task{.cost = {.time = Duration{10'000}, .sigma_ns = 1000}};
  const auto draw = [&](std::size_t id, std::uint64_t seed) { return body_cost(machine, task, task_id(id), seed).fixed; };
  EXPECT_EQ(draw(3, 1), draw(3, 1));
  EXPECT_NE(draw(3, 1), draw(4, 1));
  EXPECT_NE(draw(3, 1), draw(3, 2));
}

TEST(BodyCost, DrawsHaveTheMeanAndTheDeviationAskedFor) {
  const Machine machine;
  const Task task{.cost = {.time = Duration{10'000}, .sigma_ns = 1000}};
  constexpr int kDraws = 20'000;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const auto drawn = static_cast<double>(body_cost(machine, task, task_id(i), 9).fixed.count() - 10'000);
    sum += drawn;
    squares += drawn * drawn;
  }
  EXPECT_NEAR(sum / kDraws, 0, 35);  // 5 standard errors
  EXPECT_NEAR(std::sqrt(squares / kDraws), 1000, 25);
}

TEST(BodyCost, DrawsAreCutOffAtZero) {
  const Machine machine;
  const Task task{.cost = {.time = Duration{10}, .sigma_ns = 1000}};
  int zeros = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const Duration drawn = body_cost(machine, task, task_id(i), 9).fixed;
    ASSERT_GE(drawn, Duration{0});
    zeros += drawn == Duration{0} ? 1 : 0;
  }
  EXPECT_NEAR(zeros, 500, 80);
}

TEST(ExpectedDurations, AreThoseOfTheMeans) {
  TaskGraphBuilder builder;
  builder.add_task("varies", {.cost = {.time = Duration{100}, .sigma_ns = 90}});
  builder.add_task("works", {.cost = {.flops = {200}}, .kernel = Kernel::kFma});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_THAT(expected_durations(graph, machine_with_fma({{100, 50}})), testing::ElementsAre(Duration{100}, Duration{107}));
}

}  // namespace
}  // namespace tasktwin
