#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {
namespace {

using ::testing::HasSubstr;

TEST(LaunchCostsCommand, TakesNoScenarioAndNothingThatGoesWithOne) {
  for (const auto& [arguments, message] : {std::pair{"run --launch-costs cholesky", "--launch-costs excludes SCENARIO"},
                                           std::pair{"run --launch-costs --repeats 3", "--launch-costs excludes --repeats"},
                                           std::pair{"run --metg --launch-costs", "--metg excludes --launch-costs"},
                                           std::pair{"run --launch-costs --patterns fft", "--patterns requires --metg"},
                                           std::pair{"run --metg --format csv", "--format csv requires --launch-costs"},
                                           std::pair{"run cholesky --format csv", "--format csv requires --launch-costs"},
                                           std::pair{"run --launch-costs --format cvs", "unknown format 'cvs'; did you mean 'csv'?"},
                                           std::pair{"run --launch-costs --machine nvidia-h201", "nvidia-h201"}}) {
    const Outcome outcome = tasktwin(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
  }
}

TEST(LaunchCostsCommand, SaysThatThereIsNoGpuAndWritesNothing) {
  const TemporaryFolder folder;
  for (const std::string format : {"text", "csv", "json"}) {
    const Outcome outcome = tasktwin("run --launch-costs --format " + format + " --record '" + (folder / "recorded").string() + "'");
    EXPECT_EQ(outcome.code, 1) << format;
    EXPECT_THAT(outcome.err, HasSubstr("no GPU: ")) << format;
    EXPECT_EQ(outcome.out, "") << format;
  }
  EXPECT_EQ(folder.file_count(), 0U);
}

}  // namespace
}  // namespace tasktwin::tests
