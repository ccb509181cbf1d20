#include <gmock/gmock.h>

#include "tests/scenarios/imports/reading.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

TEST(CsvImport, ReadsNamesInQuotesAndSeveralPredecessors) {
  const Imported read = read_as("csv",
                                "name,kind,time_us,bytes,stream,blocks,priority,predecessors\n"
                                "load,copy_h2d,,4096,1,,,\n"
                                "\"gemm, big\",,12.5,,,132,2,load\n"
                                "callback,host,3,,,,,\"load; gemm, big\"\n"
                                "join,empty,,,,,,callback;load\n\n");
  EXPECT_EQ(edges_of(read.graph),
            (std::set<std::string>{"load>gemm, big", "load>callback", "gemm, big>callback", "callback>join", "load>join"}));
  EXPECT_EQ(time_of(read.graph, "gemm, big"), 12'500);
  const TaskId gemm = task_called(read.graph, "gemm, big");
  EXPECT_EQ(read.graph.traits(gemm).blocks, 132);
  EXPECT_EQ(read.graph[gemm].priority, 2);
  EXPECT_EQ(read.graph[task_called(read.graph, "load")].operation, Operation::kCopyH2d);
  EXPECT_EQ(read.graph.traits(task_called(read.graph, "load")).stream, 1);
  EXPECT_EQ(read.graph[task_called(read.graph, "callback")].operation, Operation::kHost);
  EXPECT_EQ(read.graph[task_called(read.graph, "join")].kernel, Kernel::kEmpty);
}

TEST(CsvImport, ColumnsThatAreNotReadAreSaid) {
  EXPECT_TRUE(has_remark(read_as("csv", "name,time_s,owner\r\na,0.001,me\r\n"), "columns that are not read: 'owner'"));
}

TEST(CsvImport, BodiesMayNeedAKindOfCore) {
  const std::string text = "name,kind,time_us,core_type,bytes\na,,1,aiv,\nb,,1,,\nc,copy_h2d,,,5\nd,,1,sm,\n";
  const Imported read = read_as("csv", text, {.core_type = "aic"});
  EXPECT_EQ(read.graph[task_called(read.graph, "a")].core_type, CoreType::kAiv);
  EXPECT_EQ(read.graph[task_called(read.graph, "b")].core_type, CoreType::kAic) << "as the option says of all others";
  EXPECT_EQ(read.graph[task_called(read.graph, "d")].core_type, CoreType::kSm) << "as the file says";
  EXPECT_EQ(read.graph[task_called(read.graph, "c")].core_type, CoreType::kSm) << "a copy takes no core";
  EXPECT_EQ(read.graph[task_called(read.graph, "b")].cost.time, Duration{1000});
  EXPECT_EQ(refused_as("csv", text, {.core_type = "aix"}),
            "core_type: unknown value 'aix'; did you mean 'aic'? (valid: sm, aic, aiv, mix)");
  EXPECT_EQ(refused_as("csv", "name,time_us,core_type\na,1,cube\n"), "2:5: core_type: is 'cube'; valid: sm, aic, aiv, mix");
  const Imported json = read_as("json", R"([{"name": "a", "time_us": 1, "core_type": "aiv"}])");
  EXPECT_EQ(json.graph[task_called(json.graph, "a")].core_type, CoreType::kAiv);
}

TEST(CsvImport, FaultsAreLocated) {
  const auto rows = [](const std::string& text) { return refused_as("csv", "name,kind,time_us,predecessors\n" + text); };
  EXPECT_EQ(rows("a,,1,\na,,1,\n"), "3:1: is 'a', which a row before it has already");
  EXPECT_EQ(rows("a,,1,b\n"), "2:6: predecessors: no task is called 'b'");
  EXPECT_EQ(rows("a,,-1,\n"), "2:4: time_us: a time must not be negative and at most 1e17 ns");
  EXPECT_EQ(rows("a,,inf,\n"), "2:4: is 'inf'; must be a number");
  EXPECT_EQ(rows("a,,1e300,\n"), "2:4: time_us: a time must not be negative and at most 1e17 ns");
  EXPECT_EQ(rows("a,,,\n"), "2:4: time_us: missing; a body needs a time (time_ns, time_us, time_ms or time_s), or kind 'empty'");
  EXPECT_EQ(rows("a,,1,\nc,,1,\nb,,1,\"a,c\"\n"), "4:6: predecessors: no task is called 'a,c'; ';' stands between names");
  EXPECT_EQ(refused_as("csv", "name,time,predecessors\na,1,\n"),
            "2:1: time_ns: missing; a body needs a time (time_ns, time_us, time_ms or time_s), or kind 'empty'; columns that are not read: "
            "'time'");
  EXPECT_THAT(refused_as("", "name;time_us;predecessors\na;1;\n"), HasSubstr("names one; columns of a table must be separated by commas"));
  EXPECT_THAT(rows("a,hosts,1,\n"), HasSubstr("2:3: kind: is 'hosts'; did you mean 'host'?"));
  EXPECT_EQ(rows("a,memset,1,\n"), "2:1: bytes: missing; kind 'memset' moves bytes");
  EXPECT_EQ(rows("a,1\n"), "2:1: the row has 2 fields; the header has 4");
  EXPECT_THAT(rows("a,,1,b\nb,,1,a\n"), HasSubstr("the edges make a cycle"));
  EXPECT_THAT(refused_as("csv", "time_us,name,time_ms\n"), HasSubstr("1:1: the header has several columns of time"));
  EXPECT_EQ(refused_as("csv", "task,time_us\n"), "1:1: the header has no column 'name'");
  EXPECT_EQ(refused_as("csv", "name,name\n"), "1:1: the column 'name' stands twice");
  EXPECT_THAT(refused_as("csv", "name,time_ns\n"), HasSubstr("has no tasks"));
}

TEST(JsonImport, ReadsTheSameKeys) {
  const Imported read = read_as("json", R"({"tasks": [{"name": "a", "time_ms": 1.5, "who": 1},
    {"name": "b", "kind": "memset", "bytes": 64, "predecessors": ["a"]}]})");
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"a>b"}));
  EXPECT_EQ(time_of(read.graph, "a"), 1'500'000);
  EXPECT_TRUE(has_remark(read, "key 'who' of 1 task is not read"));
  EXPECT_EQ(read_as("json", R"([{"name": "a", "time_ns": 1}])").graph.size(), 1u);
}

TEST(JsonImport, IsKnownByATimeAsByPredecessors) {
  for (const char* const time : {"time_ns", "time_us", "time_ms", "time_s"}) {
    EXPECT_EQ(read_as("", std::string(R"([{"name":"a",")") + time + R"(":5},{"name":"b",")" + time + R"(":5}])").graph.size(), 2u) << time;
  }
  EXPECT_THAT(refused_as("", R"([{"name":"a","who":5}])"), HasSubstr("has an unrecognised format"));
}

TEST(JsonImport, FaultsNameTheField) {
  EXPECT_EQ(refused_as("json", R"([{"name": "a", "time_ns": 1}, {"name": "a", "time_ns": 1}])"),
            " [1].name: is 'a', which a row before it has already");
  EXPECT_EQ(refused_as("json", R"([{"name": "a", "time_ns": 1, "predecessors": ["x"]}])"), " [0].predecessors[0]: no task is called 'x'");
  EXPECT_EQ(refused_as("json", R"([{"name": "a"}])"),
            " [0]: time_ns: missing; a body needs a time (time_ns, time_us, time_ms or time_s), or kind 'empty'");
  EXPECT_EQ(refused_as("json", R"([{"name": "a", "time_us": "1"}])"), " [0].time_us: must be a number, not string");
  EXPECT_EQ(refused_as("json", R"([{"time_us": 1}])"), " [0]: has no 'name'");
}

}  // namespace
}  // namespace tasktwin::scenarios
