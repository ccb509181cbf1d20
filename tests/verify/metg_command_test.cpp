#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {
namespace {

using ::testing::HasSubstr;

void expect_refused(const std::string& arguments, const std::string& message) {
  const Outcome outcome = tasktwin(arguments);
  EXPECT_EQ(outcome.code, 2) << arguments;
  EXPECT_THAT(outcome.err, HasSubstr(message)) << arguments;
  EXPECT_EQ(outcome.out, "") << arguments;
}

TEST(MetgCommand, NamesTheValidExecutorsAndPatterns) {
  expect_refused(
      "run --metg --executors shared-queu",
      "--executors: unknown executor 'shared-queu'; did you mean 'shared-queue'? (valid: cuda-streams, cuda-graph, central-dispatcher");
  expect_refused("run --metg --executors shared-queue,", "--executors: unknown executor ''");
  expect_refused("run --metg --executors ''", "--executors: its value is empty");
  expect_refused("run --metg --executors hybrid,hybrid", "--executors: 'hybrid' is named twice");
  expect_refused("run --metg --patterns stencil,cube",
                 "--patterns: unknown pattern 'cube'; valid: trivial, chain, stencil, fft, tree, random, all_to_all");
  expect_refused("run --metg --machine nvidia-h201", "nvidia-h201");
}

TEST(MetgCommand, TakesNoScenarioAndNothingThatGoesWithOne) {
  expect_refused("run", "SCENARIO is required, or --metg, --saturation or --launch-costs; see 'tasktwin run --help'");
  expect_refused("run --metg cholesky", "--metg excludes SCENARIO");
  expect_refused("run --saturation cholesky", "--saturation excludes SCENARIO");
  expect_refused("run --metg --saturation", "--metg excludes --saturation");
  expect_refused("run --metg --designs shared-queue", "--metg excludes --designs");
  expect_refused("run --metg --repeats 3", "--metg excludes --repeats");
  expect_refused("run --saturation --patterns fft", "--patterns requires --metg");
  expect_refused("run --executors hybrid cholesky", "--executors requires --metg");
  expect_refused("run --saturation --timeline x.csv", "--saturation excludes --timeline");
}

TEST(MetgCommand, SaysThatThereIsNoGpuAndWritesNothing) {
  const TemporaryFolder folder;
  for (const std::string benchmark : {"--metg", "--metg --executors hybrid --patterns fft,chain", "--saturation --format json"}) {
    const Outcome outcome = tasktwin("run " + benchmark + " --record '" + (folder / "recorded").string() + "'");
    EXPECT_EQ(outcome.code, 1) << benchmark;
    EXPECT_THAT(outcome.err, HasSubstr("no GPU: ")) << benchmark;
    EXPECT_EQ(outcome.out, "") << benchmark;
  }
  EXPECT_EQ(folder.file_count(), 0U);
}

}  // namespace
}  // namespace tasktwin::tests
