#include <algorithm>

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

std::string own_object(const std::string& name) { return std::string(TASKTWIN_OWN_POLICIES) + "/lib" + name + ".so"; }
std::string example(const std::string& name) { return std::string(TASKTWIN_EXAMPLES) + "/libpolicy_" + name + ".so"; }

/// A Cholesky factorisation on 20 cores under `designs`, each a YAML list item.
std::string scenario_of(const std::string& designs) {
  return R"(scenario: own
machine: {from: nvidia-h200, compute_cores: [{type: sm, count: 20}]}
graph: {generator: cholesky, tiles: 8, tile_size: 64}
designs:
)" + designs;
}

std::string policy(const std::string& file, const std::string& name, const std::string& parameters = "") {
  return "{policy: '" + file + "', name: " + name + (parameters.empty() ? "" : ", parameters: {" + parameters + "}") + "}";
}

/// As it was before it was broken at the terminal's width.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

class OwnPolicies : public testing::Test {
 protected:
  std::string write(const std::string& designs) const {
    write_text(folder_ / "own.yaml", scenario_of(designs));
    return "'" + (folder_ / "own.yaml").string() + "'";
  }

  TemporaryFolder folder_;
};

TEST_F(OwnPolicies, AreKnownToCompareExplainSweepAndSearch) {
  const std::string file = write(
      "  - shared-queue\n  - {name: mine, from: shared-queue, order: " + policy(example("order"), "patient", "patience_ns: 5000") + "}\n");
  const Json compared = strict_json(tasktwin("compare " + file + " --runs 2 --format json").out);
  EXPECT_EQ(compared["designs"].size(), 2U);
  EXPECT_THAT(compared.dump(), HasSubstr("libpolicy_order.so:patient(patience_ns=5000)"));
  EXPECT_EQ(tasktwin("explain " + file + " mine shared-queue").code, 0);
  const Outcome swept = tasktwin("sweep " + file + " --designs mine --vary designs.mine.order.parameters.patience_ns=1000,100000");
  EXPECT_EQ(swept.code, 0) << swept.err;
  EXPECT_THAT(swept.out, HasSubstr("100000"));
  const Outcome searched =
      tasktwin("search " + file + " --designs mine --vary designs.mine.order.parameters.patience_ns=1000,100000 --runs 1");
  EXPECT_EQ(searched.code, 0) << searched.err;
}

TEST_F(OwnPolicies, OfTheExamplesRun) {
  const std::string file = write(
      "  - {name: placed, from: central-dispatcher, mailbox_depth: 2, placement: {policy: '" + example("placement") + "'}}\n" +
      "  - {name: stolen, from: work-stealing, victim: {policy: '" + example("victim") + "'}, stealing: {policy: '" + example("victim") +
      "'}}\n  - {name: listed, from: static-queues, placement: {policy: '" + example("schedule") + "'}}\n" +
      "  - {name: filled, from: central-dispatcher, mailbox_depth: 2, fill: " + policy(example("fill"), "careful", "share: 0.25") + "}\n");
  const Outcome outcome = tasktwin("simulate " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(OwnPolicies, ThatLeaveTheProcessAreNamedWithTheCall) {
  for (const auto& [name, why] : std::vector<std::pair<std::string, const char*>>{{"throws", "it threw: not on Sundays"},
                                                                                  {"exits", "it called exit()"},
                                                                                  {"aborts", "it aborted"},
                                                                                  {"faults", "it was ended by a signal"},
                                                                                  {"recurses", "it was ended by a signal"}}) {
    const Outcome outcome =
        tasktwin("simulate " + write("  - {name: mine, from: shared-queue, order: " + policy(own_object("faulty_calls"), name) + "}\n"));
    EXPECT_EQ(outcome.code, 2) << name;
    EXPECT_EQ(outcome.out, "") << name;
    const std::string line = one_line(outcome.err);
    EXPECT_THAT(line, HasSubstr("faulty_calls.so:" + name + "': rank of task '")) << name;
    EXPECT_THAT(line, HasSubstr(why)) << name;
  }
}

TEST_F(OwnPolicies, ThatDoNotReturnEndTheRun) {
  const std::string file = write("  - {name: mine, from: shared-queue, order: " + policy(own_object("faulty_calls"), "hangs") + "}\n");
  const Outcome outcome = tasktwin("simulate " + file, "TASKTWIN_POLICY_SECONDS=1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("it has not returned for 1 s"));
  EXPECT_THAT(outcome.err, HasSubstr("faulty_calls.so:hangs"));
}

TEST_F(OwnPolicies, ThatDoNotReturnFromTheirDestructorsEndTheProcess) {
  const auto simulated = [&](const char* name, const char* environment) {
    return tasktwin("simulate " + write("  - {name: mine, from: shared-queue, order: " + policy(own_object("faulty_calls"), name) + "}\n"),
                    environment);
  };
  const Outcome order = simulated("hangs-at-its-end", "TASKTWIN_POLICY_SECONDS=1");
  EXPECT_EQ(order.code, 2);
  EXPECT_THAT(one_line(order.err), HasSubstr("faulty_calls.so:hangs-at-its-end': its destructor: it has not returned for 1 s"));
  const Outcome object = simulated("right", "FAULTY_AT_END=1 TASKTWIN_POLICY_SECONDS=1");
  EXPECT_EQ(object.code, 2);
  EXPECT_THAT(object.out, HasSubstr("mine"));
  EXPECT_THAT(one_line(object.err), HasSubstr("a policy's shared object has not let the process end for 1 s"));
  EXPECT_EQ(simulated("right", "TASKTWIN_POLICY_SECONDS=1").code, 0);
}

TEST_F(OwnPolicies, AskedInTheRunAreRefusedByExecutors) {
  const std::string file = write("  - {name: mine, from: central-dispatcher, order: " + policy(example("order"), "patient") + "}\n");
  const Outcome outcome = tasktwin("run " + file);
  EXPECT_NE(outcome.code, 0);
}

}  // namespace
}  // namespace tasktwin::tests
