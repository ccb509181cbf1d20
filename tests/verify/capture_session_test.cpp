#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/verify/support/captured_program.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/capture/capture_session.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;

/// Captures of commands that use no GPU; one of them puts in place what a program would have recorded.
class CaptureSession : public testing::Test {
 protected:
  /// Returns the exit code; what was said is in `said_`.
  int capture(std::vector<std::string> command, const std::string& output = "out.json", CaptureSettings settings = {}) {
    settings.command = std::move(command);
    settings.output = folder_ / output;
    settings.library = "/nowhere";
    settings.limit_bytes = std::uint64_t{1} << 20;
    testing::internal::CaptureStderr();
    const int code = capture_program(settings);
    said_ = testing::internal::GetCapturedStderr();
    return code;
  }

  /// Leaves a recorded program behind.
  void record() {
    std::filesystem::remove_all(folder_ / "recorded");
    std::filesystem::create_directories(folder_ / "recorded");
    tests::CapturedProgram program(folder_ / "recorded");
    program.function(0, "_Z4axpyPKfPf");
    program.range("iteration", 0, 1'000);
    program.run(program.launch(7, 1'000), 7, 3'000, 4'500);
  }

  /// A command that "uses CUDA".
  std::vector<std::string> uses_cuda(const std::string& then = "true") {
    record();
    return {"bash", "-c", "cp '" + (folder_ / "recorded/1.spool").string() + "' \"$TASKTWIN_CAPTURE_FOLDER\"/1.spool && " + then};
  }

  bool exists(const std::string& name) { return std::filesystem::exists(folder_ / name); }

  tests::TemporaryFolder folder_;
  std::string said_;
};

TEST_F(CaptureSession, WritesAFileAndLeavesNothingElse) {
  EXPECT_EQ(capture(uses_cuda(), "out.json.gz"), 0);
  EXPECT_THAT(said_, HasSubstr("out.json.gz: 1 call over"));
  EXPECT_THAT(said_, HasSubstr("1 kernel, 0 copies, 0 memsets, 0 graph launches"));
  EXPECT_TRUE(exists("out.json.gz"));
  EXPECT_EQ(folder_.file_count(), 3U);  // and the recorded program
}

TEST_F(CaptureSession, EndsAsTheProgramEndsAndWritesWhatThatDid) {
  EXPECT_EQ(capture(uses_cuda("exit 7"), "failed.json"), 7);
  EXPECT_THAT(said_, HasSubstr("error: 'bash' ended with exit code 7; what it did up to then is written"));
  EXPECT_THAT(tests::read_text(folder_ / "failed.json"), HasSubstr("\"exit_code\":7"));
  EXPECT_EQ(capture(uses_cuda("kill -9 $$"), "killed.json"), 137);
  EXPECT_THAT(said_, HasSubstr("error: 'bash' was ended by signal 9"));
  EXPECT_THAT(tests::read_text(folder_ / "killed.json"), HasSubstr("\"signal\":9"));
}

TEST_F(CaptureSession, TellsTheLibraryWhatToDo) {
  const std::string variables = (folder_ / "variables").string();
  EXPECT_EQ(capture(uses_cuda("env | grep -E 'INJECTION|TASKTWIN_CAPTURE' > '" + variables + "'")), 0);
  const std::string text = tests::read_text(variables);
  for (const char* set : {"CUDA_INJECTION64_PATH=/nowhere", "NVTX_INJECTION64_PATH=/nowhere", "TASKTWIN_CAPTURE_PASS=kernels",
                          "TASKTWIN_CAPTURE_LIMIT=1048576"})
    EXPECT_THAT(text, HasSubstr(set));
}

TEST_F(CaptureSession, RefusesAProgramThatIsNotThere) {
  EXPECT_THAT(
      [this] {
        capture({"no-such-program", "--option"});
      },
      testing::ThrowsMessage<InputError>(HasSubstr("COMMAND 'no-such-program' cannot be started: No such file or directory")));
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(folder_.file_count(), 0U);
}

TEST_F(CaptureSession, SaysThatAProgramDidNotUseCuda) {
  EXPECT_THAT([this] { capture({"true"}); }, testing::ThrowsMessage<RunError>(HasSubstr("'true' did not use CUDA")));
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(capture({"bash", "-c", "exit 5"}), 5);
  EXPECT_THAT(said_, HasSubstr("error: 'bash' ended with exit code 5; 'bash' did not use CUDA"));
  EXPECT_EQ(folder_.file_count(), 0U);
}

TEST_F(CaptureSession, NamesTheRangesThatThereAre) {
  const auto capture_range = [this] { capture(uses_cuda(), "out.json", {.range = "iteratoin"}); };
  EXPECT_THAT(capture_range, testing::ThrowsMessage<RunError>(HasSubstr("was never entered; did you mean 'iteration'?")));
  testing::internal::GetCapturedStderr();
}

TEST_F(CaptureSession, RunsTheProgramTwiceForBothPasses) {
  const std::string passes = (folder_ / "passes").string();
  EXPECT_EQ(capture(uses_cuda("echo $TASKTWIN_CAPTURE_PASS >> '" + passes + "'"), "out.json", {.pass = CapturePass::kBoth}), 0);
  EXPECT_EQ(tests::read_text(passes), "host\nkernels\n");
  EXPECT_THAT(said_, HasSubstr("1 call has the times of the run without device records"));
}

}  // namespace
}  // namespace tasktwin::verify
