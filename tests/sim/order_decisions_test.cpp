#include <gtest/gtest.h>

#include "models/explain/order_decisions.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/sim/operation_programs.hpp"

namespace tasktwin::sim {
namespace {

TaskGraph independent(int tasks) {
  TaskGraphBuilder builder;
  for (int i = 0; i < tasks; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{1000 + 100 * i}}});
  return std::move(builder).build();
}

Timeline timeline(const TaskGraph& graph, std::initializer_list<std::pair<int, int>> ready_and_dispatched) {
  Timeline made;
  for (const auto& [ready, dispatched] : ready_and_dispatched)
    made.tasks.push_back({.ready = TimePoint{Duration{ready}}, .dispatched = TimePoint{Duration{dispatched}}});
  EXPECT_EQ(made.tasks.size(), graph.size());
  return made;
}

OrderDecisions decisions(const TaskGraph& graph, TaskOrder order, const Timeline& timeline) {
  Design design = named_design("shared-queue");
  design.order = order;
  return order_decisions(graph, plain_machine(4), design, timeline, 1);
}

/// t2 is the longest. Handed over first, it is what `longest` says; handed over last it was passed by twice.
TEST(OrderDecisions, CountChoicesAndWhatPassedByThem) {
  const TaskGraph graph = independent(3);
  const Timeline in_order = timeline(graph, {{0, 30}, {0, 20}, {0, 10}});
  EXPECT_EQ(decisions(graph, TaskOrder::kLongest, in_order).choices, 2u);
  EXPECT_EQ(decisions(graph, TaskOrder::kLongest, in_order).passed, 0u);
  const Timeline against = timeline(graph, {{0, 10}, {0, 20}, {0, 30}});
  EXPECT_EQ(decisions(graph, TaskOrder::kLongest, against).passed, 2u);
  EXPECT_EQ(decisions(graph, TaskOrder::kFifo, against).passed, 0u);
}

TEST(OrderDecisions, NeedTwoThatWait) {
  const TaskGraph graph = independent(3);
  const OrderDecisions none = decisions(graph, TaskOrder::kLongest, timeline(graph, {{0, 5}, {10, 15}, {20, 25}}));
  EXPECT_EQ(none.hand_overs, 3u);
  EXPECT_EQ(none.choices, 0u);
  Design lists = named_design("static-queues");
  EXPECT_EQ(order_decisions(graph, plain_machine(4), lists, timeline(graph, {{0, 5}, {0, 15}, {0, 25}}), 1).hand_overs, 0u);
}

}  // namespace
}  // namespace tasktwin::sim
