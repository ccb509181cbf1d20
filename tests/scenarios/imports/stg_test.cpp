#include <gmock/gmock.h>

#include "tests/scenarios/imports/reading.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

const std::string kGraph =
    "      3\n"
    "      0      0      0\n"
    "      1      7      1      0\n"
    "      2     12      1      0\n"
    "      3      5      2      1      2\n"
    "      4      0      1      3\n"
    "# Standard Task Graph Set\n# CP Length : 17\n";

TEST(StgImport, ReadsTasksBetweenTheDummies) {
  const Imported read = read_as("stg", kGraph);
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"0>1", "0>2", "1>3", "2>3", "3>4"}));
  EXPECT_EQ(time_of(read.graph, "2"), 12'000);
  EXPECT_EQ(read.graph[task_called(read.graph, "0")].kernel, Kernel::kEmpty);
  EXPECT_TRUE(has_remark(read, "one is taken as 1000 ns"));
  EXPECT_EQ(time_of(read_as("stg", kGraph, {.time_unit = "ms"}).graph, "2"), 12'000'000);
  EXPECT_THAT(refused_as("stg", kGraph, {.time_unit = "mn"}), HasSubstr("time_unit: is 'mn'"));
}

TEST(StgImport, TheFirstNumberMayCountTheDummies) {
  const std::string tasks = "0 0 0\n1 4 1 0\n2 6 1 0\n3 2 2 1 2\n";
  const Imported read = read_as("stg", "5\n" + tasks + "4 0 1 3\n");
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"0>1", "0>2", "1>3", "2>3", "3>4"}));
  EXPECT_TRUE(has_remark(read, "the first line counts the two dummies: 5 tasks with them"));
  EXPECT_FALSE(has_remark(read_as("stg", kGraph), "counts the two dummies"));
  for (const char* const last : {"4 1 1 3\n", "4 0 1 2\n", "4 0 1 5\n"})  // takes time; leaves out a task; waits for one that is cut off
    EXPECT_THAT(refused_as("stg", "5\n" + tasks + last), HasSubstr("is it truncated?")) << last;
}

TEST(StgImport, FaultsAreLocated) {
  const auto lines = [](const std::string& rest) { return refused_as("stg", "1\n0 0 0\n" + rest); };
  EXPECT_EQ(lines("1 5 1 0\n"),
            "3:1: the file ends after 2 lines of tasks, but the first line says 1 tasks and the two dummies make 3; is it truncated?");
  EXPECT_EQ(lines("1 5 2 0\n2 0 0\n"), "3:5: says 2 predecessors, but 1 follow");
  EXPECT_EQ(lines("2 5 1 0\n"), "3:1: the task is 2, but tasks stand in order and this is number 1");
  EXPECT_EQ(lines("1 -5 1 0\n"), "3:3: is '-5'; must be a whole number, 0 to 100000000000000");
  EXPECT_EQ(lines("1 5 1 7\n2 0 0\n"), "3:7: is '7'; must be a whole number, 0 to 2");
  EXPECT_EQ(lines("1 5 1 0\n2 0 1 1\n3 0 0\n"), "5:1: the first line says 1 tasks and the two dummies make 3; this line is one more");
  EXPECT_THAT(lines("1 5 1 2\n2 0 1 1\n"), HasSubstr("4:1: the edges make a cycle: 2 -> 1 -> 2"));
  EXPECT_THAT(refused_as("stg", "three\n"), HasSubstr("1:1: is 'three'"));
  EXPECT_EQ(refused_as("stg", "# nothing\n"), " is empty");
}

}  // namespace
}  // namespace tasktwin::scenarios
