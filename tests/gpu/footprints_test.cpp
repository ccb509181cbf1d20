// Blocks as tasks state them, under every executor that launches kernels, on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

struct Grid {
  Duration time{};
  TaskTraits traits;
  Kernel kernel = Kernel::kSpin;
  std::int64_t flops = 0;
  std::int64_t bytes = 0;
};

/// That do not depend on each other, a stream each.
TaskGraph grids(const std::vector<Grid>& all) {
  TaskGraphBuilder builder;
  for (const Grid& grid : all) {
    Task task{.cost = {.time = grid.time, .flops = {grid.flops}, .bytes = {grid.bytes}}, .kernel = grid.kernel};
    TaskTraits traits = grid.traits;
    traits.stream = static_cast<int>(builder.size());
    task.traits = builder.add_traits(traits);
    builder.add_task("grid" + std::to_string(builder.size()), task);
  }
  return std::move(builder).build();
}

Design hinted() {
  Design design = named_design("cuda-streams");
  design.stream_granularity = StreamGranularity::kHinted;
  return design;
}

class Footprints : public OnTheGpu {
 protected:
  Timeline timeline(const TaskGraph& graph, const Design& design) const {
    const Measurement measured = run(graph, machine_, design, {.repeats = 3});
    EXPECT_EQ(measured.ordering_violations, 0);
    EXPECT_EQ(stamp_fault(graph, measured.timeline, false), "");
    return measured.timeline;
  }

  /// Whether the second starts while the first is at work.
  bool come_together(const TaskTraits& first, const TaskTraits& second, const Design& design) const {
    const TaskGraph graph = grids({{2ms, first}, {20us, second}});
    const Timeline seen = timeline(graph, design);
    return seen.tasks[1].ended < seen.tasks[0].ended;
  }
};

TEST_F(Footprints, OfAnySizeRunEveryKernelInOrder) {
  for (const char* name : {"cuda-streams", "cuda-graph", "dynamic-parallelism"}) {
    SCOPED_TRACE(name);
    Random random(5);
    TaskGraphBuilder builder;
    for (std::size_t i = 0; i < 120; ++i) {
      Task task;
      task.kernel = std::array{Kernel::kSpin, Kernel::kFma, Kernel::kStream, Kernel::kEmpty}[i % 4];
      if (task.kernel == Kernel::kSpin) task.cost.time = 3us;
      if (task.kernel == Kernel::kFma) task.cost.flops = {50'000};
      if (task.kernel == Kernel::kStream) task.cost.bytes = {70'000};
      task.traits = builder.add_traits(
          {.threads = static_cast<int>(random.between(1, 1024)), .shared_memory = random.between(0, 1) * random.between(0, 200'000)});
      builder.add_task("t" + std::to_string(i), task);
      for (std::size_t before = i < 10 ? i : i - 10; before < i && i % 3 != 0; before += 4) builder.add_edge(task_id(before), task_id(i));
    }
    timeline(std::move(builder).build(), named_design(name));
  }
}

TEST_F(Footprints, ThatAreAllAlikeRunInGraphsThatTheDeviceLaunches) {
  TaskGraphBuilder builder;
  const std::uint32_t traits = builder.add_traits({.threads = 96, .shared_memory = 20'000});
  for (std::size_t i = 0; i < 300; ++i) {
    builder.add_task("t" + std::to_string(i), {.cost = {.time = 5us}, .traits = traits});
    if (i >= 50) builder.add_edge(task_id(i - 50), task_id(i));
  }
  timeline(std::move(builder).build(), named_design("device-graph-launch"));
}

TEST_F(Footprints, DecideHowManyBlocksStandOnAMultiprocessor) {
  const auto most = [&](const TaskTraits& traits) {
    const Timeline seen = timeline(grids({{100us, traits}}), named_design("cuda-graph"));
    std::map<CoreId, std::vector<BlockTimes>> by_core;
    for (const BlockTimes& block : seen.blocks) by_core[block.core].push_back(block);
    std::ptrdiff_t highest = 0;
    for (const auto& [core, blocks] : by_core) {
      for (const BlockTimes& one : blocks) {
        highest = std::max(highest, std::ranges::count_if(blocks, [&](const BlockTimes& other) {
                             return other.started <= one.started && other.ended > one.started;
                           }));
      }
    }
    return highest;
  };
  EXPECT_EQ(most({.blocks = 132 * 16, .threads = 256}), 8);
  EXPECT_EQ(most({.blocks = 132 * 16, .threads = 1024}), 2);
  EXPECT_EQ(most({.blocks = 132 * 4, .threads = 256, .shared_memory = 100 * 1024}), 2);
  EXPECT_EQ(most({.blocks = 132 * 4, .threads = 256, .shared_memory = 200 * 1024}), 1);
  EXPECT_EQ(most({.blocks = 132 * 2}), 1);
}

TEST_F(Footprints, WaitForACoreThatIsDividedOtherwise) {
  Design graph = named_design("cuda-graph");
  for (const Design& design : {hinted(), graph}) {
    SCOPED_TRACE(design.name);
    const int sms = machine_.core_count();
    const auto at = [sms](std::int64_t kib, int carveout = -1) {
      return TaskTraits{.blocks = sms, .threads = 256, .shared_memory = kib * 1024, .carveout = carveout};
    };
    EXPECT_TRUE(come_together(at(0), at(0), design));
    EXPECT_FALSE(come_together(at(0), at(32), design));
    EXPECT_FALSE(come_together(at(0), at(100), design));
    EXPECT_TRUE(come_together(at(0, 100), at(32), design));
    EXPECT_TRUE(come_together(at(0, 100), at(100), design));
    EXPECT_TRUE(come_together(at(64), at(8), design));
    EXPECT_FALSE(come_together(at(64), at(32), design));
    EXPECT_TRUE(come_together(at(64, 100), at(32), design));
    EXPECT_FALSE(come_together(at(64, 100), at(200, 100), design));
    EXPECT_TRUE(come_together(at(32, 50), at(32, 50), design));
    EXPECT_FALSE(come_together(at(8, 100), at(8, 50), design));
  }
}

TEST_F(Footprints, OfClustersStartTogether) {
  for (const Design& design : {hinted(), named_design("cuda-graph")}) {
    SCOPED_TRACE(design.name);
    for (const int size : {2, 8, 16}) {
      const Timeline seen =
          timeline(grids({{50us, {.blocks = 4 * size, .threads = 64, .shared_memory = 200 * 1024, .cluster = size}}}), design);
      ASSERT_EQ(seen.blocks.size(), static_cast<std::size_t>(4 * size));
      for (int cluster = 0; cluster < 4; ++cluster) {
        const auto blocks = std::span(seen.blocks).subspan(static_cast<std::size_t>(cluster * size), static_cast<std::size_t>(size));
        const auto [first, last] = std::ranges::minmax(blocks, {}, &BlockTimes::started);
        EXPECT_LE(last.started - first.started, 3us) << size;
      }
    }
  }
}

TEST_F(Footprints, OfACooperativeKernelStartTogether) {
  // The first leaves eight multiprocessors free; a kernel that is not cooperative begins on them.
  const int sms = machine_.core_count();
  for (const Design& design : {hinted(), named_design("cuda-graph")}) {
    SCOPED_TRACE(design.name);
    for (const bool cooperative : {false, true}) {
      const Timeline seen =
          timeline(grids({{200us, {.blocks = sms - 8}}, {20us, {.blocks = sms, .stream = 1, .cooperative = cooperative}}}), design);
      EXPECT_EQ(seen.tasks[1].started >= seen.tasks[0].ended - 3us, cooperative);
    }
  }
}

TEST_F(Footprints, OfFewWarpsComputeLonger) {
  const auto took = [&](int threads) {
    const Timeline seen =
        timeline(grids({{{}, {.blocks = 132, .threads = threads}, Kernel::kFma, 10'000'000}}), named_design("cuda-graph"));
    return static_cast<double>((seen.tasks[0].ended - seen.tasks[0].started).count());
  };
  const double whole = took(256);
  EXPECT_NEAR(took(32) / whole, 4.87, 0.3);
  EXPECT_NEAR(took(64) / whole, 2.44, 0.2);
  EXPECT_NEAR(took(1024) / whole, 1, 0.1);
}

TEST_F(Footprints, ThatStateOtherRegistersThanWereCompiledAreRefusedWithBoth) {
  for (const char* name : {"cuda-streams", "cuda-graph", "device-graph-launch", "dynamic-parallelism"}) {
    SCOPED_TRACE(name);
    try {
      run(grids({{1us, {.threads = 64, .registers = 200}}}), machine_, named_design(name), {.repeats = 1});
      FAIL();
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("task 'grid0' states 200 registers a thread"), HasSubstr("compiled for 32")));
    }
    run(grids({{1us, {.threads = 64, .registers = 32}}}), machine_, named_design(name), {.repeats = 1});
  }
}

}  // namespace
}  // namespace tasktwin::gpu
