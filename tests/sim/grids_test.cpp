// Kernels of several blocks: what their bodies take longer, when their end is seen, and how blocks differ.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

/// Two kernels of spinning blocks, the second after the first.
TaskGraph two_kernels(int blocks) {
  TaskGraphBuilder builder;
  Task task{.cost = {.time = Duration{1000}}};
  task.traits = builder.add_traits({.blocks = blocks});
  const TaskId first = builder.add_task("first", task);
  builder.add_edge(first, builder.add_task("second", task));
  return std::move(builder).build();
}

KernelCost& spin_of(Machine& machine) { return machine.kernels[static_cast<std::size_t>(Kernel::kSpin)]; }

std::vector<std::int64_t> times_of(const Machine& machine, int blocks, const char* design, std::uint64_t seed = 1) {
  const Timeline timeline = simulate(two_kernels(blocks), machine, named_design(design), {.seed = seed}).timeline;
  return {to_ns(timeline.tasks[0].ended - timeline.tasks[0].started), to_ns(timeline.tasks[1].started - timeline.tasks[0].ended)};
}

TEST(Grids, BodiesTakeLongerThanThoseOfASingleBlock) {
  const Machine plain = plain_machine(4);
  Machine machine = plain;
  spin_of(machine).grid = Nanoseconds{70};
  spin_of(machine).grid_end = Nanoseconds{30};
  for (const char* const design : {"cuda-graph", "cuda-streams"}) {
    const std::vector<std::int64_t> before = times_of(plain, 4, design);
    EXPECT_THAT(times_of(machine, 4, design), testing::ElementsAre(before[0] + 70, before[1]))
        << design << ", what it needs is in the cache";
    EXPECT_EQ(times_of(machine, 1, design), times_of(plain, 1, design)) << design;
  }
}

TEST(Grids, TheirEndIsSeenLaterInARunThatFindsTheCacheEmpty) {
  Machine machine = plain_machine(4);
  machine.memory_limits.cache = 1;
  const auto second_starts = [&machine](int blocks) {
    TaskGraphBuilder builder;
    Task task{.cost = {.time = Duration{1000}, .bytes = {2}}, .kernel = Kernel::kStream};
    task.traits = builder.add_traits({.blocks = blocks});
    const TaskId first = builder.add_task("first", task);
    builder.add_edge(first, builder.add_task("second", task));
    return to_ns(simulate(std::move(builder).build(), machine, named_design("cuda-graph")).timeline.tasks[1].started);
  };
  const std::int64_t of_four = second_starts(4);
  const std::int64_t of_one = second_starts(1);
  machine.kernels[static_cast<std::size_t>(Kernel::kStream)].grid_end = Nanoseconds{30};
  EXPECT_EQ(second_starts(4), of_four + 30);
  EXPECT_EQ(second_starts(1), of_one);
}

TEST(Grids, LastAsLongAsTheirLongestBlockOfThoseDrawn) {
  Machine machine = plain_machine(64);
  spin_of(machine).varies = 0.05;
  const Timeline timeline = simulate(two_kernels(64), machine, named_design("cuda-graph")).timeline;
  std::set<std::int64_t> bodies;
  for (const BlockTimes& block : timeline.blocks) {
    if (index(block.task) == 0) bodies.insert(to_ns(block.ended - block.started));
  }
  EXPECT_GT(bodies.size(), 30U) << "blocks differ";
  EXPECT_EQ(to_ns(timeline.tasks[0].ended - timeline.tasks[0].started), *bodies.rbegin());
  EXPECT_NEAR(static_cast<double>(*bodies.rbegin()), 1120, 30) << "of 64 draws";
  EXPECT_NEAR(static_cast<double>(*bodies.begin()), 880, 30);
  EXPECT_EQ(times_of(machine, 64, "cuda-graph", 3), times_of(machine, 64, "cuda-graph", 3));
  EXPECT_NE(times_of(machine, 64, "cuda-graph", 3), times_of(machine, 64, "cuda-graph", 4));
}

}  // namespace
}  // namespace tasktwin::sim
