// Kernels that take the place of captured ones: they take up as much room, for as long.
#include "models/cost/rerun.hpp"

#include <gtest/gtest.h>

#include "models/cost/occupancy.hpp"

namespace tasktwin {
namespace {

/// Four cores such as an H100's.
Machine machine() {
  Machine machine;
  machine.compute_cores = {{CoreType::kSm, 4}};
  machine.core_limits = {.blocks = 32, .threads = 2048, .registers = 65536, .shared_memory = 233472, .reserved = 1024};
  return machine;
}

TaskGraph one_kernel(std::int64_t time_ns) {
  TaskGraphBuilder builder;
  builder.add_task("gemm", {.cost = {.time = Duration{time_ns}}, .traits = builder.add_traits({.blocks = 4, .stream = 3})});
  return std::move(builder).build();
}

TaskGraph rerun_of(std::int64_t time_ns, const CapturedLaunch& launch) {
  return rerun_graph(one_kernel(time_ns), std::span(&launch, 1), machine());
}

TEST(Rerun, IsLaunchedAsCaptured) {
  const TaskGraph graph = rerun_of(50'900, {6, 128, 32, 4096});
  const TaskTraits& traits = graph.traits(task_id(0));
  EXPECT_EQ(traits.blocks, 6);
  EXPECT_EQ(traits.threads, 128);
  EXPECT_EQ(traits.stream, 3);
  EXPECT_EQ(graph[task_id(0)].kernel, Kernel::kSpin);
  EXPECT_EQ(graph.name(task_id(0)), "gemm");
  EXPECT_EQ(graph[task_id(0)].cost.time, Duration{50'900} - kAroundBlocks);
}

TEST(Rerun, BlocksOfSeveralWavesShareTheTime) {
  // Four cores hold eight blocks each: 64 blocks come in two waves, 65 in three.
  EXPECT_EQ(rerun_of(60'900, {64, 256, 16, 0})[task_id(0)].cost.time, (Duration{60'900} - kAroundBlocks) / 2);
  EXPECT_EQ(rerun_of(60'900, {65, 256, 16, 0})[task_id(0)].cost.time, (Duration{60'900} - kAroundBlocks) / 3);
}

TEST(Rerun, RegistersBecomeAsLargeAShareOfSharedMemory) {
  const CoreLimits limits = machine().core_limits;
  for (const int registers : {64, 96, 128, 255}) {
    const CapturedLaunch launch{1000, 256, registers, 2048};
    const TaskGraph graph = rerun_of(10'000, launch);
    const TaskTraits& traits = graph.traits(task_id(0));
    EXPECT_EQ(traits.registers, 0);
    EXPECT_EQ(blocks_a_core(block_room(256, 0, traits.shared_memory, limits), limits),
              blocks_a_core(block_room(256, registers, 2048, limits), limits))
        << registers;
  }
}

TEST(Rerun, OfOneBlockAProfilerTakesMoreAroundIt) {
  EXPECT_EQ(rerun_of(50'900, {1, 128, 32, 4096})[task_id(0)].cost.time, Duration{50'900} - kAroundOneBlock);
}

TEST(Rerun, WhatIsAroundBlocksIsTheMeanOfKernels) {
  TaskGraphBuilder builder;
  for (const int blocks : {1, 4, 4, 4})
    builder.add_task("k" + std::to_string(builder.size()), {.kernel = Kernel::kSpin, .traits = builder.add_traits({.blocks = blocks})});
  builder.add_task("copied", {.operation = Operation::kCopyH2d});
  EXPECT_EQ(mean_around_blocks(std::move(builder).build()), (3 * kAroundBlocks + kAroundOneBlock) / 4);
  EXPECT_EQ(mean_around_blocks(TaskGraphBuilder().build()), kAroundBlocks);
}

TEST(Rerun, ShorterThanALaunchTakesNoTime) { EXPECT_EQ(rerun_of(500, {1, 32, 16, 0})[task_id(0)].cost.time, Duration{0}); }

TEST(Rerun, TasksWithoutALaunchStayAsTheyAre) {
  const TaskGraph graph = rerun_of(500, {});
  EXPECT_EQ(graph[task_id(0)].cost.time, Duration{500});
  EXPECT_EQ(graph.traits(task_id(0)).blocks, 4);
}

}  // namespace
}  // namespace tasktwin
