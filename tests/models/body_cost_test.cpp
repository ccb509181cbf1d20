#include "models/cost/body_cost.hpp"
#include "models/cost/body_spread.hpp"
#include "tests/support/free_machine.hpp"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tasktwin {
namespace {

Machine machine_with_fma(std::vector<KernelCost::Point> arithmetic) {
  Machine machine = free_machine();
  KernelCost& fma = machine.kernels[static_cast<std::size_t>(Kernel::kFma)];
  fma.overhead = Nanoseconds{7};
  fma.arithmetic = std::move(arithmetic);
  machine.memory->core_bandwidth = 4;
  machine.memory->bandwidth = 100;
  return machine;
}

/// `count` times `task`.
TaskGraph graph_of(const Task& task, std::size_t count = 1) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < count; ++i) builder.add_task("t" + std::to_string(i), task);
  return std::move(builder).build();
}

BodyCost cost_of(const Machine& machine, const Task& task) { return body_cost(machine, graph_of(task), task_id(0), task.core_type, 1); }

Duration fma_time(const Machine& machine, std::int64_t flops) {
  return cost_of(machine, {.cost = {.flops = {flops}}, .kernel = Kernel::kFma}).fixed;
}

TEST(RoundNs, TakesHalvesAwayFromZero) {
  EXPECT_EQ(round_ns(Nanoseconds{1.4999}), Duration{1});
  EXPECT_EQ(round_ns(Nanoseconds{1.5}), Duration{2});
  EXPECT_EQ(round_ns(Nanoseconds{2.5}), Duration{3});
  EXPECT_EQ(round_ns(Nanoseconds{-0.5}), Duration{-1});
}

TEST(BodyCost, OfASpinIsItsTimeAndTheKernelsOverhead) {
  Machine machine = free_machine();
  machine.kernels[static_cast<std::size_t>(Kernel::kSpin)].overhead = Nanoseconds{12.6};
  const BodyCost cost = cost_of(machine, {.cost = {.time = Duration{1000}}});
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
  EXPECT_EQ(cost_of(machine, task).alone(machine), Duration{107});  // 99 of bytes < 100 of arithmetic
  task.cost.bytes = {404};
  EXPECT_EQ(cost_of(machine, task).alone(machine), Duration{108});  // 101 of bytes
}

TEST(BodyCost, RowsOfItsMatricesAddToDrawingTheirBytes) {
  Machine machine = free_machine();
  machine.memory->core_bandwidth = 10;
  machine.memory->bandwidth = 1000;
  for (const Kernel kernel : {Kernel::kDown, Kernel::kGateUp, Kernel::kStream}) {
    KernelCost& cost = machine.kernels[static_cast<std::size_t>(kernel)];
    cost.overhead = Nanoseconds{7};
    cost.row = Nanoseconds{5};
  }
  const auto alone = [&machine](Kernel kernel) {
    return cost_of(machine, {.cost = {.bytes = {4000}}, .args = {0, 0, 40, 0}, .kernel = kernel}).alone(machine);
  };
  EXPECT_EQ(alone(Kernel::kDown), Duration{607}) << "400 for the bytes and 200 for 40 rows";
  EXPECT_EQ(alone(Kernel::kGateUp), Duration{807}) << "a row of either matrix";
  EXPECT_EQ(alone(Kernel::kStream), Duration{407}) << "it has no rows";
  machine.kernels[static_cast<std::size_t>(Kernel::kDown)].bandwidth = 20;
  EXPECT_EQ(alone(Kernel::kDown), Duration{407});
}

TEST(BodyCost, OneCoreDrawsNoMoreThanTheWholeMemoryGives) {
  Machine machine = machine_with_fma({});
  machine.memory->bandwidth = 2;
  const Task task{.cost = {.bytes = {100}}, .kernel = Kernel::kFma};
  EXPECT_EQ(cost_of(machine, task).alone(machine), Duration{57});
}

TEST(BodyCost, DrawsDependOnSeedAndTaskAlone) {
  const Machine machine = free_machine();
  const TaskGraph graph = graph_of({.cost = {.time = Duration{10'000}, .sigma_ns = 1000}}, 5);
  const auto draw = [&](std::size_t id, std::uint64_t seed) { return body_cost(machine, graph, task_id(id), CoreType::kSm, seed).fixed; };
  EXPECT_EQ(draw(3, 1), draw(3, 1));
  EXPECT_NE(draw(3, 1), draw(4, 1));
  EXPECT_NE(draw(3, 1), draw(3, 2));
}

TEST(BodyCost, DrawsHaveTheMeanAndTheDeviationAskedFor) {
  const Machine machine = free_machine();
  constexpr int kDraws = 20'000;
  const TaskGraph graph = graph_of({.cost = {.time = Duration{10'000}, .sigma_ns = 1000}}, kDraws);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const auto drawn = static_cast<double>(body_cost(machine, graph, task_id(i), CoreType::kSm, 9).fixed.count() - 10'000);
    sum += drawn;
    squares += drawn * drawn;
  }
  EXPECT_NEAR(sum / kDraws, 0, 35);  // 5 standard errors
  EXPECT_NEAR(std::sqrt(squares / kDraws), 1000, 25);
}

TEST(BodyCost, DrawsAreCutOffAtZero) {
  const Machine machine = free_machine();
  const TaskGraph graph = graph_of({.cost = {.time = Duration{10}, .sigma_ns = 1000}}, 1000);
  int zeros = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const Duration drawn = body_cost(machine, graph, task_id(i), CoreType::kSm, 9).fixed;
    ASSERT_GE(drawn, Duration{0});
    zeros += drawn == Duration{0} ? 1 : 0;
  }
  EXPECT_NEAR(zeros, 500, 80);
}

TEST(BodyCost, TaskWithSamplesTakesOneOfThemEachAboutAsOften) {
  TaskGraphBuilder builder;
  const std::uint32_t traits = builder.add_traits({.samples = {Duration{10}, Duration{20}, Duration{90}}});
  constexpr int kDraws = 3000;
  for (int i = 0; i < kDraws; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{7}}, .traits = traits});
  const TaskGraph graph = std::move(builder).build();
  std::map<Duration, int> counts;
  for (std::size_t i = 0; i < graph.size(); ++i) ++counts[body_cost(Machine{}, graph, task_id(i), CoreType::kSm, 3).fixed];
  ASSERT_THAT(counts, testing::ElementsAre(testing::Key(Duration{10}), testing::Key(Duration{20}), testing::Key(Duration{90})));
  for (const auto& [time, count] : counts) EXPECT_NEAR(count, kDraws / 3, 130) << time.count();  // 5 standard deviations
  EXPECT_EQ(expected_cost(Machine{}, graph, task_id(0), CoreType::kSm).fixed, Duration{40});
}

TEST(BodyCost, OnItsOtherCoreTypeATaskTakesItsOtherTimeInPlaceOfTimeAndFlops) {
  Machine machine = machine_with_fma({{100, 50}});
  TaskGraphBuilder builder;
  Task task{.cost = {.time = Duration{30}, .flops = {100}, .bytes = {8}}, .kernel = Kernel::kFma, .core_type = CoreType::kAic};
  task.traits = builder.add_traits({.other_type = CoreType::kAiv, .other_time = Duration{200}});
  builder.add_task("either", task);
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(body_cost(machine, graph, task_id(0), CoreType::kAic, 1).fixed, Duration{80});
  EXPECT_EQ(body_cost(machine, graph, task_id(0), CoreType::kAiv, 1).fixed, Duration{200});
  EXPECT_EQ(body_cost(machine, graph, task_id(0), CoreType::kAiv, 1).bytes, Bytes{8});
}

TEST(BodyCost, WidthIsTheBlocksAndOfAMixTheCoresOfACluster) {
  Machine machine = free_machine();
  machine.compute_cores = {{.type = CoreType::kAic, .count = 4, .per_cluster = 1}, {.type = CoreType::kAiv, .count = 8, .per_cluster = 2}};
  TaskGraphBuilder builder;
  builder.add_task("plain", {.core_type = CoreType::kAic});
  builder.add_task("wide", {.core_type = CoreType::kAic, .traits = builder.add_traits({.blocks = 3})});
  builder.add_task("mix", {.core_type = CoreType::kMix});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(width(graph, machine, task_id(0)), 1);
  EXPECT_EQ(width(graph, machine, task_id(1)), 3);
  EXPECT_EQ(width(graph, machine, task_id(2)), 3);
}

TEST(ExpectedDurations, AreThoseOfTheMeans) {
  TaskGraphBuilder builder;
  builder.add_task("varies", {.cost = {.time = Duration{100}, .sigma_ns = 90}});
  builder.add_task("works", {.cost = {.flops = {200}}, .kernel = Kernel::kFma});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_THAT(expected_durations(graph, machine_with_fma({{100, 50}})), testing::ElementsAre(Duration{100}, Duration{107}));
}

/// A row of `columns` BF16 weights each.
Task rows_task(Kernel kernel, int rows, int columns) {
  const int matrices = kernel == Kernel::kGateUp ? 2 : 1;
  return {.cost = {.bytes = {std::int64_t{2} * rows * columns * matrices}}, .args = {0, 0, rows, 0}, .kernel = kernel};
}

TEST(ReadingSteps, CountRoundsOfEightWarpsTimesPiecesOfARow) {
  const Problem none;
  EXPECT_EQ(reading_steps(rows_task(Kernel::kQkv, 16, 2048), none), 2);
  EXPECT_EQ(reading_steps(rows_task(Kernel::kQkv, 17, 2048), none), 3);
  EXPECT_EQ(reading_steps(rows_task(Kernel::kQkv, 16, 512), none), 2);
  EXPECT_EQ(reading_steps(rows_task(Kernel::kQkv, 16, 2056), none), 4);
  EXPECT_EQ(reading_steps(rows_task(Kernel::kGateUp, 9, 2048), none), 4) << "a warp takes a row of each matrix";
  EXPECT_EQ(reading_steps({.kernel = Kernel::kRmsNorm}, none), 0);
  EXPECT_EQ(reading_steps({.kernel = Kernel::kRmsNorm}, DecodeProblem{.hidden = 2560, .heads = 20, .kv_heads = 4}), 3);
}

TEST(BodyCost, AStepOfAWarpTakesAsLongHoweverLittleOfARowIsLeft) {
  Machine machine = free_machine();
  machine.memory->core_bandwidth = 100;
  machine.memory->bandwidth = 1e6;
  KernelCost& qkv = machine.kernels[static_cast<std::size_t>(Kernel::kQkv)];
  qkv.bandwidth = 64;
  const auto alone = [&](int rows, int columns) { return cost_of(machine, rows_task(Kernel::kQkv, rows, columns)).alone(machine).count(); };
  EXPECT_EQ(alone(16, 1024), 512);
  qkv.step = Nanoseconds{400};
  EXPECT_EQ(alone(16, 1024), 512 + 2 * 400);
  EXPECT_EQ(alone(17, 1024), 544 + 3 * 400);
  EXPECT_EQ(alone(16, 3072), 1536 + 4 * 400);
}

/// One attention or merge of a model with that many query heads to a KV head.
Duration passes_take(const Machine& machine, Kernel kernel, int heads, int head_dim, std::int64_t flops) {
  TaskGraphBuilder builder;
  builder.set_problem(
      DecodeProblem{.layers = 1, .hidden = heads * head_dim, .heads = heads, .kv_heads = 1, .mlp = 8, .kv_length = 8, .slices = 1});
  builder.add_task("t", {.cost = {.flops = {flops * heads * head_dim}}, .kernel = kernel});
  const TaskGraph graph = std::move(builder).build();
  return body_cost(machine, graph, task_id(0), CoreType::kSm, 1).alone(machine);
}

TEST(BodyCost, FurtherHeadsThanAPassTakesCostAnother) {
  Machine machine = free_machine();
  for (const Kernel kernel : {Kernel::kAttention, Kernel::kAttentionMerge}) {
    KernelCost& cost = machine.kernels[static_cast<std::size_t>(kernel)];
    cost.overhead = Nanoseconds{1000};
    cost.arithmetic = {{1e6, 1e4}};
  }
  EXPECT_EQ(passes_take(machine, Kernel::kAttention, 5, 64, 100), Duration{1000 + 320}) << "no pass is stated";
  machine.kernels[static_cast<std::size_t>(Kernel::kAttention)].pass = 4;
  machine.kernels[static_cast<std::size_t>(Kernel::kAttentionMerge)].pass = 256;
  EXPECT_EQ(passes_take(machine, Kernel::kAttention, 4, 64, 100), Duration{1000 + 256});
  EXPECT_EQ(passes_take(machine, Kernel::kAttention, 2, 64, 100), Duration{1000 + 256}) << "as long as with four";
  EXPECT_EQ(passes_take(machine, Kernel::kAttention, 5, 64, 100), Duration{2 * (1000 + 256)});
  EXPECT_EQ(passes_take(machine, Kernel::kAttentionMerge, 2, 64, 100), Duration{1000 + 256});
  EXPECT_EQ(passes_take(machine, Kernel::kAttentionMerge, 4, 128, 100), Duration{2 * (1000 + 256)});
}

TEST(BodySpread, IsZeroInTheMeanAndDrawnOfSeedTaskAndBlock) {
  const KernelCost kernel{.spread = Nanoseconds{100}, .varies = 0.1};
  const BodyCost cost{.overhead = Duration{1000}, .fixed = Duration{5000}, .bytes = {10'000}};
  constexpr std::uint32_t kDraws = 20'000;
  double sum = 0;
  double squares = 0;
  for (std::uint32_t block = 0; block < kDraws; ++block) {
    const BodyCost drawn = drawn_body(kernel, cost, 1, 0, block);
    const auto later = static_cast<double>((drawn.overhead - cost.overhead).count());
    EXPECT_NEAR(static_cast<double>((drawn.fixed - cost.fixed).count()), 5 * later, 5) << "one draw for all of it";
    EXPECT_NEAR(static_cast<double>(drawn.bytes.count - cost.bytes.count), 10 * later, 10);
    sum += later;
    squares += later * later;
  }
  EXPECT_NEAR(sum / kDraws, 0, 2);
  EXPECT_NEAR(std::sqrt(squares / kDraws), 99, 2);
  const auto drawn = [&](std::uint64_t seed, std::size_t task, std::uint32_t block) {
    return drawn_body(kernel, cost, seed, task, block).overhead;
  };
  EXPECT_EQ(drawn(1, 2, 3), drawn(1, 2, 3));
  EXPECT_NE(drawn(1, 2, 3), drawn(2, 2, 3));
  EXPECT_NE(drawn(1, 2, 3), drawn(1, 3, 3));
  EXPECT_NE(drawn(1, 2, 3), drawn(1, 2, 4));
  EXPECT_EQ(drawn_body({}, cost, 1, 2, 3).overhead, Duration{1000});
}

}  // namespace
}  // namespace tasktwin
