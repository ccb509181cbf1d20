// Standard output or error full or closed: the exit code is still right, and no message goes into a file.
#include "tests/verify/support/command_folder.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class StandardStreams : public CommandFolder {};

TEST_F(StandardStreams, AnErrorKeepsItsCodeWhereItCannotBeTold) {
  for (const char* stream : {"2>/dev/full", "2>&-", "2>&- <&-"}) {
    expect(std::string("tasktwin simulate nosuch.yaml ") + stream, 2, "");
    expect(std::string("tasktwin simulat ") + stream, 2, "");
    expect(std::string("tasktwin verify --live tiny.yaml ") + stream, 1, "");
    expect(std::string("tasktwin simulate tiny.yaml ") + stream, 0, "shared-queue");
  }
}

TEST_F(StandardStreams, AFullOrClosedOutputIsAFailure) {
  for (const char* command :
       {"--version", "--help", "help simulate", "simulate tiny.yaml", "simulate tiny.yaml --format json", "compare tiny.yaml",
        "explain tiny.yaml shared-queue static-queues", "sweep tiny.yaml --vary seed=1,2", "sweep tiny.yaml --vary seed=1 --format csv",
        "scenario list", "scenario show tiny.yaml", "scenario validate tiny.yaml", "scenario schema", "design list", "design show hybrid",
        "machine show nvidia-h200", "machine constants", "completion bash"}) {
    expect(std::string("tasktwin ") + command + " >/dev/full", 1, "cannot write to standard output: No space left on device");
    expect(std::string("tasktwin ") + command + " >&-", 1, "cannot write to standard output: Bad file descriptor");
  }
}

/// With a stream closed, the first file that is opened has its number.
TEST_F(StandardStreams, AMessageNeverGoesIntoAFile) {
  expect("tasktwin simulate tiny.yaml --designs shared-queue --trace t.json 2>&-", 0, "wrote t.json");
  const std::string whole = read_text(folder_ / "t.json");
  expect("tasktwin simulate tiny.yaml --designs shared-queue --trace again.json >&-", 1, "cannot write to standard output");
  EXPECT_THAT(whole, Not(HasSubstr("note:")));
  EXPECT_EQ(whole.front(), '{');
}

}  // namespace
}  // namespace tasktwin::tests
