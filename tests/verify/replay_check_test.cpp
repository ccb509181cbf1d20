#include "verify/compare/replay_check.hpp"

#include <gmock/gmock.h>

namespace tasktwin::verify {
namespace {

TaskGraph three_tasks() {
  TaskGraphBuilder builder;
  for (const int stream : {0, 0, 1}) {
    Task task;
    task.traits = builder.add_traits({.stream = stream});
    builder.add_task("t" + std::to_string(builder.size()), task);
  }
  return std::move(builder).build();
}

Timeline timeline(const std::vector<std::pair<int, int>>& spans) {
  Timeline timeline;
  for (const auto& [start, end] : spans) timeline.tasks.push_back({.started = at_ns(start), .ended = at_ns(end)});
  return timeline;
}

TEST(ReplayCheck, SameTimesAreNotOff) {
  const Timeline run = timeline({{0, 10}, {20, 90}, {30, 100}});
  const ReplayCheck check = check_replay(three_tasks(), run, run);
  EXPECT_EQ(check.error(), 0);
  EXPECT_EQ(check.start_p95, 0);
  EXPECT_EQ(check.stream_error(), 0);
}

TEST(ReplayCheck, SaysHowFarOffAndWhere) {
  const ReplayCheck check =
      check_replay(three_tasks(), timeline({{0, 10}, {20, 90}, {90, 100}}), timeline({{0, 10}, {40, 110}, {100, 110}}));
  EXPECT_DOUBLE_EQ(check.error(), 0.1);
  EXPECT_EQ(check.stream, 0u);  // busy for 80 of the captured 100
  EXPECT_DOUBLE_EQ(check.stream_error(), 110.0 / 90 - 1);
  EXPECT_EQ(check.where, task_id(1));
  EXPECT_EQ(check.by, Duration{20});
  EXPECT_THAT(replay_text(check, three_tasks()), testing::HasSubstr("at the start of 't1' the replay falls behind by"));
}

}  // namespace
}  // namespace tasktwin::verify
