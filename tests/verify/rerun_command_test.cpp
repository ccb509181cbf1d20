#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The command line alone, here where GPUs are hidden; what it then does: rerun_session_test.cpp.
class RerunCommand : public testing::Test {
 protected:
  Outcome rerun(const std::string& arguments) { return bash("tasktwin rerun " + arguments, folder_ / ""); }
  void expect_usage_error(const std::string& arguments, const std::string& said) {
    const Outcome outcome = rerun(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(said)) << arguments;
  }

  TemporaryFolder folder_;
};

TEST_F(RerunCommand, RefusesWrongOptionsBeforeTheProgramRuns) {
  expect_usage_error("", "error: COMMAND is required; see 'tasktwin rerun --help'");
  expect_usage_error("--designs grahp -- echo ran",
                     "unknown schedule 'grahp' (valid: as-captured, chain, graph, programmatic, dependences, streams:N, plan:N, cut:N)");
  expect_usage_error("--designs plan -- echo ran", "--designs: schedule 'plan' needs --plan FILE");
  expect_usage_error("--designs plan:2 -- echo ran", "--designs: schedule 'plan:2' needs --plan FILE, as often");
  expect_usage_error("--designs dependences -- echo ran", "--designs: schedule 'dependences' needs --range");
  expect_usage_error("--range a --effects x.yaml -- echo ran", "--effects: needs schedule 'dependences' among --designs");
  expect_usage_error("--range a --effects-out x.yaml --no-check -- echo ran", "--effects-out: excludes --no-check");
  expect_usage_error("--plan nowhere.json -- echo ran", "nowhere.json");
  expect_usage_error("--designs streams:0 -- echo ran", "needs a number from 1 to 64");
  expect_usage_error("--repeats 0 -- echo ran", "--repeats");
  expect_usage_error("--instance 0 -- echo ran", "--instance");
  expect_usage_error("--range '' -- echo ran", "--range: its value is empty");
  expect_usage_error("--fail-above 3 -- echo ran", "--fail-above: needs --against");
  expect_usage_error("--against nowhere.json -- echo ran", "nowhere.json");
  expect_usage_error("--show nowhere.json", "nowhere.json");
  expect_usage_error("-o nowhere/out.json -- echo ran", "nowhere");
  expect_usage_error("--show x.json -- echo ran", "--show: runs nothing; leave COMMAND out");
}

TEST_F(RerunCommand, RunsNothingWithoutAGpu) {
  const Outcome outcome = rerun("--range step -- echo ran");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("error: no GPU: CUDA's driver"));
  EXPECT_EQ(folder_.file_count(), 0U);
}

}  // namespace
}  // namespace tasktwin::tests
