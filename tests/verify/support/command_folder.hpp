#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {

/// Commands in a folder of their own, where a small scenario lies.
class CommandFolder : public testing::Test {
 protected:
  CommandFolder() { write_text(folder_ / "tiny.yaml", kTinyScenario); }

  /// A line of bash, in the folder.
  Outcome in_folder(const std::string& command) const { return bash(command, folder_.path()); }
  void expect(const std::string& command, int code, const std::string& said) const {
    const Outcome outcome = in_folder(command);
    EXPECT_EQ(outcome.code, code) << command << '\n' << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, testing::HasSubstr(said)) << command;
  }

  TemporaryFolder folder_;
};

}  // namespace tasktwin::tests
