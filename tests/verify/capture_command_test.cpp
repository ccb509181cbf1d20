#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/captured_program.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;

/// `tasktwin capture` of commands that use no GPU; one of them puts in place what a program would have recorded.
class CaptureCommand : public testing::Test {
 protected:
  void SetUp() override {
    if (capture("-- true").err.find("built without CUPTI") != std::string::npos) GTEST_SKIP() << "this build captures nothing";
  }

  Outcome capture(const std::string& arguments) { return bash("tasktwin capture " + arguments, folder_ / ""); }

  /// Leaves a recorded program behind `folder`/1.spool.
  void record(const std::string& folder) {
    std::filesystem::create_directories(folder_ / folder);
    CapturedProgram program(folder_ / folder);
    program.function(0, "_Z4axpyPKfPf");
    program.run(program.launch(7, 1'000), 7, 3'000, 4'500);
  }

  /// A command that "uses CUDA".
  static std::string uses_cuda(const std::string& then = "true") {
    return "-- bash -c 'cp recorded/1.spool \"$TASKTWIN_CAPTURE_FOLDER\"/1.spool && echo hello && " + then + "'";
  }

  void expect_nothing_written() { EXPECT_EQ(folder_.file_count(), 0U); }

  TemporaryFolder folder_;
};

TEST_F(CaptureCommand, WritesAFileAndLeavesTheProgramsOutputAlone) {
  record("recorded");
  const Outcome outcome = capture("-o out.json.gz " + uses_cuda());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "hello\n");
  EXPECT_THAT(outcome.err, HasSubstr("out.json.gz: 1 call over"));
  EXPECT_THAT(outcome.err, HasSubstr("1 kernel, 0 copies, 0 memsets, 0 graph launches"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out.json.gz"));
  EXPECT_EQ(folder_.file_count(), 3U);  // and the recorded program: nothing else is left
}

TEST_F(CaptureCommand, EndsAsTheProgramEndsAndWritesWhatThatDid) {
  record("recorded");
  const Outcome failed = capture("-o out.json.gz " + uses_cuda("exit 7"));
  EXPECT_EQ(failed.code, 7);
  EXPECT_THAT(failed.err, HasSubstr("error: 'bash' ended with exit code 7; what it did up to then is written"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out.json.gz"));
  const Outcome killed = bash("tasktwin capture -o killed.json " + uses_cuda("kill -9 $$") + "; echo $?", folder_ / "");
  EXPECT_EQ(killed.out, "hello\n137\n");
  EXPECT_THAT(killed.err, HasSubstr("error: 'bash' was ended by signal 9"));
  EXPECT_THAT(read_text(folder_ / "killed.json"), HasSubstr("\"signal\":9"));
}

TEST_F(CaptureCommand, RefusesAProgramThatIsNotThere) {
  const Outcome outcome = capture("-- no-such-program --option");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("error: COMMAND 'no-such-program' cannot be started: No such file or directory"));
  expect_nothing_written();
}

TEST_F(CaptureCommand, SaysThatAProgramDidNotUseCuda) {
  const Outcome outcome = capture("-- true");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error: 'true' did not use CUDA, so that there is nothing to write"));
  EXPECT_EQ(capture("-- bash -c 'exit 5'").code, 5);
  expect_nothing_written();
}

TEST_F(CaptureCommand, RefusesAnOutputThatCannotBeWrittenBeforeTheProgramRuns) {
  const Outcome outcome = capture("-o nowhere/out.json.gz -- echo ran");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("nowhere"));
}

TEST_F(CaptureCommand, NamesTheRangesThatThereAre) {
  std::filesystem::create_directories(folder_ / "recorded");
  {
    CapturedProgram program(folder_ / "recorded");
    program.range("iteration", 0, 1'000);
  }
  const Outcome outcome = capture("--range iteratoin " + uses_cuda());
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("error: --range 'iteratoin' was never entered; did you mean 'iteration'?"));
}

TEST_F(CaptureCommand, RunsTheProgramTwiceForBothPasses) {
  record("recorded");
  const Outcome outcome = capture("--pass both " + uses_cuda("echo $TASKTWIN_CAPTURE_PASS"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "hello\nhost\nhello\nkernels\n");
  EXPECT_THAT(outcome.err, HasSubstr("1 call has the times of the run without device records"));
}

TEST_F(CaptureCommand, NeedsACommand) {
  const Outcome outcome = capture("");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("error: COMMAND is required; see 'tasktwin capture --help'"));
}

}  // namespace
}  // namespace tasktwin::tests
