// Tasks with predicates, on a GPU: under every executor, and as conditional nodes of each type.
#include <gtest/gtest.h>

#include <cmath>

#include "models/run/outcome.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"
#include "tests/gpu/wide_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;

constexpr Duration kBody = 20us;

/// Steps of tasks of which each runs its body every other time, if `wide` some of several blocks, after up to three of the step before.
TaskGraph chances(int steps, bool wide) {
  TaskGraphBuilder builder;
  Random random(21);
  constexpr int kWidth = 12;
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < kWidth; ++i) {
      Task task;
      task.cost.time = kBody;
      task.traits = builder.add_traits({.blocks = wide && i % 4 == 0 ? 3 : 1, .probability = i % 3 == 0 ? 1 : 0.5});
      const TaskId id = builder.add_task("s" + std::to_string(step) + "." + std::to_string(i), task);
      for (int before = 0; before < 3 && step > 0; ++before)
        builder.add_edge(task_id(static_cast<std::size_t>((step - 1) * kWidth + random.between(0, kWidth - 1))), id);
    }
  }
  return std::move(builder).build();
}

/// The bodies that ran are those whose predicates hold.
void expect_outcome(const TaskGraph& graph, const Timeline& timeline, std::uint64_t seed, const std::string& what) {
  const std::vector<bool> holds = draw_outcome(graph, seed).holds;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Duration took = timeline.tasks[i].ended - timeline.tasks[i].started;
    EXPECT_EQ(took > kBody / 2, holds[i]) << what << ", " << graph.name(task_id(i)) << " took " << took.count() << " ns";
  }
}

class Predicates : public OnTheGpu {
 protected:
  void expect_right(const TaskGraph& graph, const Design& design, std::uint64_t seed, const std::string& what) const {
    if (const auto why = why_unsupported(graph, machine_, design)) {
      ADD_FAILURE() << what << ": " << *why;
      return;
    }
    const Measurement measured = run(graph, machine_, design, {.repeats = 1, .seed = seed});
    EXPECT_EQ(measured.ordering_violations, 0) << what;
    EXPECT_EQ(stamp_fault(graph, measured.timeline, false), "") << what;
    expect_outcome(graph, measured.timeline, seed, what);
  }
};

TEST_F(Predicates, DecideUnderEveryExecutorWhichBodiesRun) {
  const TaskGraph graph = chances(8, false);
  for (const std::string& name : kExecutors) {
    for (const std::uint64_t seed : {1, 2})
      expect_right(graph, quickly_placed(design_for(name)), seed, name + ", seed " + std::to_string(seed));
  }
}

class ConditionalNodes : public Predicates, public testing::WithParamInterface<GraphPredicates> {
 protected:
  Design design(int replays = 1) const {
    Design design = named_design("cuda-graph");
    design.graph_predicates = GetParam();
    design.replays = replays;
    return design;
  }
};

TEST_P(ConditionalNodes, RunTheBodiesWhosePredicatesHoldInOrderInEveryReplay) {
  const TaskGraph graph = chances(10, false);
  for (const int replays : {1, 3}) {
    for (const std::uint64_t seed : {1, 2})
      expect_right(graph, design(replays), seed, std::to_string(replays) + " replays, seed " + std::to_string(seed));
  }
}

TEST_P(ConditionalNodes, RunAllBlocksOfATaskOrNone) {
  const TaskGraph graph = chances(6, true);
  expect_right(graph, design(), 1, "wide");
  const Timeline timeline = run(graph, machine_, design(), {.repeats = 1}).timeline;
  const std::vector<bool> holds = draw_outcome(graph, 1).holds;
  const bool conditional = GetParam() != GraphPredicates::kKernel;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const int blocks = graph.traits(task_id(i)).blocks;
    if (blocks > 1) {
      EXPECT_EQ(cohort_of(timeline, task_id(i)).blocks, conditional && !holds[i] ? 0 : static_cast<std::size_t>(blocks)) << i;
    }
  }
}

TEST_P(ConditionalNodes, ThatDoNotWaitAreSeenWhetherTheirBodiesRunOrNot) {
  for (const double probability : {0.0, std::nextafter(1.0, 0.0)}) {
    TaskGraphBuilder builder;
    builder.add_task("long", {.cost = {.time = 2ms}});
    builder.add_task("hasty", {.cost = {.time = 1us}, .traits = builder.add_traits({.probability = probability})});
    builder.add_edge(TaskId{0}, TaskId{1});
    RunOptions options{.repeats = 1, .stamps = false};
    options.ignored_edges = {{TaskId{0}, TaskId{1}}};
    EXPECT_EQ(run(std::move(builder).build(), machine_, design(2), options).ordering_violations, 2) << probability;
  }
}

TEST_P(ConditionalNodes, AtTheEndOfAGraphCountForItsMakespan) {
  TaskGraphBuilder builder;
  builder.add_task("first", {.cost = {.time = 50us}});
  builder.add_task("last", {.cost = {.time = 50us}, .traits = builder.add_traits({.probability = 0})});
  builder.add_edge(TaskId{0}, TaskId{1});
  const Measurement measured = run(std::move(builder).build(), machine_, design(), {.repeats = 1});
  EXPECT_EQ(measured.stamped_makespans.front(), measured.timeline.tasks[1].ended.time_since_epoch());
  EXPECT_GT(measured.makespans.front(), 50us);
  EXPECT_LT(measured.makespans.front(), 90us);
}

INSTANTIATE_TEST_SUITE_P(Types, ConditionalNodes,
                         testing::Values(GraphPredicates::kKernel, GraphPredicates::kIf, GraphPredicates::kWhile, GraphPredicates::kSwitch),
                         [](const auto& test) { return std::string(to_word(test.param)); });

}  // namespace
}  // namespace tasktwin::gpu
