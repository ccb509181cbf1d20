#include <gmock/gmock.h>

#include "tests/scenarios/imports/reading.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

const std::string kRecords =
    "Name: potrf\nModel: chol_model_11\nJobId: 7\nSubmitOrder: 1\nPriority: 3\nWorkerId: 0\nStartTime: 1.500000\nEndTime: 1.625000\n\n"
    "Name: trsm\nJobId: 9\nDependsOn: 7\nWorkerId: 1\nStartTime: 1.7\nEndTime: 1.9\n\n\n"
    "Name: trsm\nJobId: 11\nDependsOn: 7 9\nWorkerId: 1\n";

TEST(StarPuImport, ReadsRecords) {
  const Imported read = read_as("starpu", kRecords);
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"potrf>trsm#0", "potrf>trsm#1", "trsm#0>trsm#1"}));
  EXPECT_EQ(time_of(read.graph, "potrf"), 125'000);
  EXPECT_EQ(read.graph[task_called(read.graph, "potrf")].priority, 3);
  EXPECT_TRUE(has_remark(read, "1 task without StartTime and EndTime: empty bodies"));
  EXPECT_TRUE(has_remark(read, "2 workers is not kept"));
}

TEST(StarPuImport, RecordsOfControlAreNoTasks) {
  const Imported read = read_as("starpu",
                                "Control: WontUse\nJobId: 7\nSubmitOrder: 1\nMPIRank: 0\n\nName: gemm\nJobId: 8\nMPIRank: 0\nStartTime: 1\n"
                                "EndTime: 2\n\nControl: WontUse\nSubmitTime: 0.1\n\nName: trsm\nJobId: 9\nMPIRank: 0\nDependsOn: 7 8\n"
                                "StartTime: 2\nEndTime: 3\n");
  EXPECT_EQ(edges_of(read.graph), std::set<std::string>{"gemm>trsm"});
  EXPECT_TRUE(has_remark(read, "2 records of 'Control: WontUse' left out: no tasks"));
  EXPECT_TRUE(has_remark(read, "1 dependency on such a record taken to be on what the record depends on"));
}

TEST(StarPuImport, OrderGoesThroughRecordsOfControl) {
  const auto task = [](const std::string& id, const std::string& depends) {
    return "Name: t" + id + "\nJobId: " + id + "\nStartTime: 1\nEndTime: 2\n" + (depends.empty() ? "" : "DependsOn: " + depends + "\n") +
           "\n";
  };
  const auto control = [](const std::string& id, const std::string& depends, const std::string& rank = "") {
    return "Control: WontUse\nJobId: " + id + "\nDependsOn: " + depends + "\n" + (rank.empty() ? "" : "MPIRank: " + rank + "\n") + "\n";
  };
  const Imported read = read_as("starpu", task("4", "") + control("5", "4") + task("6", "5") + task("1", "") + control("7", "5 1 8") +
                                              control("8", "7 6") + task("9", "7 8"));
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"t4>t6", "t4>t9", "t1>t9", "t6>t9"}));
  EXPECT_TRUE(has_remark(read, "3 dependencies on such records taken to be on what these depend on"));
  EXPECT_EQ(refused_as("starpu", control("5", "3") + task("6", "5")), "3:12: DependsOn names the task '3', which the file does not have");
  const Imported ranks = read_as("starpu", "Name: a\nJobId: 0_4\nMPIRank: 0\n\nName: b\nJobId: 4\nMPIRank: 1\n\n" + control("5", "4", "1") +
                                               "Name: c\nJobId: 6\nMPIRank: 0\nDependsOn: 1_5\n");
  EXPECT_EQ(edges_of(ranks.graph), std::set<std::string>{"b>c"}) << "a record's ids are of its own rank";
}

TEST(StarPuImport, IdsAreThoseOfTheirRank) {
  const auto record = [](const std::string& name, const std::string& id, const std::string& rank, const std::string& depends = "") {
    return "Name: " + name + "\nJobId: " + id + "\nMPIRank: " + rank + "\nStartTime: 1\nEndTime: 2\n" +
           (depends.empty() ? "" : "DependsOn: " + depends + "\n") + "\n";
  };
  const Imported read = read_as("starpu", record("a", "7", "0") + record("b", "7", "1") + record("c", "8", "1", "7") +
                                              record("d", "0_9", "0", "7 1_8") + record("e", "1_9", "1", "0_9"));
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"b>c", "a>d", "c>d", "d>e"}));
  EXPECT_TRUE(has_remark(read, "tasks of 2 MPI ranks are taken as of one machine"));
  EXPECT_EQ(refused_as("starpu", record("a", "7", "0") + record("b", "0_7", "0")), "8:8: the task '0_7' stands twice");
  EXPECT_EQ(refused_as("starpu", record("a", "7", "0") + record("b", "8", "1", "7")),
            "12:12: DependsOn names the task '7', which the file does not have");
}

TEST(StarPuImport, FaultsAreLocated) {
  EXPECT_EQ(refused_as("starpu", "Name: a\nJobId: 1\n\nName: b\nJobId: 1\n"), "5:8: the task '1' stands twice");
  EXPECT_EQ(refused_as("starpu", "Name: a\nJobId: 1\nDependsOn: 1x\n"),
            "3:12: DependsOn names the task '1x', which the file does not have");
  EXPECT_EQ(refused_as("starpu", "Name: a\n\n"), "1:1: the record that ends here has neither JobId nor SubmitOrder");
  EXPECT_EQ(refused_as("starpu", "JobId: 1\nStartTime: 2\nEndTime: 1\n"), "3:10: EndTime is 1, before StartTime, 2");
  EXPECT_EQ(refused_as("starpu", "JobId: 1\nStartTime: nan\nEndTime: 1\n"), "2:12: StartTime is 'nan'; must be a number");
  EXPECT_EQ(refused_as("starpu", "JobId: 1\nJobId: 2\n"), "2:1: 'JobId' stands twice in a record, first in line 1");
  EXPECT_EQ(refused_as("starpu", "JobId: 1\nhello\n"), "2:1: a line of a record is 'Field: value'");
  EXPECT_THAT(refused_as("starpu", "JobId: 1\nDependsOn: 2\n\nJobId: 2\nDependsOn: 1\n"), HasSubstr("make a cycle"));
}

}  // namespace
}  // namespace tasktwin::scenarios
