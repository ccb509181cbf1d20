// Designs that differ within a graph: which tasks are listed, which wait beside the lists, and layers behind barriers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/cost/body_cost.hpp"
#include "models/design/design_parts.hpp"
#include "tests/sim/worker_queue_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Layered {
  std::string name;
  std::int64_t time_ns = 0;
  std::int32_t layer = 0;
  std::string kind = "dense";
};

TaskGraph layered(const std::vector<Layered>& tasks, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges = {}) {
  TaskGraphBuilder builder;
  for (const Layered& task : tasks) {
    builder.add_task(task.name,
                     {.cost = {.time = Duration{task.time_ns}}, .layer = task.layer, .traits = builder.add_traits({.kind = task.kind})});
  }
  for (const auto& [from, to] : edges) builder.add_edge(TaskId{from}, TaskId{to});
  return std::move(builder).build();
}

/// Lists dealt out in turn, of all tasks but those of parts.
Design with_parts(std::vector<DesignPart> parts) {
  Design design = hybrid(100);
  design.name = "mixed";
  design.parts = std::move(parts);
  return design;
}

TEST(MixedDesigns, KindsInTheSharedQueueGoToWhoeverIsFree) {
  // Dealt in turn, worker 0 has a (100) and c; with kind 'expert' beside the lists, worker 1 takes c and e behind b.
  const TaskGraph graph = layered({{"a", 100}, {"b", 10}, {"c", 30, 0, "expert"}, {"d", 10}, {"e", 30, 0, "expert"}});
  const Machine machine = plain_machine(2);
  EXPECT_THAT(cores_of(run(graph, machine, with_parts({}))), ElementsAre(0, 1, 0, 1, 0));
  const Timeline mixed = run(graph, machine, with_parts({{.kinds = {"expert"}, .ready_queue = ReadyQueue::kShared}}));
  EXPECT_THAT(cores_of(mixed), ElementsAre(0, 1, 1, 1, 1));
  EXPECT_EQ(mixed.makespan(), Duration{100});
  EXPECT_EQ(run(graph, machine, with_parts({})).makespan(), Duration{160});
}

TEST(MixedDesigns, TheFirstPartThatNamesATaskCounts) {
  const TaskGraph graph = layered({{"a", 10, 0, "x"}, {"b", 10, 1, "x"}, {"c", 10, 2, "y"}});
  const Design design = with_parts({{.kinds = {"x"}, .layers = {{1, 1}}, .ready_queue = ReadyQueue::kShared},
                                    {.kinds = {"x"}, .ready_queue = ReadyQueue::kPerWorker},
                                    {.layers = {{2, 9}}, .placement = Placement::kAnyIdle}});
  EXPECT_THAT(task_seats(graph, design), ElementsAre(TaskSeat::kList, TaskSeat::kShared, TaskSeat::kOwnQueue));
}

TEST(MixedDesigns, TasksThatNoPartSeatsFollowStaticPercent) {
  const TaskGraph graph = layered({{"a", 10}, {"b", 10, 0, "x"}, {"c", 10}, {"d", 10}, {"e", 10}});
  Design design = with_parts({{.kinds = {"x"}, .ready_queue = ReadyQueue::kPerWorker}});
  design.static_percent = 50;  // two of a, c, d, e
  EXPECT_THAT(task_seats(graph, design),
              ElementsAre(TaskSeat::kList, TaskSeat::kList, TaskSeat::kList, TaskSeat::kShared, TaskSeat::kShared));
}

TEST(MixedDesigns, TasksInNoListStayWithWhoeverReleasesThem) {
  // a on worker 0 releases b and c: both stay there, unless somebody steals.
  const TaskGraph graph = layered({{"a", 10, 0, "x"}, {"b", 50, 1, "x"}, {"c", 50, 1, "x"}}, {{0, 1}, {0, 2}});
  Design design = with_parts({{.layers = {{1, 1}}, .placement = Placement::kAnyIdle}});
  EXPECT_THAT(cores_of(run(graph, plain_machine(2), design)), ElementsAre(0, 0, 0));
  design.stealing = Stealing::kOne;
  EXPECT_THAT(cores_of(run(graph, plain_machine(2), design)), ElementsAre(0, 0, 1));
}

TEST(MixedDesigns, ABarrierHoldsALayerUntilAllLowerOnesAreDone) {
  // d waits for a alone (10), but its layer for c as well (90). The gate is a task of no time in the shared queue.
  const TaskGraph graph = layered({{"a", 10, 0}, {"b", 20, 1}, {"c", 90, 1}, {"d", 10, 2}, {"e", 10, 3}}, {{0, 3}});
  const Timeline free = run(graph, plain_machine(4), with_parts({}));
  EXPECT_EQ(to_ns(free.tasks[3].started), 10);
  const Timeline gated = run(graph, plain_machine(4), with_parts({{.layers = {{2, 2}}, .release = Release::kBarrier}}));
  EXPECT_EQ(to_ns(gated.tasks[3].started), 90);
  EXPECT_EQ(to_ns(gated.tasks[4].started), 0) << "layer 3 has no barrier";
  EXPECT_EQ(gated.tasks.size(), graph.size()) << "gates are no tasks of the graph";
}

TEST(MixedDesigns, GatesOfFollowingLayersWaitForEachOther) {
  const TaskGraph graph = layered({{"a", 10, 0}, {"b", 20, 1}, {"c", 5, 2}});
  const Design design = with_parts({{.layers = {{1, 2}}, .release = Release::kBarrier}});
  const auto gated = with_gates(graph, design);
  ASSERT_TRUE(gated);
  EXPECT_EQ(gated->size(), 5u);
  EXPECT_EQ(gated->edge_count(), 5u) << "a-gate, gate-b, b-gate, gate-c, gate-gate";
  const Timeline timeline = run(graph, plain_machine(3), design);
  EXPECT_THAT(starts_of(timeline), ElementsAre(0, 10, 30));
}

TEST(MixedDesigns, AGateTakesWhatATaskOfTheSharedQueueTakes) {
  Machine machine = plain_machine(2);
  machine.ready_queues->list_take = Nanoseconds{3};
  const TaskGraph graph = layered({{"a", 100, 0}, {"b", 10, 1}});
  const Timeline free = run(graph, machine, with_parts({}));
  const Timeline gated = run(graph, machine, with_parts({{.layers = {{1, 1}}, .release = Release::kBarrier}}));
  EXPECT_THAT(starts_of(free), ElementsAre(3, 3));
  EXPECT_GE(to_ns(gated.tasks[1].started), 103 + 3) << "a's end, and b taken from its list";
}

TEST(MixedDesigns, WhatContradictsItselfIsRefused) {
  const Machine machine = plain_machine(2);
  const auto refused = [&](Design design, const char* why) {
    EXPECT_THAT([&] { check_design(design, machine); }, ThrowsMessage<InputError>(HasSubstr(why)));
  };
  Design list = with_depth("static-queues", 1);
  list.parts = {{.ready_queue = ReadyQueue::kShared}};
  refused(list, "parts need release 'counters' and ready_queue 'per_worker_and_shared'");
  refused(with_parts({{.kinds = {"x"}}}), "parts[0] changes nothing");
  refused(with_parts({{.ready_queue = ReadyQueue::kSharded}}), "parts[0].ready_queue is 'sharded'; a part has 'per_worker' or 'shared'");
  refused(with_parts({{.placement = Placement::kHeft}}), "parts[0].placement is 'heft'; a part has 'any_idle' or 'round_robin'");
  refused(with_parts({{.ready_queue = ReadyQueue::kShared, .placement = Placement::kRoundRobin}}), "which fills lists beforehand");
  refused(with_parts({{.layers = {{3, 1}}, .ready_queue = ReadyQueue::kShared}}), "parts[0].layers: 3 is above 1");
  refused(with_parts({{.kinds = {"x"}, .release = Release::kBarrier}}), "leave kinds out");
}

TEST(MixedDesigns, PartsThatDoNotFitTheGraphAreRefused) {
  const TaskGraph graph = layered({{"a", 10, 1, "x"}, {"b", 10, 0, "y"}}, {{0, 1}});
  const auto refused = [&](const Design& design, const char* why) {
    EXPECT_THAT([&] { simulate(graph, plain_machine(2), design); }, ThrowsMessage<InputError>(HasSubstr(why)));
  };
  refused(with_parts({{.kinds = {"z"}, .ready_queue = ReadyQueue::kShared}}), "parts[0] names no task");
  refused(with_parts({{.kinds = {"z"}, .ready_queue = ReadyQueue::kShared}}), "the graph's kinds are 'x', 'y'");
  refused(with_parts({{.layers = {{40, 41}}, .ready_queue = ReadyQueue::kShared}}), "the graph's layers are 0 to 1");
  refused(with_parts({{.layers = {{0, 1}}, .release = Release::kBarrier}}), "'b' of layer 0 waits for 'a' of layer 1");
}

TEST(Estimates, SchedulersPlanWithThemAndBodiesTakeTheirTime) {
  TaskGraphBuilder builder;
  const auto task = [&](const char* name, std::int64_t time, std::int64_t estimate) {
    builder.add_task(name, {.cost = {.time = Duration{time}}, .traits = builder.add_traits({.estimate = Duration{estimate}})});
  };
  task("long", 100, 1);  // thought to be short, so that HEFT puts it behind the others
  task("b", 10, 50);
  task("c", 10, 50);
  const TaskGraph graph = std::move(builder).build();
  EXPECT_THAT(planned_durations(graph, plain_machine(2)), ElementsAre(Duration{1}, Duration{50}, Duration{50}));
  const Timeline timeline = run(graph, plain_machine(2), with_depth("static-queues", 1));
  EXPECT_EQ(to_ns(timeline.tasks[0].started), 10);
  EXPECT_EQ(timeline.makespan(), Duration{110});
  Design longest = with_depth("shared-queue", 1);
  longest.order = TaskOrder::kLongest;
  EXPECT_EQ(run(graph, plain_machine(1), longest).tasks[0].started, at_ns(20)) << "behind what is thought to be longer";
}

}  // namespace
}  // namespace tasktwin::sim
