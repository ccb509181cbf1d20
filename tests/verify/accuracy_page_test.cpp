#include <filesystem>

#include <gtest/gtest.h>

#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {
namespace {

/// All recordings are predicted for it, so it stands beside the other tests of that kind.
TEST(AccuracyPage, IsOfTheseRecordingsAndPredictions) {
  const Outcome outcome = bash("sh scripts/docs.sh '" TASKTWIN_EXECUTABLE "' --check docs/reference/accuracy.md", std::filesystem::current_path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

}  // namespace
}  // namespace tasktwin::tests
