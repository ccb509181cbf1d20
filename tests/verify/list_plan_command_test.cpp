// Plans of workers' lists as commands write and follow them.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;

constexpr std::string_view kScenario = R"(scenario: small
machine: {from: nvidia-h200, compute_cores: [{type: sm, count: 4}]}
graph:
  tasks:
    - {name: a, time_ns: 3000}
    - {name: b, time_ns: 5000}
    - {name: joined, operation: event, after: [a, b]}
    - {name: c, time_ns: 2000, after: [joined]}
    - {name: d, time_ns: 4000, after: [joined]}
designs:
  - {name: lists, from: static-queues, placement: round_robin}
  - shared-queue
)";

TEST(ListPlanCommands, WriteAndFollowPlans) {
  const TemporaryFolder folder;
  write_text(folder / "small.yaml", kScenario);
  const auto quoted = [&](const char* name) { return "'" + (folder / name).string() + "' "; };
  const std::string small = quoted("small.yaml");
  const Outcome wrote = tasktwin("simulate " + small + "--plan-out " + quoted("lists.json"));
  EXPECT_EQ(wrote.code, 0) << wrote.err;
  const Outcome read = tasktwin("simulate " + small + "--plan " + quoted("lists.json"));
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_THAT(read.out, HasSubstr("plan "));
  EXPECT_EQ(tasktwin("simulate " + small + "--designs lists --plan " + quoted("lists.json")).code, 2);
  EXPECT_EQ(tasktwin("simulate " + small + "--drop a --plan " + quoted("lists.json")).code, 2);
  EXPECT_EQ(tasktwin("simulate " + small + "--designs shared-queue --plan-out " + quoted("no.json")).code, 2);
  EXPECT_THAT(tasktwin("rerun --plan " + quoted("lists.json") + "-- true").err, HasSubstr("tasktwin run --plan"));
  const Outcome found =
      tasktwin("search " + small + "--designs lists --vary designs.placement=round_robin,heft --plan-out " + quoted("best.json"));
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(tasktwin("simulate " + small + "--plan " + quoted("best.json")).code, 0);
}

constexpr std::string_view kDrawn = R"(scenario: drawn
machine: {from: nvidia-h200, compute_cores: [{type: sm, count: 2}]}
graph:
  draws: {time: [[1000, 9000], [8000, 2000], [5000, 5000], [1000, 9000]]}
  operators:
    - {name: a, extents: {e: 2}, cut: {e: 1}, piece: {time_ns: time(e.index)}}
designs:
  - {name: lists, from: static-queues, placement: round_robin}
  - shared-queue
)";

TEST(ListPlanCommands, JudgeAPlanOverDraws) {
  const TemporaryFolder folder;
  write_text(folder / "drawn.yaml", kDrawn);
  const auto quoted = [&](const char* name) { return "'" + (folder / name).string() + "' "; };
  const std::string drawn = "simulate " + quoted("drawn.yaml");
  ASSERT_EQ(tasktwin(drawn + "--designs lists --plan-out " + quoted("lists.json")).code, 0);
  const Outcome judged = tasktwin(drawn + "--draws --format json --plan " + quoted("lists.json"));
  ASSERT_EQ(judged.code, 0) << judged.err;
  const auto result = nlohmann::json::parse(judged.out);
  EXPECT_EQ(result["draws"], 4);
  ASSERT_EQ(result["designs"].size(), 1U);
  const auto& plan = result["designs"][0];
  EXPECT_EQ(plan["design"], "plan");
  const auto& makespans = plan["runs"]["makespans_ns"];
  ASSERT_EQ(makespans.size(), 4U);
  EXPECT_EQ(makespans[0], makespans[3]) << "the same row";
  EXPECT_NEAR(makespans[0].get<double>() - makespans[1].get<double>(), 1000, 100);
  EXPECT_EQ(plan["runs"]["max_ns"], makespans[0]);
  const Outcome table = tasktwin(drawn + "--draws");
  EXPECT_EQ(table.code, 0);
  EXPECT_THAT(table.out, testing::AllOf(HasSubstr("over 4 draws"), HasSubstr("p95"), HasSubstr("shared-queue")));
  EXPECT_THAT(tasktwin(drawn + "--draws --runs 3").err, HasSubstr("--draws: excludes --runs"));
  write_text(folder / "small.yaml", kScenario);
  EXPECT_THAT(tasktwin("simulate " + quoted("small.yaml") + "--draws").err, HasSubstr("has no draws"));
}

}  // namespace
}  // namespace tasktwin::tests
