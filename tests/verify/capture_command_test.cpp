#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The command line alone, here where GPUs are hidden; what it then does: capture_session_test.cpp.
class CaptureCommand : public testing::Test {
 protected:
  Outcome capture(const std::string& arguments) { return bash("tasktwin capture " + arguments, folder_ / ""); }

  TemporaryFolder folder_;
};

TEST_F(CaptureCommand, NeedsACommand) {
  const Outcome outcome = capture("");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("error: COMMAND is required; see 'tasktwin capture --help'"));
}

TEST_F(CaptureCommand, RefusesAnOutputThatCannotBeWrittenBeforeTheProgramRuns) {
  const Outcome outcome = capture("-o nowhere/out.json.gz -- echo ran");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("nowhere"));
}

TEST_F(CaptureCommand, RunsNothingWithoutAGpu) {
  const Outcome outcome = capture("-- echo ran");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("error: no GPU: CUDA's driver"));
  EXPECT_EQ(folder_.file_count(), 0U);
}

}  // namespace
}  // namespace tasktwin::tests
