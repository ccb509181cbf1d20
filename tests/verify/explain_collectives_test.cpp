// What a run over several devices waits for: collectives, their last rank, and room for their ranks.
#include <array>

#include <gmock/gmock.h>

#include "models/runtimes/runtimes.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "verify/explain/explanation.hpp"

namespace tasktwin::verify {
namespace {

scenarios::Scenario on_two_devices(const std::string& tasks) {
  return scenarios::scenario_from(scenarios::parse_document(
      "two.yaml", "scenario: two\nmachine: nvidia-h100x2\ngraph:\n  tasks:\n" + tasks +
                      "designs: [{name: streams, from: cuda-streams, stream_granularity: hinted, streams: 2, launching: "
                      "thread_per_device}]\n"));
}

DesignAccount account_of(const scenarios::Scenario& scenario) { return account_with_costs(scenario, scenario.designs.front(), 1); }

TEST(Collectives, AreNoBodiesAndNotShortOfBandwidth) {
  const DesignAccount one = account_of(on_two_devices("    - {name: sum, operation: all_reduce, bytes: 134217728, group: [0, 1]}\n"));
  EXPECT_GT(one.path.of(PathCause::kCollective), 9 * one.makespan / 10);
  EXPECT_EQ(one.path.of(PathCause::kBody) + one.path.of(PathCause::kBandwidth), Duration{0});
  ASSERT_FALSE(one.costs.empty());
  EXPECT_EQ(one.costs.front().cause, PathCause::kCollective);
  EXPECT_GT(one.costs.front().gain, 9 * one.costs.front().on_path / 10);
}

TEST(Collectives, OfOneGroupLeadToTheOneBeforeThem) {
  const DesignAccount one =
      account_of(on_two_devices("    - {name: sum-0, operation: all_reduce, bytes: 134217728, group: [0, 1], stream: 0}\n"
                                "    - {name: sum-1, operation: all_reduce, bytes: 134217728, group: [0, 1], stream: 1}\n"));
  EXPECT_GT(one.path.of(PathCause::kCollective), 9 * one.makespan / 10);
  EXPECT_LT(one.path.of(PathCause::kLaunch), one.makespan / 20);
}

TEST(Collectives, WhoseLastRankIsLateLeadToWhatMadeItLate) {
  const DesignAccount one =
      account_of(on_two_devices("    - {name: long-1, time_ns: 400000, device: 1}\n"
                                "    - {name: short-0, time_ns: 100000, device: 0}\n"
                                "    - {name: sum, operation: all_reduce, bytes: 1024, group: [0, 1], after: [long-1, short-0]}\n"));
  EXPECT_EQ(one.path.of(PathCause::kSkew), Duration{0});
  EXPECT_NEAR(static_cast<double>(to_ns(one.path.of(PathCause::kBody))), 400'000, 5'000);
  ASSERT_EQ(one.late.size(), 1u);
  EXPECT_NEAR(static_cast<double>(to_ns(one.late.front().time)), 300'000, 20'000);
  EXPECT_EQ(in_words(one.late.front()).substr(0, 20), "all other ranks wait");
  EXPECT_EQ(one.late.front().last, "sum@1");
  EXPECT_EQ(one.late.front().because, "'long-1'");
  EXPECT_THAT(held_up(std::array{&one}), ::testing::HasSubstr("for 'sum@1', late because of 'long-1'"));
}

TEST(Meetings, LeadToWhatMadeTheirLastTaskLate) {
  const DesignAccount one =
      account_of(on_two_devices("    - {name: pre, time_ns: 50000, stream: 0, device: 1}\n"
                                "    - {name: x0, time_ns: 20000, blocks: 132, meets: 1, stream: 0, device: 0}\n"
                                "    - {name: x1, time_ns: 20000, blocks: 132, meets: 1, stream: 0, device: 1, after: [pre]}\n"
                                "    - {name: post, time_ns: 10000, stream: 0, device: 0, after: [x0]}\n"));
  Duration of_x0{};
  for (const PathSegment& segment : one.path.segments) of_x0 += segment.task == task_id(1) ? segment.end - segment.begin : Duration{0};
  EXPECT_NEAR(static_cast<double>(to_ns(of_x0)), 20'000, 1'000) << "its own work, not its wait";
  ASSERT_EQ(one.late.size(), 1u);
  EXPECT_NEAR(static_cast<double>(to_ns(one.late.front().time)), 50'000, 5'000);
  EXPECT_EQ(one.late.front().last, "x1");
  EXPECT_EQ(one.late.front().because, "'pre'");
  EXPECT_THAT(held_up(std::array{&one}), ::testing::HasSubstr("all tasks that meet it wait"));
}

TEST(Collectives, WithoutCoresForTheirRanksWaitForRoom) {
  const DesignAccount one = account_of(
      on_two_devices("    - {name: first-0, time_ns: 1000000, blocks: 132, stream: 0, device: 0}\n"
                     "    - {name: first-1, time_ns: 1000000, blocks: 132, stream: 0, device: 1}\n"
                     "    - {name: sum, operation: all_reduce, bytes: 16777216, group: [0, 1], stream: 0, after: [first-0, first-1]}\n"
                     "    - {name: second-0, time_ns: 1000000, blocks: 132, stream: 1, device: 0}\n"
                     "    - {name: second-1, time_ns: 1000000, blocks: 132, stream: 1, device: 1}\n"));
  EXPECT_NEAR(static_cast<double>(to_ns(one.path.of(PathCause::kRoom))), 1e6, 1e5);
  EXPECT_THAT(one.holders[static_cast<std::size_t>(PathCause::kRoom)], ::testing::HasSubstr("second"));
  EXPECT_EQ(one.path.of(PathCause::kBandwidth), Duration{0});
}

}  // namespace
}  // namespace tasktwin::verify
