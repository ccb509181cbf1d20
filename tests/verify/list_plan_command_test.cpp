// Plans of workers' lists as commands write and follow them.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tasktwin::tests
