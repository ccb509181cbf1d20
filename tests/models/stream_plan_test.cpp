#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_graphs::graph_of;
using testing_graphs::random_graph;

Design streams(int count, StreamGranularity granularity = StreamGranularity::kPerCore) {
  Design design = named_design("cuda-streams");
  design.streams = count;
  design.stream_granularity = granularity;
  return design;
}

/// A chain whose tasks have these kernels and layers.
TaskGraph chain_of(const std::vector<std::pair<Kernel, std::int32_t>>& tasks) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    builder.add_task("t" + std::to_string(i), {.layer = tasks[i].second, .kernel = tasks[i].first});
    if (i > 0) builder.add_edge(task_id(i - 1), task_id(i));
  }
  return std::move(builder).build();
}

TEST(StreamPlan, WaitsForTheLatestPredecessorOfEachOtherStreamOnly) {
  // Two streams: t0, t2, t4 in stream 0 and t1, t3, t5 in stream 1. t5 needs t0, t2 and t4 (stream 0) and t1 (its own).
  const std::vector<StreamLaunch> plan = plan_streams(graph_of({1, 1, 1, 1, 1, 1}, {{0, 5}, {2, 5}, {4, 5}, {1, 5}, {1, 3}}), streams(2));
  ASSERT_EQ(plan.size(), 6U);
  EXPECT_EQ(plan[5].task, task_id(5));
  EXPECT_EQ(plan[5].stream, 1U);
  EXPECT_THAT(plan[5].awaited, ElementsAre(task_id(4)));
  EXPECT_THAT(plan[3].awaited, IsEmpty());
  for (std::size_t i = 0; i < plan.size(); ++i) EXPECT_EQ(plan[i].records_event, i == 4) << i;
}

TEST(StreamPlan, InOneStreamNobodyWaits) {
  for (const StreamLaunch& launch : plan_streams(random_graph({.tasks = 12}, 1), streams(1))) {
    EXPECT_THAT(launch.awaited, IsEmpty());
    EXPECT_FALSE(launch.records_event);
  }
}

TEST(StreamPlan, PerTaskTypeGivesEachKernelAStreamInTheOrderOfItsFirstLaunch) {
  using enum Kernel;
  const TaskGraph graph = chain_of({{kGemm, 0}, {kSpin, 0}, {kGemm, 0}, {kFma, 0}, {kSpin, 0}});
  const Design design = streams(2, StreamGranularity::kPerTaskType);  // `streams` does not matter
  EXPECT_THAT(assign_streams(graph, design), ElementsAre(0, 1, 0, 2, 1));
  EXPECT_EQ(stream_count(graph, design), 3U);
  EXPECT_EQ(stream_count(chain_of({}), design), 1U);
}

TEST(StreamPlan, PerLayerCountsTheStreamsRound) {
  using enum Kernel;
  const TaskGraph graph = chain_of({{kSpin, 0}, {kSpin, 2}, {kSpin, 3}, {kSpin, 7}, {kSpin, -1}});
  EXPECT_THAT(assign_streams(graph, streams(3, StreamGranularity::kPerLayer)), ElementsAre(0, 2, 0, 1, 2));
}

TEST(StreamPlan, SingleHasOneStreamWithoutEvents) {
  const TaskGraph graph = random_graph({.tasks = 12}, 1);
  const Design design = streams(8, StreamGranularity::kSingle);
  EXPECT_EQ(stream_count(graph, design), 1U);
  for (const StreamLaunch& launch : plan_streams(graph, design)) {
    EXPECT_EQ(launch.stream, 0U);
    EXPECT_THAT(launch.awaited, IsEmpty());
    EXPECT_FALSE(launch.records_event);
  }
}

TEST(StreamPlan, AwaitsOnlyWhereStreamsDifferWhateverTheGranularity) {
  using enum Kernel;
  // t0 and t2 are gemms, t1 is a spin: t1 awaits t0, t2 awaits t1, and t3, a gemm too, needs nobody's event.
  const auto plan = plan_streams(chain_of({{kGemm, 0}, {kSpin, 0}, {kGemm, 0}, {kGemm, 0}}), streams(2, StreamGranularity::kPerTaskType));
  EXPECT_THAT(plan[1].awaited, ElementsAre(task_id(0)));
  EXPECT_THAT(plan[2].awaited, ElementsAre(task_id(1)));
  EXPECT_THAT(plan[3].awaited, IsEmpty());
}

TEST(StreamPlan, OrdersEveryEdgeWithTheFewestWaits) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 14, .edge_probability = 0.25}, seed);
    const std::size_t count = 1 + seed % 5;
    const std::vector<StreamLaunch> plan = plan_streams(graph, streams(static_cast<int>(count)));
    ASSERT_EQ(plan.size(), graph.size());
    std::vector<std::size_t> position(graph.size());
    for (std::size_t i = 0; i < plan.size(); ++i) position[index(plan[i].task)] = i;

    std::set<TaskId> awaited_by_some;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      ASSERT_EQ(plan[i].task, graph.topological_order()[i]);
      ASSERT_EQ(plan[i].stream, i % count);
      // Oracle: one stream after the other, the last of its predecessors before this launch.
      std::set<TaskId> expected;
      for (std::size_t stream = 0; stream < count; ++stream) {
        for (std::size_t before = i; before-- > 0 && stream != plan[i].stream;) {
          if (before % count != stream || std::ranges::count(graph.predecessors(plan[i].task), plan[before].task) == 0) continue;
          expected.insert(plan[before].task);
          break;
        }
      }
      ASSERT_EQ(std::set<TaskId>(plan[i].awaited.begin(), plan[i].awaited.end()), expected) << "seed " << seed;
      ASSERT_EQ(plan[i].awaited.size(), expected.size());
      awaited_by_some.merge(expected);
    }
    for (const StreamLaunch& launch : plan) ASSERT_EQ(launch.records_event, awaited_by_some.contains(launch.task)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tasktwin
