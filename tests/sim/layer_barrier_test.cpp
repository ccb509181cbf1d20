#include <gtest/gtest.h>

#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

Timeline run(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed = 1) {
  return simulate(graph, machine, design, {.seed = seed}).timeline;
}

Design layers(int depth = 1) { return with_depth("layer-barrier", depth); }

/// a and b, on a core each, then c, which waits for a alone.
TaskGraph two_layers(std::int64_t a, std::int64_t b) { return small_graph({{"a", a}, {"b", b}, {"c", 10}}, {{0, 2}}); }

TEST(LayerBarrier, NextLayerOpensWhenTheLastTaskOfTheLayerIsPublishedWhoeverWaitsForIt) {
  const Machine machine = plain_machine(2);
  EXPECT_EQ(to_ns(run(two_layers(20, 29), machine, layers()).tasks[2].started), 29);
  EXPECT_EQ(to_ns(run(two_layers(20, 30), machine, layers()).tasks[2].started), 30);
  EXPECT_EQ(to_ns(run(two_layers(20, 30), machine, layers()).tasks[2].ready), 30);
}

TEST(LayerBarrier, TakesItsTimeAndSomeForEachCoreThatArrivesThenTheEntryIsRead) {
  Machine machine = plain_machine(2);
  machine.barriers->leave = Nanoseconds{7}, machine.barriers->arrive = Nanoseconds{1.25}, machine.memory->read_latency = Nanoseconds{3};
  machine.resident_cores->release = Nanoseconds{1000};  // nobody is told
  const Timeline timeline = run(two_layers(30, 30), machine, layers());
  EXPECT_EQ(to_ns(timeline.tasks[1].published), 3 + 30);
  EXPECT_EQ(to_ns(timeline.tasks[2].ready), 33 + 10);  // 7 + 2 · 1.25 = 9.5
  EXPECT_EQ(to_ns(timeline.tasks[2].dispatched), 43);
  EXPECT_EQ(to_ns(timeline.tasks[2].received), 46);
}

TEST(LayerBarrier, WhoArrivesByItselfWaitsForNobodysArrivalToBeCounted) {
  Machine machine = plain_machine(2);
  machine.barriers->arrive = Nanoseconds{4};
  EXPECT_EQ(to_ns(run(two_layers(30, 30), machine, layers()).tasks[2].ready), 30 + 8);
  EXPECT_EQ(to_ns(run(two_layers(27, 30), machine, layers()).tasks[2].ready), 31 + 4) << "while the other's was";
  EXPECT_EQ(to_ns(run(two_layers(20, 30), machine, layers()).tasks[2].ready), 30 + 4);
  // A core that has two tasks arrives behind the second.
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 20}, {"c", 10}, {"d", 5}}, {{0, 3}, {1, 3}, {2, 3}});
  Machine lonely = plain_machine(1);
  lonely.barriers->arrive = Nanoseconds{4};
  EXPECT_EQ(to_ns(run(graph, lonely, layers()).tasks[3].ready), 40 + 4);
}

TEST(LayerBarrier, TasksOfOneLayerFollowEachOtherWithoutABarrier) {
  Machine machine = plain_machine(1);
  machine.barriers->leave = Nanoseconds{100};
  const Timeline timeline = run(small_graph({{"a", 10}, {"b", 10}}), machine, layers());
  EXPECT_EQ(to_ns(timeline.tasks[1].started), 10);
}

TEST(LayerBarrier, LayersAreTheStatedOnesWhereEveryEdgeLeadsToAHigherOne) {
  const auto start_of_b = [](std::int32_t layer_of_b) {
    TaskGraphBuilder builder;
    const auto add = [&builder](const char* name, std::int64_t time, std::int32_t layer) {
      return builder.add_task(name, {.cost = {.time = Duration{time}}, .layer = layer});
    };
    const TaskId a = add("a", 10, -3);
    add("b", 50, layer_of_b);
    builder.add_edge(a, add("c", 10, 4));
    return run(std::move(builder).build(), plain_machine(2), layers()).tasks[1].started;
  };
  EXPECT_EQ(to_ns(start_of_b(-3)), 0);
  EXPECT_EQ(to_ns(start_of_b(-2)), 10);  // a layer of its own, between the others
  EXPECT_EQ(to_ns(start_of_b(4)), 10);
}

TEST(LayerBarrier, LayersAreTheLongestPathsWhereAnEdgeStaysInOne) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task("a", {.cost = {.time = Duration{10}}, .layer = 0});
  builder.add_task("b", {.cost = {.time = Duration{50}}, .layer = 1});
  builder.add_edge(a, builder.add_task("c", {.cost = {.time = Duration{10}}, .layer = 0}));
  const Timeline timeline = run(std::move(builder).build(), plain_machine(2), layers());
  EXPECT_EQ(to_ns(timeline.tasks[1].started), 0);   // no path leads to b
  EXPECT_EQ(to_ns(timeline.tasks[2].started), 50);  // c waits for its layer
}

TEST(LayerBarrier, EveryCoreNoticesLateByADrawOfItsOwn) {
  Design design = layers();
  design.backoff_ns = 20;
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}, {"c", 10}, {"d", 10}}, {{0, 2}, {0, 3}, {1, 2}, {1, 3}});
  int differ = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Timeline timeline = run(graph, plain_machine(2), design, seed);
    EXPECT_EQ(to_ns(timeline.tasks[0].started), 0);
    for (const std::size_t late : {2u, 3u}) {
      EXPECT_GE(to_ns(timeline.tasks[late].started), 10);
      EXPECT_LE(to_ns(timeline.tasks[late].started), 30);
    }
    differ += timeline.tasks[2].started != timeline.tasks[3].started ? 1 : 0;
  }
  EXPECT_GT(differ, 25);
}

}  // namespace
}  // namespace tasktwin::sim
