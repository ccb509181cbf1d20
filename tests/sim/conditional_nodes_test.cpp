// Conditional nodes of a CUDA graph, against times worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using Times = std::pair<std::int64_t, std::int64_t>;

/// Practically always.
const double kHolds = std::nextafter(1.0, 0.0);

Machine conditional_machine() {
  Machine machine = plain_machine(8);
  machine.graph_launch->gap = Nanoseconds{20};
  machine.conditional_nodes->enter = Nanoseconds{37};
  machine.conditional_nodes->skip = Nanoseconds{47};
  machine.conditional_nodes->leave = Nanoseconds{50};
  machine.conditional_nodes->again = Nanoseconds{5};
  return machine;
}

Design design_of(GraphPredicates predicates, int replays = 1) {
  Design design = named_design("cuda-graph");
  design.graph_predicates = predicates;
  design.replays = replays;
  return design;
}

/// `count` tasks of 100 ns, each but those of `plain` with a predicate that holds with `probability`.
TaskGraph predicated(std::uint32_t count, const std::vector<std::uint32_t>& plain, const Edges& edges, double probability) {
  TaskGraphBuilder builder;
  const std::uint32_t chance = builder.add_traits({.probability = probability});
  for (std::uint32_t i = 0; i < count; ++i) {
    Task task;
    task.cost.time = Duration{100};
    if (std::ranges::find(plain, i) == plain.end()) task.traits = chance;
    builder.add_task("t" + std::to_string(i), task);
  }
  for (const auto& [from, to] : edges) builder.add_edge(TaskId{from}, TaskId{to});
  return std::move(builder).build();
}

/// Of each task: started and ended.
std::vector<Times> times(const TaskGraph& graph, const Machine& machine, const Design& design) {
  std::vector<Times> result;
  for (const TaskTimes& task : simulate(graph, machine, design).timeline.tasks) result.emplace_back(to_ns(task.started), to_ns(task.ended));
  return result;
}

/// A task between two plain ones.
TaskGraph between(double probability) { return predicated(3, {0, 2}, {{0, 1}, {1, 2}}, probability); }

TEST(ConditionalNodes, RunTheBodyBehindTheKernelThatDecides) {
  const Machine machine = conditional_machine();
  const auto held = ElementsAre(Times{0, 100}, Times{157, 257}, Times{327, 427});
  EXPECT_THAT(times(between(kHolds), machine, design_of(GraphPredicates::kIf)), held);
  EXPECT_THAT(times(between(kHolds), machine, design_of(GraphPredicates::kSwitch)), held);
  EXPECT_THAT(times(between(kHolds), machine, design_of(GraphPredicates::kWhile)),
              ElementsAre(Times{0, 100}, Times{157, 257}, Times{332, 432}));
}

TEST(ConditionalNodes, LeaveTheBodyOutWhereThePredicateDoesNotHold) {
  const Machine machine = conditional_machine();
  for (const GraphPredicates type : {GraphPredicates::kIf, GraphPredicates::kWhile, GraphPredicates::kSwitch})
    EXPECT_THAT(times(between(0), machine, design_of(type)), ElementsAre(Times{0, 100}, Times{120, 120}, Times{187, 287}));
}

TEST(ConditionalNodes, AreNoneWhereThePredicateIsTheKernelsOwn) {
  EXPECT_THAT(times(between(0), conditional_machine(), design_of(GraphPredicates::kKernel)),
              ElementsAre(Times{0, 100}, Times{120, 120}, Times{140, 240}));
  EXPECT_THAT(times(between(kHolds), conditional_machine(), design_of(GraphPredicates::kKernel)),
              ElementsAre(Times{0, 100}, Times{120, 220}, Times{240, 340}));
}

TEST(ConditionalNodes, SideBySideAreLookedAtAndReturnFromOneAfterTheOther) {
  Machine machine = conditional_machine();
  machine.conditional_nodes->service = Nanoseconds{10};
  const Edges edges{{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}};
  EXPECT_THAT(times(predicated(5, {0, 4}, edges, kHolds), machine, design_of(GraphPredicates::kIf)),
              ElementsAre(Times{0, 100}, Times{157, 257}, Times{167, 267}, Times{177, 277}, Times{347, 447}));
  EXPECT_THAT(times(predicated(5, {0, 4}, edges, 0), machine, design_of(GraphPredicates::kIf)),
              ElementsAre(Times{0, 100}, Times{120, 120}, Times{120, 120}, Times{120, 120}, Times{207, 307}));
}

TEST(ConditionalNodes, AReplayBeginsWhenAllOfThemHaveEnded) {
  const Machine machine = conditional_machine();
  const TaskGraph graph = predicated(3, {0, 2}, {{0, 1}, {0, 2}}, kHolds);  // the body ends at 257, its node at 307
  const std::vector<Times> once = times(graph, machine, design_of(GraphPredicates::kIf));
  const std::vector<Times> twice = times(graph, machine, design_of(GraphPredicates::kIf, 2));
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(twice[i].first, once[i].first + 307) << i;
}

TEST(ConditionalNodes, WideTasksThatAreLeftOutHaveNoBlocks) {
  TaskGraphBuilder builder;
  Task task;
  task.cost.time = Duration{100};
  task.traits = builder.add_traits({.blocks = 3, .probability = 0});
  builder.add_task("wide", task);
  const Timeline timeline = simulate(std::move(builder).build(), conditional_machine(), design_of(GraphPredicates::kIf)).timeline;
  EXPECT_TRUE(timeline.blocks.empty());
  EXPECT_EQ(timeline.makespan(), Duration{0});
}

TEST(ConditionalNodes, AreLookedAtInRoundsAsLongAsBranchesAreToCome) {
  Machine machine = conditional_machine();
  machine.conditional_nodes->poll = Nanoseconds{100};
  // Two one after the other, and behind them three: two of these open branches, and a round takes three times 100 ns.
  const TaskGraph graph = predicated(5, {}, {{0, 1}, {1, 2}, {1, 3}, {1, 4}}, 0);
  EXPECT_THAT(times(graph, machine, design_of(GraphPredicates::kIf)),
              ElementsAre(Times{0, 0}, Times{320, 320}, Times{920, 920}, Times{920, 920}, Times{920, 920}));
}

}  // namespace
}  // namespace tasktwin::sim
