#include <gmock/gmock.h>

#include "scenarios/scenario_writer/import_scenario.hpp"
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
  EXPECT_TRUE(
      has_remark(read_as("csv", "name,time_s,layr,x\na,0.001,2,3\n"), "columns that are not read: 'layr' (did you mean 'layer'?), 'x'"));
  EXPECT_TRUE(has_remark(read_as("csv", "name,time_s,layer,layr\na,0.001,2,3\n"), "columns that are not read: 'layr'"))
      << "what the table has already is not meant";
  EXPECT_TRUE(has_remark(read_as("json", R"([{"name": "a", "time_us": 1, "prioirty": 3}])"),
                         "key 'prioirty' of 1 task is not read (did you mean 'priority'?)"));
}

TEST(TableImport, AllFaultsAreSaidAtOnceWithColumnsThatMayBeMeantToBeOthers) {
  const std::string csv = refused_as("csv", "name,time_us,layr,predecessors\na,4,1,\nb,-3,2,a\nc,abc,3,zz\n");
  EXPECT_THAT(csv, testing::StartsWith("1:14: the column 'layr' is not read; did you mean 'layer'?\n"));
  EXPECT_THAT(csv, HasSubstr(":3:3: time_us: a time must not be negative"));
  EXPECT_THAT(csv, HasSubstr(":4:3: is 'abc'; must be a number"));
  const std::string order = refused_as("csv", "name,time_us,predecessors\na,4,q\nb,3,r\n");
  EXPECT_THAT(order, HasSubstr("2:5: predecessors: no task is called 'q'"));
  EXPECT_THAT(order, HasSubstr("3:5: predecessors: no task is called 'r'"));
  const std::string others = refused_as("csv", "Task,duration_us,depends_on\na,4,\nb,3,a\n");
  EXPECT_THAT(others, HasSubstr("1:1: the header has no column 'name'; did you mean it by 'Task'?"));
  EXPECT_THAT(others, HasSubstr("1:6: the column 'duration_us' is not read; did you mean 'time_us'?"));
  EXPECT_THAT(others, HasSubstr("1:18: the column 'depends_on' is not read; did you mean 'predecessors'?"));
  EXPECT_EQ(refused_as("csv", "id,name,time_us,predecessors\n1,a,4,\n2,b,3,1\n"),
            "3:7: predecessors: no task is called '1'; tasks are called by their 'name', not by 'id'");
  const std::string json = refused_as(
      "json", R"([{"name": "a", "time_us": -4, "predecessors": []}, {"name": "b", "time_us": "x", "layr": 3, "predecessors": []}])");
  EXPECT_THAT(json, HasSubstr("[1].layr: the key 'layr' is not read; did you mean 'layer'?"));
  EXPECT_THAT(json, HasSubstr("[0].time_us: a time must not be negative"));
  EXPECT_THAT(json, HasSubstr("[1].time_us: "));
}

TEST(CsvImport, ABodyWithoutTimeIsEmptyUnlessItsKernelIsStated) {
  EXPECT_EQ(read_as("csv", "name,time_ns\na,0\n").graph[task_id(0)].kernel, Kernel::kEmpty);
  EXPECT_EQ(read_as("csv", "name,kernel,time_ns\na,spin,0\n").graph[task_id(0)].kernel, Kernel::kSpin) << "as in a scenario";
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

TEST(CsvImport, EveryFieldOfATaskIsAColumn) {
  const Imported read =
      read_as("csv",
              "name,operation,kind,kernel,time_us,flops,bytes,sigma_ns,layer,stream,threads,samples_ns,host_memory,after\n"
              "load,copy_h2d,,,,,4096,,1,2,,,pageable,\n"
              "qk,,gemm,,,1000,64,,2,1,128,,,load\n"
              "soft,spin,softmax,,5,,,300,3,1,,,,qk\n"
              "add,,,fma,,77,,,3,1,,,,qk\n"
              "drawn,,,,,,,,4,,,10;20;30,,soft;add\n");
  const auto task = [&read](const char* name) { return read.graph[task_called(read.graph, name)]; };
  const auto traits = [&read](const char* name) { return read.graph.traits(task_called(read.graph, name)); };
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"load>qk", "qk>soft", "qk>add", "soft>drawn", "add>drawn"}));
  EXPECT_EQ(task("load").layer, 1);
  EXPECT_TRUE(traits("load").pageable);
  EXPECT_EQ(traits("qk").kind, "gemm");
  EXPECT_EQ(task("qk").cost.flops.count, 1000);
  EXPECT_EQ(task("qk").cost.bytes.count, 64);
  EXPECT_EQ(traits("qk").threads, 128);
  EXPECT_EQ(traits("soft").kind, "softmax");
  EXPECT_EQ(task("soft").cost.sigma_ns, 300u);
  EXPECT_EQ(task("add").kernel, Kernel::kFma);
  EXPECT_EQ(traits("drawn").samples.size(), 3u);
  EXPECT_FALSE(has_remark(read, "'operation' is read"));
  EXPECT_THAT(refused_as("csv", "name,time_us,layer\na,1,x\n"), HasSubstr("2:5: is 'x'; must be a number"));
  EXPECT_THAT(refused_as("csv", "name,time_us,probability\na,1,2\n"), HasSubstr("2:5: probability: "));
  EXPECT_THAT(refused_as("csv", "name,time_us,kernel\na,1,fma\n"), HasSubstr("kernel 'fma'"));
  EXPECT_THAT(refused_as("csv", "name,operation,time_us,sigma_ns\na,host,1,3\n"),
              HasSubstr("2:10: sigma_ns: does not go with operation 'host'"));
}

TEST(CsvImport, AKindThatIsAnOperationIsReadAsTablesHadIt) {
  const Imported read = read_as("csv", "name,kind,time_us,bytes\na,copy_h2d,,5\nb,gemm,1,\n");
  EXPECT_EQ(read.graph[task_called(read.graph, "a")].operation, Operation::kCopyH2d);
  EXPECT_EQ(read.graph.traits(task_called(read.graph, "b")).kind, "gemm");
  EXPECT_TRUE(has_remark(read, "1 row with an operation as 'kind'"));
  EXPECT_THAT(refused_as("csv", "name,operation,kind,time_us\na,gemm,,1\n"),
              HasSubstr("2:3: operation: is 'gemm'; valid: spin, empty, kernel"));
}

TEST(CsvImport, AColumnThatLooksLikePredecessorsIsAskedAbout) {
  for (const char* const column : {"deps", "Depends-On", "predecesors", "parents", "dependencies_list", "upstream", "requires"}) {
    EXPECT_EQ(refused_as("csv", std::string("name,time_us,") + column + "\na,1,\n"),
              "1:14: the column '" + std::string(column) + "' is not read; did you mean 'predecessors'? Name it so, or leave it out");
  }
  EXPECT_THAT(refused_as("json", R"([{"name": "a", "time_ns": 1, "deps": []}])"),
              HasSubstr("[0].deps: is not read; did you mean 'predecessors'?"));
  EXPECT_TRUE(has_remark(read_as("csv", "name,time_us,predecessors,parents\na,1,,x\n"), "columns that are not read: 'parents'"));
}

TEST(CsvImport, AColumnWhoseCellsNameOtherTasksIsAskedAbout) {
  EXPECT_EQ(
      refused_as("csv", "name,time_us,inputs\na,1,\nb,1,a\nc,1,a;b\n"),
      "1:14: the column 'inputs' names tasks of the table, and is not read; did you mean 'predecessors'? Name it so, or leave it out");
  EXPECT_THAT(refused_as("csv", "name,time_us,inputs\na,1,\nb,1,\"a, c\"\nc,1,a\n"), HasSubstr("did you mean 'predecessors'?"));
  EXPECT_THAT(refused_as("csv", "name,time_us,inputs\nthe a,1,\nb,1,the a\nc,1,b the a\nd,1,\n"), testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(refused_as("csv", "name,time_us,inputs\nthe a,1,\nb,1,the a\nc,1,b\n"), HasSubstr("did you mean 'predecessors'?"));
  EXPECT_THAT(refused_as("csv", "name,time_us,inputs\na,1,\nb,1,a\nc,1,a b\n"), HasSubstr("did you mean 'predecessors'?"));
  for (const char* const other : {"a,1,\nb,1,tensor\n", "a,1,b\nb,1,a\n", "a,1,\nb,1,b\n", "a,1,\nb,1,\n"}) {
    EXPECT_TRUE(has_remark(read_as("csv", std::string("name,time_us,inputs\n") + other), "columns that are not read: 'inputs'")) << other;
  }
  EXPECT_TRUE(has_remark(read_as("csv", "name,time_us,predecessors,inputs\na,1,,\nb,1,a,a\n"), "columns that are not read: 'inputs'"));
  EXPECT_THAT(refused_as("csv", "name,time_us,predecessors,inputs\na,1,,\nb,1,,a\n"), HasSubstr("did you mean 'predecessors'?"));
}

TEST(JsonImport, AKeyWhoseValuesNameOtherTasksIsAskedAbout) {
  const auto table = [](const std::string& first, const std::string& second) {
    return R"([{"name": "a", "time_us": 1, "inputs": )" + first + R"(}, {"name": "b", "time_us": 1, "inputs": )" + second + "}]";
  };
  EXPECT_THAT(refused_as("json", table("[]", R"(["a"])")),
              HasSubstr("[0].inputs: names tasks of the table, and is not read; did you mean 'predecessors'?"));
  EXPECT_THAT(refused_as("json", table("null", R"("a")")), HasSubstr("did you mean 'predecessors'?"));
  for (const auto& [first, second] : {std::pair("[]", "[3]"), std::pair("[]", "{}"), std::pair(R"(["b"])", R"(["a"])")}) {
    EXPECT_TRUE(has_remark(read_as("json", table(first, second)), "key 'inputs' of 2 tasks is not read")) << second;
  }
}

TEST(CsvImport, EventsBesideCopiesHaveDesignsThatRunBoth) {
  const Imported read = read_as("csv", "name,operation,bytes,time_us,predecessors\nload,copy_h2d,1048576,,\ne,event,,,load\ngemm,,,40,e\n");
  const std::vector<ImportDesign> designs = import_designs(read);
  EXPECT_THAT(designs, testing::Contains(testing::Field(&ImportDesign::yaml, "cuda-streams")));
}

TEST(JsonImport, AnotherKeyIsAskedAboutWhereNoTaskStatesWhatItWaitsFor) {
  EXPECT_THAT(refused_as("json", R"([{"name": "a", "time_us": 1, "predecessors": [], "successors": ["b"]},
                                     {"name": "b", "time_us": 1, "predecessors": []}])"),
              HasSubstr("successors: is not read, and seems to say what comes after a task"));
}

TEST(CsvImport, FaultsNameTheColumnThatWasWritten) {
  EXPECT_THAT(refused_as("csv", "name,kind,time_us,operation\na,gemm,1,copy\n"), HasSubstr("2:10: operation: is 'copy'"));
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
  const std::string untimed = refused_as("csv", "name,time,predecessors\na,1,\n");
  EXPECT_THAT(untimed, HasSubstr("1:6: the column 'time' is not read; did you mean 'time_ns'?"));
  EXPECT_THAT(untimed,
              HasSubstr("2:1: time_ns: missing; a body needs a time (time_ns, time_us, time_ms or time_s), or kind 'empty'; columns "
                        "that are not read: 'time'"));
  EXPECT_THAT(refused_as("", "name;time_us;predecessors\na;1;\n"), HasSubstr("names one; columns of a table must be separated by commas"));
  EXPECT_THAT(rows("a,hosts,1,\n"), HasSubstr("2:3: kind: is 'hosts'; did you mean 'host'?"));
  EXPECT_EQ(rows("a,memset,1,\n"), "2:1: bytes: missing; kind 'memset' moves bytes");
  EXPECT_EQ(rows("a,1\n"), "2:1: the row has 2 fields; the header has 4");
  EXPECT_THAT(rows("a,,1,b\nb,,1,a\n"), HasSubstr("the edges make a cycle"));
  EXPECT_THAT(refused_as("csv", "time_us,name,time_ms\n"), HasSubstr("1:1: the header has several columns of time"));
  EXPECT_EQ(refused_as("csv", "task,time_us\n"), "1:1: the header has no column 'name'; did you mean it by 'task'?");
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
  EXPECT_EQ(read_as("", R"([{"name": "a", "time_ns": 1}, {"name": "b", "time_ns": 1}])").graph.size(), 2u) << "known without edges";
}

std::string with_beside(const std::string& beside) {
  return R"({"tasks": [{"name": "a", "time_us": 10, "id": 7}, {"name": "b", "time_us": 20, "id": 8},
    {"name": "c", "time_us": 30, "id": 9}], )" +
         beside + "}";
}

TEST(JsonImport, ListsOfPairsBesideTheTasksAreDependencies) {
  const std::set<std::string> chain{"a>b", "b>c"};
  for (const char* const pairs :
       {R"("edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}])", R"("links": [{"source": "a", "target": "b"}, ["b", "c"]])",
        R"("dependencies": [{"from": 7, "to": 8}, {"source": "8", "target": "c"}])", R"("edges": [["a", "b"]], "links": [["b", "c"]])"}) {
    EXPECT_EQ(edges_of(read_as("", with_beside(pairs)).graph), chain) << pairs;
  }
  const Imported weighted = read_as("json", with_beside(R"("edges": [{"from": "a", "to": "b", "weight": 3}])"));
  EXPECT_TRUE(has_remark(weighted, "key 'weight' of 1 pair of 'edges' is not read"));
  EXPECT_FALSE(has_remark(weighted, "key 'id'"));
  EXPECT_EQ(edges_of(read_as("json", with_beside(R"("edges": [["a", "b"], ["b", "c"]])"), {.drop_edges = {"edges"}}).graph).size(), 0u);
}

TEST(JsonImport, PairsThatNameNoTaskAreRefused) {
  EXPECT_EQ(refused_as("json", with_beside(R"("edges": [{"from": "a", "to": "d"}])")), " edges[0].to: no task is called 'd'");
  EXPECT_EQ(refused_as("json", with_beside(R"("links": [[7, 10]])")), " links[0][1]: no task is called '10'");
  EXPECT_THAT(refused_as("json", with_beside(R"("edges": [{"from": "a"}])")), HasSubstr("edges[0]: must be a pair of tasks"));
  EXPECT_THAT(refused_as("json", with_beside(R"("edges": [{"from": "a", "to": "b", "source": "b", "target": "a"}])")),
              HasSubstr("edges[0]: must be a pair of tasks"));
  EXPECT_THAT(refused_as("json", with_beside(R"("edges": {"a": "b"})")), HasSubstr("edges: must be a list"));
  EXPECT_THAT(refused_as("json", with_beside(R"("edges": [["a", "b"], ["b", "a"]])")), HasSubstr("make a cycle"));
  EXPECT_EQ(refused_as("json", R"({"tasks": [{"name": "a", "time_us": 1, "id": "b"}, {"name": "b", "time_us": 1, "id": "x"}],
    "edges": [["b", "x"]]})"),
            " edges[0][0]: 'b' is the name of one task and the id of another");
}

TEST(JsonImport, OtherKeysBesideTheTasksAreSaidOrAskedAbout) {
  const Imported read = read_as("json", with_beside(R"("time_unit": "ms", "sizes": [[1, 2]])"));
  EXPECT_TRUE(has_remark(read, "key 'time_unit' beside 'tasks' is not read"));
  EXPECT_TRUE(has_remark(read, "key 'sizes' beside 'tasks' is not read"));
  EXPECT_EQ(refused_as("json", with_beside(R"("arcs": [["a", "b"]])")),
            " arcs: names pairs of tasks, and is not read; did you mean 'edges'? Name it so, or leave it out");
}

TEST(JsonImport, EveryFieldOfATaskIsAKey) {
  const Imported read =
      read_as("json", R"([{"name": "a", "operation": "spin", "kind": "gemm", "flops": 12, "layer": -1, "cluster": 2, "blocks": 4},
    {"name": "b", "time_ns": 3, "other": {"core_type": "aiv", "time_ns": 9}, "core_type": "aic", "after": ["a"]}])");
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"a>b"}));
  EXPECT_EQ(read.graph.traits(task_called(read.graph, "a")).kind, "gemm");
  EXPECT_EQ(read.graph[task_called(read.graph, "a")].layer, -1);
  EXPECT_EQ(read.graph.traits(task_called(read.graph, "a")).cluster, 2);
  EXPECT_EQ(read.graph.traits(task_called(read.graph, "b")).other_type, CoreType::kAiv);
  EXPECT_THAT(refused_as("json", R"([{"name": "a", "time_ns": 1, "cluster": 99}])"), HasSubstr("[0].cluster: "));
  const Imported csv = read_as("csv", "name,time_ns,blocks,cooperative\na,1,2,true\nb,1,2,false\nc,1,2,\n");
  EXPECT_TRUE(csv.graph.traits(task_called(csv.graph, "a")).cooperative);
  EXPECT_FALSE(csv.graph.traits(task_called(csv.graph, "b")).cooperative);
  EXPECT_FALSE(csv.graph.traits(task_called(csv.graph, "c")).cooperative);
  EXPECT_THAT(refused_as("csv", "name,time_ns,cooperative\na,1,yes\n"), HasSubstr("must be true or false"));
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
