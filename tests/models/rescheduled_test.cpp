#include "models/explain/rescheduled.hpp"

#include <gtest/gtest.h>

#include "tests/models/graphs.hpp"
#include "tests/models/path_worlds.hpp"

namespace tasktwin {
namespace {

using testing_graphs::graph_of;
using testing_graphs::times_of;

/// a then c on core 0, b on core 1, d on core 1 after a and b. Bodies of 100, 200, 50 and 80.
struct SmallRun {
  TaskGraph graph = graph_of({100, 200, 50, 80}, {{0, 3}, {1, 3}});
  Timeline timeline;

  SmallRun() {
    timeline.cores.assign(2, CoreType::kSm);
    timeline.tasks = {times_of({0, 0, 5, 10, 110, 120}, 0), times_of({0, 0, 5, 10, 210, 220}, 1), times_of({0, 0, 5, 115, 165, 170}, 0),
                      times_of({230, 230, 240, 250, 330, 340}, 1)};
  }
};

std::vector<Duration> bodies(std::initializer_list<std::int64_t> ns) {
  std::vector<Duration> durations;
  for (const std::int64_t one : ns) durations.emplace_back(one);
  return durations;
}

TEST(BodyTimes, AreFromStartToEnd) { EXPECT_EQ(body_times(SmallRun().timeline), bodies({100, 200, 50, 80})); }

TEST(BodyTimes, OfATaskOnSeveralCoresAreTheMeanOfItsParts) {
  SmallRun run;
  run.timeline.blocks = {{task_id(1), core_id(0), at_ns(10), at_ns(110), at_ns(120)},
                         {task_id(1), core_id(1), at_ns(10), at_ns(210), at_ns(220)}};
  EXPECT_EQ(body_times(run.timeline)[1], Duration{150});
}

TEST(BodyTimes, AreBelowZeroForWhatDidNotRun) {
  SmallRun run;
  run.timeline.tasks[2] = {};
  EXPECT_LT(body_times(run.timeline)[2], Duration{0});
}

TEST(RescheduledMakespan, WithItsOwnBodiesIsTheRunsOwn) {
  const SmallRun run;
  EXPECT_EQ(rescheduled_makespan(run.graph, run.timeline, body_times(run.timeline)), run.timeline.makespan());
  EXPECT_EQ(rescheduled_makespan(run.graph, run.timeline, bodies({-1, -1, -1, -1})), run.timeline.makespan());
}

TEST(RescheduledMakespan, FollowsTheLaterOfPredecessorsAndCore) {
  const SmallRun run;
  EXPECT_EQ(to_ns(rescheduled_makespan(run.graph, run.timeline, bodies({100, 190, 50, 80}))), 330) << "b held d up";
  EXPECT_EQ(to_ns(rescheduled_makespan(run.graph, run.timeline, bodies({190, 200, 50, 80}))), 340) << "a has 100 ns to spare";
  EXPECT_EQ(to_ns(rescheduled_makespan(run.graph, run.timeline, bodies({205, 200, 50, 80}))), 345) << "and no more";
  EXPECT_EQ(to_ns(rescheduled_makespan(run.graph, run.timeline, bodies({100, 200, 500, 80}))), 620) << "c on its own core";
}

}  // namespace
}  // namespace tasktwin
