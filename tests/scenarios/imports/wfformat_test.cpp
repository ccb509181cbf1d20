#include <gmock/gmock.h>
#include <zlib.h>

#include "tests/scenarios/imports/reading.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

std::string newer(const std::string& tasks, const std::string& runs) {
  return R"({"name": "n", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [)" + tasks + R"(]}, "execution": {"tasks": [)" +
         runs + "]}}}";
}

TEST(WfFormatImport, ReadsSpecificationAndExecution) {
  const Imported read = read_as(
      "wfformat", newer(R"({"name": "split", "id": "split_1", "children": ["blast_2", "blast_3"]},
      {"name": "blast", "id": "blast_2", "parents": ["split_1"], "children": []}, {"name": "blast", "id": "blast_3", "parents": ["split_1"]})",
                        R"({"id": "split_1", "runtimeInSeconds": 0.25, "coreCount": 4}, {"id": "blast_2", "runtimeInSeconds": 200})"));
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"split_1>blast_2", "split_1>blast_3"}));
  EXPECT_EQ(time_of(read.graph, "split_1"), 250'000'000);
  EXPECT_EQ(time_of(read.graph, "blast_2"), 200'000'000'000);
  EXPECT_TRUE(has_remark(read, "1 task without a runtime: empty bodies"));
  EXPECT_TRUE(has_remark(read, "1 task used several cores"));
  EXPECT_EQ(read.counts[2], (std::pair<std::string, std::int64_t>{"edges by children", 2}));
}

TEST(WfFormatImport, ReadsOlderFiles) {
  const Imported read = read_as("wfformat", R"({"workflow": {"tasks": [{"name": "a", "type": "compute", "parents": [], "runtime": 1.5},
      {"name": "b", "parents": ["a"], "runtimeInSeconds": 2}]}})");
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"a>b"}));
  EXPECT_EQ(time_of(read.graph, "a"), 1'500'000'000);
  EXPECT_EQ(read_as("wfformat", R"({"schemaVersion": "1.0", "workflow": {"jobs": [{"name": "a", "runtime": 1}]}})").graph.size(), 1u);
}

TEST(WfFormatImport, GzipIsUnpacked) {
  const TemporaryFile file("", "tasks.json.gz");
  gzFile packed = gzopen(file.path().c_str(), "wb");
  gzputs(packed, R"({"workflow": {"tasks": [{"name": "a", "parents": [], "runtime": 1.5}]}})");
  gzclose(packed);
  EXPECT_EQ(import_file(file.path(), "wfformat", {}).graph.size(), 1u);
}

TEST(WfFormatImport, FaultsNameTheField) {
  const std::string task = R"({"name": "a", "id": "a"})";
  EXPECT_EQ(refused_as("wfformat", newer(task + "," + task, "")),
            " workflow.specification.tasks[1].id: is 'a', which a task before it has already");
  EXPECT_EQ(refused_as("wfformat", newer(R"({"name": "a", "id": "a", "parents": ["x"]})", "")),
            " workflow.specification.tasks[0].parents[0]: no task is called 'x'");
  EXPECT_EQ(refused_as("wfformat", newer(task, R"({"id": "a", "runtimeInSeconds": -1})")),
            " workflow.execution.tasks[0].runtimeInSeconds: is -1; must be seconds, not negative and at most 1e8");
  EXPECT_EQ(refused_as("wfformat", newer(task, R"({"id": "a", "runtimeInSeconds": "1"})")),
            " workflow.execution.tasks[0].runtimeInSeconds: must be a number, not string");
  EXPECT_EQ(refused_as("wfformat", newer(task, R"({"id": "b", "runtimeInSeconds": 1})")),
            " workflow.execution.tasks[0].id: no task is called 'b'");
  const std::string twice = R"({"name": "blast", "id": "1"}, {"name": "blast", "id": "2"})";
  EXPECT_EQ(refused_as("wfformat", newer(twice + R"(, {"name": "c", "id": "3", "parents": ["blast"]})", "")),
            " workflow.specification.tasks[2].parents[0]: is 'blast', a name that several tasks have; name it by its id");
  EXPECT_EQ(refused_as("wfformat", R"({"workflow": {}})"), " workflow: has no 'tasks'");
  EXPECT_THAT(refused_as("wfformat", R"({"workflow": {"tasks": [)"), HasSubstr("is no JSON"));
  EXPECT_THAT(
      refused_as("wfformat", newer(R"({"name": "a", "id": "a", "parents": ["b"]}, {"name": "b", "id": "b", "parents": ["a"]})", "")),
      HasSubstr("the edges make a cycle: b -> a -> b"));
}

}  // namespace
}  // namespace tasktwin::scenarios
