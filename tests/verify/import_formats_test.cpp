#include <gmock/gmock.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {
namespace {

using ::testing::HasSubstr;

/// `scenario import` of a file of that text, and what it wrote.
class ImportFormats : public testing::Test {
 protected:
  Outcome import(const std::string& text, const std::string& options = "") const {
    write_text(folder_ / "file", text);
    return tasktwin("scenario import '" + (folder_ / "file").string() + "' --output '" + (folder_ / "made.yaml").string() + "' " + options);
  }
  bool wrote() const { return std::filesystem::exists(folder_ / "made.yaml"); }
  Outcome simulate(const std::string& options = "") const {
    return tasktwin("simulate '" + (folder_ / "made.yaml").string() + "' " + options);
  }

  TemporaryFolder folder_;
};

TEST_F(ImportFormats, EachBecomesAScenarioThatSimulates) {
  const std::vector<std::pair<std::string, std::string>> files{
      {"dot", "digraph { a [size=\"1e6\"]; b [size=\"2e6\"]; a -> b [size=64] }"},
      {"stg", "1\n0 0 0\n1 7 1 0\n2 0 1 1\n"},
      {"csv", "name,time_us,predecessors\na,2.5,\nb,4,a\n"},
      {"json", R"([{"name": "a", "time_us": 2.5}, {"name": "b", "time_us": 1, "predecessors": ["a"]}])"},
      {"starpu", "Name: a\nJobId: 1\nStartTime: 1\nEndTime: 2\n\nName: b\nJobId: 2\nDependsOn: 1\nStartTime: 2\nEndTime: 3\n"},
      {"wfformat",
       R"({"schemaVersion": "1.4", "workflow": {"tasks": [{"name": "a", "runtime": 1}, {"name": "b", "runtime": 1, "parents": ["a"]}]}})"},
      {"chakra",
       R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4, "runtime": 3}, {"Id": 2, "Name": "b", "NodeType": 4, "runtime": 3, "data_deps": [1]}]})"},
  };
  for (const auto& [format, text] : files) {
    const Outcome made = import(text);
    ASSERT_EQ(made.code, 0) << format << '\n' << made.err;
    EXPECT_THAT(made.out, HasSubstr(": " + format + ": ")) << "found by its beginning";
    EXPECT_THAT(read_text(folder_ / "made.yaml"), HasSubstr("format: " + format));
    EXPECT_EQ(simulate().code, 0) << format;
  }
}

TEST_F(ImportFormats, WhatIsWrongIsSaidAndNothingIsWritten) {
  const Outcome cycle = import("digraph {\na -> b\nb -> a\n}");
  EXPECT_EQ(cycle.code, 2);
  EXPECT_THAT(cycle.err, HasSubstr("file:3:1: the edges make a cycle: a -> b -> a; the edge b -> a"));
  EXPECT_FALSE(wrote());
  EXPECT_EQ(import("digraph {\na -> b\nb -> a\n}", "--drop-edges 'b->a'").code, 0);
  EXPECT_THAT(read_text(folder_ / "made.yaml"), HasSubstr("drop_edges: [\"b->a\"]"));
  EXPECT_EQ(simulate().code, 0) << "the scenario reads the file anew, as it was asked to";
  for (const char* const wrong :
       {"", "\x01\x02\x03", "name,time_us\na,-1\n", "digraph {", "{\"workload_graph\": [", "3\n0 0 0\n1 7 1 0\n"}) {
    std::filesystem::remove(folder_ / "made.yaml");
    const Outcome refused = import(wrong);
    EXPECT_EQ(refused.code, 2) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("file")) << wrong;
    EXPECT_FALSE(wrote()) << wrong;
  }
}

}  // namespace
}  // namespace tasktwin::tests
