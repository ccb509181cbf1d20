#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;
using verify::Json;

/// A shared object that the build made of tests/verify/policies/.
std::string policy(const std::string& name) { return std::string(TASKTWIN_POLICIES) + "/lib" + name + ".so"; }

TEST(Policy, OfTheCriticalPathGivesWhatTheTaskOrderGives) {
  const TemporaryFolder folder;
  const std::string file = (folder / "ordered.yaml").string();
  write_text(file, R"(scenario: ordered
machine: {from: nvidia-h200, compute_cores: [{type: sm, count: 20}]}
graph: {generator: cholesky, tiles: 12, tile_size: 64}
designs:
  - {name: plain, from: shared-queue}
  - {name: critical, from: shared-queue, order: critical_path}
)");
  const Json by_order = strict_json(tasktwin("simulate '" + file + "' --format json --designs critical").out);
  const Json by_policy =
      strict_json(tasktwin("simulate '" + file + "' --format json --designs plain --policy '" + policy("bottom_levels") + "'").out);
  const Json plain = strict_json(tasktwin("simulate '" + file + "' --format json --designs plain").out);
  EXPECT_EQ(by_policy["designs"][0]["makespan_ns"], by_order["designs"][0]["makespan_ns"]);
  EXPECT_NE(by_policy["designs"][0]["makespan_ns"], plain["designs"][0]["makespan_ns"]);
  EXPECT_EQ(by_policy["policy"], policy("bottom_levels"));
}

TEST(Policy, IsNamedAboveTheTable) {
  const Outcome outcome = tasktwin("simulate example --designs shared-queue --policy '" + policy("bottom_levels") + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("in the order of"));
}

void expect_refused(const std::string& file, const std::string& why, const std::string& designs = "shared-queue") {
  const Outcome outcome = tasktwin("simulate example --designs " + designs + " --policy '" + file + "'");
  EXPECT_EQ(outcome.code, 2) << file;
  EXPECT_EQ(outcome.out, "") << file;
  EXPECT_THAT(outcome.err, HasSubstr("--policy " + file + ": ")) << file;
  EXPECT_THAT(outcome.err, HasSubstr(why)) << file;
}

TEST(Policy, IsRefusedWithWhatIsMissing) {
  expect_refused("none.so", "no such file");
  expect_refused("README.md", "cannot be loaded");
  expect_refused(policy("no_abi"), "does not define tasktwin_policy_abi");
  expect_refused(policy("no_function"), "does not define tasktwin_rank_tasks");
  expect_refused(policy("old_version"), "is built for version 0 of the interface");
  expect_refused(policy("other_types"), "against the headers of another tasktwin");
  expect_refused(policy("throws"), "only trees, please");
  expect_refused(policy("throws_a_number"), "no std::exception");
  expect_refused(policy("throws_when_loaded"), "cannot be loaded: it threw: not today");
  expect_refused(policy("too_few"), "ranks for");
  expect_refused(policy("not_a_number"), "is not a number");
}

TEST(Policy, ThatLeavesTheProcessIsAnError) {
  for (const char* const name : {"exits", "exits_when_loaded"}) {
    const Outcome outcome = tasktwin("simulate example --designs shared-queue --policy '" + policy(name) + "'");
    EXPECT_EQ(outcome.code, 1) << name;
    EXPECT_EQ(outcome.out, "") << name;
    EXPECT_THAT(outcome.err, HasSubstr("--policy " + policy(name) + ": the process that asks it ended without a result")) << name;
  }
}

TEST(Policy, ThatDoesNotReturnIsRefused) {
  for (const char* const name : {"hangs", "hangs_when_loaded"}) {
    const Outcome outcome =
        tasktwin("simulate example --designs shared-queue --policy '" + policy(name) + "'", "TASKTWIN_POLICY_SECONDS=1");
    EXPECT_EQ(outcome.code, 2) << name;
    EXPECT_EQ(outcome.out, "") << name;
    EXPECT_THAT(outcome.err, HasSubstr("has not returned for 1 s")) << name;
  }
}

TEST(Policy, OfADesignThatDoesNotReturnFromItsConstructorsIsRefused) {
  const TemporaryFolder folder;
  const std::string file = (folder / "hangs.yaml").string();
  write_text(file,
             "scenario: hangs\nmachine: nvidia-h200\ngraph: {generator: chain, length: 3}\ndesigns:\n"
             "  - {name: mine, from: shared-queue, order: {policy: '" +
                 policy("hangs_when_loaded") + "'}}\n");
  const Outcome outcome = tasktwin("simulate '" + file + "'", "TASKTWIN_POLICY_SECONDS=1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("has not returned for 1 s"));
}

TEST(Policy, NeedsDesignsThatOrderTasks) {
  expect_refused(policy("bottom_levels"), "design 'cuda-streams'", "shared-queue,cuda-streams");
  expect_refused(policy("bottom_levels"), "design 'static-queues'", "static-queues");
}

TEST(Policy, OfARunIsCheckedBeforeAGpuIsLookedFor) {
  const Outcome wrong = tasktwin("run cholesky --designs central-dispatcher --policy '" + policy("throws") + "'");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("only trees, please"));
  const Outcome right = tasktwin("run cholesky --designs central-dispatcher --policy '" + policy("bottom_levels") + "'");
  EXPECT_THAT(right.err, HasSubstr("no GPU: "));
  const Outcome recorded = tasktwin("run cholesky --designs central-dispatcher --record x --policy '" + policy("bottom_levels") + "'");
  EXPECT_EQ(recorded.code, 2);
  EXPECT_THAT(recorded.err, HasSubstr("--policy excludes --record"));
}

}  // namespace
}  // namespace tasktwin::tests
