#include "scenarios/load/foreign_file.hpp"

#include <gmock/gmock.h>

#include "models/base/error.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string told_of(const std::string& text, const std::string& name) {
  const TemporaryFile file(text, name);
  try {
    load_scenario(file.path());
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(file.path() + ": ")) << message;
    return message.substr(std::min(file.path().size() + 2, message.size()));
  }
  return "";
}

struct Foreign {
  std::string text;
  const char* name;
  const char* told;
};

TEST(ForeignFiles, AreToldByTheirContentsWhateverTheirName) {
  const std::string none = ", no scenario, and no form of 'tasktwin scenario import' reads it (valid: swimlane, ";
  for (const Foreign& one : {
           Foreign{R"([{"executor": "0"}])", "a", "is JSON without a scenario's keys 'scenario' and 'graph'"},
           Foreign{"name,start,end\na,0,1\n", "a.txt", "is a table (CSV)"},
           Foreign{"<?xml version='1.0'?>\n<svg/>\n", "a", "is XML, SVG or HTML"},
       }) {
    EXPECT_THAT(told_of(one.text, one.name), StartsWith(one.told + none)) << one.text;
  }
  EXPECT_EQ(told_of("\x1f\x8b\x08\0"s, "a.yaml"), "is compressed by gzip; unpack it and name what is inside");
}

TEST(ForeignFiles, AreToldByTheirNameWhereTheirContentsSayLittle) {
  EXPECT_THAT(told_of("one column\n1\n", "a.csv"), HasSubstr("is a table (CSV)"));
  EXPECT_THAT(told_of("# cut short\ngraph", "a.dot"), HasSubstr("DOT language"));
  EXPECT_THAT(told_of("7\n", "a.stg"), HasSubstr("Standard Task Graph Set"));
  EXPECT_THAT(told_of("\x0a\x05", "a.pftrace"), HasSubstr("is a trace in Perfetto's format"));
  EXPECT_EQ(told_of("", "a.csv"), "is empty");
}

TEST(ForeignFiles, ThatAnImportReadsBringItsForm) {
  const std::string makes = ", no scenario; 'tasktwin scenario import ";
  for (const Foreign& one : {
           Foreign{"// a\nstrict digraph G {\n a -> b;\n}\n", "a.yaml", "is a task graph in Graphviz's DOT language (DAGGEN, SimGrid)"},
           Foreign{"SQLite format 3\0\x10"s, "a.yaml", "is what Nsight Systems exports as SQLite (nsys export --type sqlite)"},
           Foreign{R"({"schemaVersion": 1, "traceEvents": []})", "a.yaml",
                   "is a trace of the PyTorch profiler (Kineto), or one in Chrome's format with its categories"},
           Foreign{"digraph{a->b}", "a", "is a task graph in Graphviz's DOT language (DAGGEN, SimGrid)"},
           Foreign{"digraph dot {\n\"graph_1_node_0\"[label=\"{KERNEL}\"];\n}", "a", "is a CUDA graph as cudaGraphDebugDotPrint writes it"},
           Foreign{R"({"workload_graph": []})", "a.json", "is a Chakra execution trace, protobuf or JSON"},
           Foreign{"\x07\x0a\x05\x30.0.4"s, "a", "is a Chakra execution trace, protobuf or JSON"},
           Foreign{R"({"schemaVersion": "1.5", "workflow": {}})", "a", "is a workflow instance of WfCommons (WfFormat)"},
           Foreign{"2\n0 0 0\n1 5 1 0\n", "a", "is a graph of the Standard Task Graph Set"},
           Foreign{"Name: potrf\nJobId: 1\n", "tasks.rec", "is the tasks.rec of a StarPU run"},
           Foreign{R"({"all_events": [{"num_triggers": 1}]})", "a", "is the task_graph.json of a Mirage persistent kernel"},
           Foreign{"name,time_us\na,1\n", "a", "is a table of tasks: name, operation, time_us, predecessors"},
           Foreign{R"([{"name": "a", "time_us": 1, "predecessors": []}])", "a",
                   "is a list of tasks as JSON: name, operation, time_us, predecessors"},
       }) {
    EXPECT_THAT(told_of(one.text, one.name), StartsWith(one.told + makes)) << one.text;
    EXPECT_THAT(told_of(one.text, one.name), testing::EndsWith("/"s + one.name + " --output SCENARIO.yaml' makes one of it"))
        << "the file itself";
  }
  EXPECT_EQ(told_of(R"({"metadata": {}, "aicore_tasks": []})", "chip_swimlane_records.json"),
            "is a captured run of the Ascend runtime, no scenario; 'tasktwin scenario import swimlane RECORDS DEPS --output FILE' makes "
            "one of it and its deps.json");
  EXPECT_THAT(told_of(R"({"tasks": [], "edges": [{"pred": "1", "succ": "2"}]})", "deps.json"),
              HasSubstr("is the deps.json of a captured run, no scenario; 'tasktwin scenario import swimlane"));
  EXPECT_THAT(
      told_of("task,name,kernel,core_type,ready_ns,dispatched_ns,received_ns,started_ns,ended_ns,published_ns,core,dispatcher\n", "t.csv"),
      HasSubstr("is a timeline as --timeline writes it, no scenario; a design of a scenario follows it"));
}

TEST(ForeignFiles, OfTheProjectBringTheCommandThatTakesThem) {
  EXPECT_THAT(told_of("machine: mine\nfrom: nvidia-h200\n", "mine.yaml"),
              HasSubstr("is a machine file, no scenario; 'machine' of a scenario names it"));
  EXPECT_THAT(told_of("claim: c\ntitle: t\ncomparisons: []\n", "c.yaml"), HasSubstr("is a claim, no scenario; 'tasktwin verify --claims'"));
}

TEST(ForeignFiles, AScenarioMayBeWrittenAsJson) {
  const TemporaryFile file(R"({"scenario": "s", "machine": "nvidia-h200", "graph": {"generator": "chain"}, "designs": ["shared-queue"]})",
                           "s.json");
  EXPECT_EQ(load_scenario(file.path()).name, "s");
}

}  // namespace
}  // namespace tasktwin::scenarios
