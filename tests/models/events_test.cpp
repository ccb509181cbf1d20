#include "models/graph/events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "models/run/event_times.hpp"

namespace tasktwin {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr TaskId t(std::size_t i) { return task_id(i); }

/// Tasks 0 and 1, event 2 behind both, event 3 behind that and behind task 4, and task 5 behind event 3.
TaskGraph two_events() {
  TaskGraphBuilder builder;
  const Task event{.kernel = Kernel::kEmpty, .operation = Operation::kEvent};
  const Task task{.cost = {.time = Duration{10}}};
  for (const bool is : {false, false, true, true, false, false}) builder.add_task("t" + std::to_string(builder.size()), is ? event : task);
  for (const auto& [from, to] : {std::pair{0, 2}, {1, 2}, {2, 3}, {4, 3}, {3, 5}})
    builder.add_edge(t(static_cast<std::size_t>(from)), t(static_cast<std::size_t>(to)));
  return std::move(builder).build();
}

TEST(Events, StandForEdgesBetweenTheTasksThatTheyJoin) {
  const TaskGraph graph = two_events();
  EXPECT_EQ(event_count(graph), 2u);
  const auto behind = tasks_behind_events(graph);
  EXPECT_THAT(behind[2], ElementsAre(t(0), t(1)));
  EXPECT_THAT(behind[3], ElementsAre(t(0), t(1), t(4)));
  EXPECT_THAT(behind[5], IsEmpty());
  const GraphPart part = with_edges_for_events(graph);
  EXPECT_THAT(part.original, ElementsAre(t(0), t(1), t(4), t(5)));
  EXPECT_EQ(part.graph.edge_count(), 3u);
  EXPECT_EQ(part.graph.in_degree(t(3)), 3u);
  EXPECT_EQ(event_count(part.graph), 0u);
}

TEST(Events, PassWhenTheLastOfTheirTasksIsPublished) {
  const TaskGraph graph = two_events();
  std::vector<TaskTimes> tasks(graph.size());
  tasks[0].ended = at_ns(10);
  tasks[0].published = at_ns(12);
  tasks[1].ended = at_ns(20);  // of a kernel, whose completion nobody writes
  tasks[4].published = at_ns(15);
  note_events(graph, tasks, finish);
  EXPECT_EQ(tasks[2].published, at_ns(20));
  EXPECT_EQ(tasks[3].ready, at_ns(20));
  EXPECT_EQ(tasks[3].core, kNoCore);
  EXPECT_FALSE(is_present(tasks[5].started));
}

}  // namespace
}  // namespace tasktwin
