#include "models/graph/task_graph.hpp"

#include <malloc.h>

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/models/graphs.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_graphs::graph_of;
using testing_graphs::random_graph;

std::vector<TaskId> listed(auto range) { return {range.begin(), range.end()}; }

std::string cycle_message(TaskGraphBuilder&& builder) {
  try {
    std::move(builder).build();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(built)";
}

TaskGraphBuilder ring(std::size_t tasks) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i) builder.add_task("r" + std::to_string(i), {});
  for (std::size_t i = 0; i < tasks; ++i) builder.add_edge(task_id(i), task_id((i + 1) % tasks));
  return builder;
}

TEST(TaskGraph, KeepsTasksNamesAndBothDirectionsOfEdges) {
  TaskGraphBuilder builder;
  const TaskId last = builder.add_task("last", {.priority = 4, .kernel = Kernel::kFma});
  const TaskId first = builder.add_task("", {.cost = {.bytes = {12}}});
  const TaskId middle = builder.add_task("mitte é", {.args = {1, 2, 3, 4}});
  builder.add_edge(middle, last);
  builder.add_edge(first, last);
  builder.add_edge(first, middle);
  const TaskGraph graph = std::move(builder).build();

  EXPECT_EQ(graph.size(), 3U);
  EXPECT_EQ(graph.edge_count(), 3U);
  EXPECT_EQ(graph.name(last), "last");
  EXPECT_EQ(graph.name(first), "");
  EXPECT_EQ(graph.name(middle), "mitte é");
  EXPECT_EQ(graph[last].priority, 4);
  EXPECT_EQ(graph[last].kernel, Kernel::kFma);
  EXPECT_EQ(graph[first].cost.bytes, Bytes{12});
  EXPECT_EQ(graph[middle].args[3], 4);
  EXPECT_THAT(listed(graph.successors(first)), ElementsAre(last, middle));
  EXPECT_THAT(listed(graph.successors(last)), IsEmpty());
  EXPECT_THAT(listed(graph.predecessors(last)), ElementsAre(first, middle));
  EXPECT_EQ(graph.in_degree(last), 2U);
  EXPECT_EQ(graph.out_degree(first), 2U);
  EXPECT_THAT(graph.topological_order(), ElementsAre(first, middle, last));
}

TEST(TaskGraph, MayBeEmpty) {
  const TaskGraph graph = TaskGraphBuilder{}.build();
  EXPECT_EQ(graph.size(), 0U);
  EXPECT_EQ(graph.edge_count(), 0U);
  EXPECT_THAT(graph.topological_order(), IsEmpty());
}

TEST(TaskGraph, CountsARepeatedEdgeOnce) {
  const TaskGraph graph = graph_of({1, 1}, {{0, 1}, {0, 1}, {0, 1}});
  EXPECT_EQ(graph.edge_count(), 1U);
  EXPECT_EQ(graph.in_degree(task_id(1)), 1U);
}

TEST(TaskGraph, KeepsItsProblem) {
  TaskGraphBuilder builder;
  builder.set_problem(CholeskyProblem{3, 64});
  EXPECT_EQ(std::get<CholeskyProblem>(std::move(builder).build().problem()), (CholeskyProblem{3, 64}));
}

TEST(TaskGraph, PredecessorsMirrorSuccessors) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 12}, seed);
    std::set<std::pair<TaskId, TaskId>> forward;
    std::set<std::pair<TaskId, TaskId>> backward;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      for (const TaskId to : graph.successors(task_id(i))) forward.emplace(task_id(i), to);
      for (const TaskId from : graph.predecessors(task_id(i))) backward.emplace(from, task_id(i));
    }
    ASSERT_EQ(forward, backward);
    ASSERT_EQ(forward.size(), graph.edge_count());
  }
}

/// Oracle: again and again the lowest id whose predecessors are all listed.
std::vector<TaskId> slow_order(const TaskGraph& graph) {
  std::vector<TaskId> order;
  const auto is_listed = [&order](TaskId task) { return std::ranges::find(order, task) != order.end(); };
  while (order.size() < graph.size()) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (is_listed(task_id(i)) || !std::ranges::all_of(graph.predecessors(task_id(i)), is_listed)) continue;
      order.push_back(task_id(i));
      break;
    }
  }
  return order;
}

TEST(TopologicalOrder, TakesTheLowestReadyIdFirst) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const TaskGraph graph = random_graph({.tasks = 15, .edge_probability = 0.15}, seed);
    ASSERT_EQ(graph.topological_order(), slow_order(graph)) << "seed " << seed;
  }
}

TEST(Cycle, IsPrintedAsAPathOfNames) {
  TaskGraphBuilder builder;
  const TaskId lead_in = builder.add_task("lead-in", {});
  const TaskId a = builder.add_task("a", {});
  const TaskId b = builder.add_task("b", {});
  const TaskId c = builder.add_task("c", {});
  builder.add_edge(lead_in, a);
  builder.add_edge(a, b);
  builder.add_edge(b, c);
  builder.add_edge(c, a);
  EXPECT_EQ(cycle_message(std::move(builder)), "the tasks wait for each other in a cycle: a -> b -> c -> a");
}

TEST(Cycle, MayBeATaskThatWaitsForItself) { EXPECT_EQ(cycle_message(ring(1)), "the tasks wait for each other in a cycle: r0 -> r0"); }

TEST(Cycle, IsFoundBehindManyTasksWithoutOne) {
  TaskGraphBuilder builder = ring(2);
  for (std::size_t i = 0; i < 1000; ++i) builder.add_edge(builder.add_task("x" + std::to_string(i), {}), task_id(i % 2));
  EXPECT_EQ(cycle_message(std::move(builder)), "the tasks wait for each other in a cycle: r0 -> r1 -> r0");
}

TEST(Cycle, IsShortenedWhereItIsLong) {
  const std::string message = cycle_message(ring(100));
  EXPECT_THAT(message, testing::HasSubstr("r0 -> r1 -> r2 -> "));
  EXPECT_THAT(message, testing::EndsWith("r19 -> … (80 more) -> r0"));
}

TEST(Cycle, OfManyTasksOverflowsNoStack) { EXPECT_THAT(cycle_message(ring(300'000)), testing::EndsWith("(299980 more) -> r0")); }

TEST(TaskGraph, HoldsAMillionTasksInUnder100BytesATaskAnd8AnEdge) {
  constexpr std::size_t kTasks = 1'000'000;
  const auto build = [] {
    TaskGraphBuilder builder;
    Random random(3);
    for (std::size_t i = 0; i < kTasks; ++i) {
      const TaskId task = builder.add_task("t" + std::to_string(i), {});
      for (int edge = 0; edge < 3 && i > 0; ++edge) builder.add_edge(task_id(random.next() % i), task);
    }
    return std::move(builder).build();
  };
  const auto heap = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = heap();
  const TaskGraph graph = build();
  const std::size_t held = heap() - before;

  ASSERT_EQ(graph.size(), kTasks);
  ASSERT_GT(graph.edge_count(), 2'900'000U);
  const std::size_t allowed = 100 * graph.size() + 8 * graph.edge_count();
  EXPECT_LT(graph.memory_bytes(), allowed);
  EXPECT_LT(held, allowed) << "as malloc counts it";
#ifndef __SANITIZE_ADDRESS__
  EXPECT_NEAR(static_cast<double>(held), static_cast<double>(graph.memory_bytes()), 0.01 * static_cast<double>(held));
#endif
}

}  // namespace
}  // namespace tasktwin
