#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/output/timelines/timeline_csv_output.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;

class CommandOutputs : public testing::Test {
 protected:
  CommandOutputs() { write_text(folder_ / "tiny.yaml", kTinyScenario); }
  std::string tiny(const std::string& more = "") const { return "'" + (folder_ / "tiny.yaml").string() + "' " + more; }
  std::string quoted(const std::string& name) const { return "'" + (folder_ / name).string() + "' "; }

  TemporaryFolder folder_;
};

TEST_F(CommandOutputs, OneDesignWritesTheFilesAsNamed) {
  const Outcome outcome =
      tasktwin("simulate " + tiny("--designs shared-queue --timeline " + quoted("t.csv") + "--trace " + quoted("t.json")));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("wrote " + (folder_ / "t.csv").string()));
  EXPECT_THAT(outcome.out, HasSubstr("wrote " + (folder_ / "t.json").string()));
  EXPECT_EQ(folder_.file_count(), 3U);
}

TEST_F(CommandOutputs, SeveralDesignsWriteAFileEach) {
  const Outcome outcome = tasktwin("simulate " + tiny("--timeline " + quoted("t.csv") + "--trace " + quoted("t.json")));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* design : {"cuda-streams", "central-dispatcher", "static-queues", "shared-queue"}) {
    EXPECT_THAT(outcome.out, HasSubstr("wrote " + (folder_ / ("t." + std::string(design) + ".csv")).string()));
    EXPECT_NO_THROW(strict_json(read_text(folder_ / ("t." + std::string(design) + ".json"))));
  }
  EXPECT_EQ(folder_.file_count(), 9U);
}

TEST_F(CommandOutputs, TheTimelineHasEveryTaskOrderedByStart) {
  tasktwin("simulate " + tiny("--designs central-dispatcher --timeline " + quoted("t.csv")));
  std::istringstream lines(read_text(folder_ / "t.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, verify::kTimelineCsvHeader);
  std::string names;
  long long before = -1;
  while (std::getline(lines, line)) {
    std::vector<std::string> fields;
    std::istringstream row(line);
    for (std::string field; std::getline(row, field, ',');) fields.push_back(field);
    ASSERT_GE(fields.size(), 11U) << line;
    names += fields[1] + " ";
    EXPECT_GE(std::stoll(fields[7]), before);
    before = std::stoll(fields[7]);
    EXPECT_GT(std::stoll(fields[8]), before) << "ended after started";
  }
  EXPECT_TRUE(names == "first left right last " || names == "first right left last ") << names;
}

TEST_F(CommandOutputs, ThePageIsAHundredColumnsWide) {
  for (const std::string& arguments :
       {"simulate --gantt " + tiny(), "compare --gantt " + tiny(), std::string("compare cholesky"), "scenario show " + tiny()}) {
    const Outcome outcome = tasktwin(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(".yaml") != std::string::npos) continue;  // a path is never cut
      EXPECT_LE(verify::columns(line), verify::kPageColumns) << line;
    }
  }
}

TEST_F(CommandOutputs, AreQuietAndPlainInAPipe) {
  const Outcome outcome = tasktwin("simulate " + tiny(), "export TERM=xterm;");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos);
}

}  // namespace
}  // namespace tasktwin::tests
