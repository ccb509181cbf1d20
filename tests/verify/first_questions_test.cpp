// Questions that users ask first of their own files, by the commands that come first to hand.
#include <algorithm>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "tests/verify/support/import_folder.hpp"
#include "tests/verify/support/page_data.hpp"
#include "verify/report/page_text.hpp"

namespace tasktwin::tests {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

class FirstQuestions : public ImportFolder {};

double gain_of_a_graph(const nlohmann::json& both) {
  const auto base = both.at(1).at("baseline").at("makespan_ns").get<double>();
  return 1 - both.at(1).at("designs").at(0).at("makespan_ns").get<double>() / base;
}

TEST_F(FirstQuestions, ThePageHoldsAWhatIfAgainstTheProgramToo) {
  if (!verify::report_page()) GTEST_SKIP() << "built without Node: there is no page";
  import_data("programs/encoder.eager.trace.json.gz");
  ASSERT_EQ(in_folder("tasktwin compare it.yaml --designs cuda-graph --as graph --report page.html").code, 0);
  const nlohmann::json scenarios = page_data(read_text(folder_ / "page.html")).at("scenarios");
  EXPECT_TRUE(scenarios.at(0).at("what_if").is_null());
  const nlohmann::json& what_if = scenarios.at(1).at("what_if");
  EXPECT_EQ(what_if.at("baseline").at("design"), "as-captured");
  EXPECT_GT(what_if.at("baseline").at("makespan_ns").get<double>(), 1.9e7);
  EXPECT_THAT(what_if.at("sentences").at(0).get<std::string>(), HasSubstr("upper bound"));
}

// Measured: 4252 us eager without a profiler, 346 as a graph, 91.9 % less; an iteration took some 6000 with it.
TEST_F(FirstQuestions, WhatAGraphBringsIsSaidOfTheProfiledProgramAndAsTheMost) {
  import_data("programs/encoder.eager.trace.json.gz");
  EXPECT_THAT(gain_of_a_graph(json_of("tasktwin simulate it.yaml --as graph")), AllOf(Ge(0.935), Le(0.955)));
  EXPECT_THAT(gain_of_a_graph(json_of("tasktwin simulate it.yaml --as graph --unprofiled 4252us")), AllOf(Ge(0.91), Le(0.93)));
  const std::string told = in_folder("tasktwin simulate it.yaml --as graph").out;
  EXPECT_THAT(told, AllOf(HasSubstr("a profiler's included"), HasSubstr("upper bound")));
}

nlohmann::json explained(const nlohmann::json& result);

// A step that goes backward in a thread of its own, for which the first one waits: what one does delays the other.
TEST_F(FirstQuestions, WhatAThreadOfPytorchTakesIsGainedWithoutIt) {
  const std::string path = std::filesystem::absolute("examples/traces/pytorch-right.json.gz").string();
  ASSERT_EQ(in_folder("tasktwin scenario import '" + path + "' --output it.yaml").code, 0);
  const nlohmann::json one = explained(json_of("tasktwin explain it.yaml"));
  double calls = 0;
  for (const nlohmann::json& call : one.at("host_calls")) {
    const auto on_path = call["on_path_ns"].get<double>();
    calls += on_path;
    if (call["cause"] != "host_call") continue;
    EXPECT_GT(call["gain_ns"].get<double>(), 0.8 * on_path) << call;
  }
  EXPECT_GT(calls, 0.4 * one.at("makespan_ns").get<double>()) << "modules are loaded, and memory is allocated";
  for (const nlohmann::json& range : one.at("host_ranges"))
    EXPECT_GT(range["gain_ns"].get<double>(), 0.8 * range["on_path_ns"].get<double>()) << range;
}

nlohmann::json explained(const nlohmann::json& result) { return result.at("designs").at(0); }

TEST_F(FirstQuestions, SynchronisationsAreNamedByCallWithWhatEachCosts) {
  import_data("programs/diamond.syncs.trace.json.gz");
  const nlohmann::json one = explained(json_of("tasktwin explain it.yaml"));
  EXPECT_EQ(one.at("design"), "as-captured");
  const auto is_sync = [](const nlohmann::json& call) { return call["name"] == "cudaStreamSynchronize" && call["cause"] == "host_sync"; };
  const auto found = std::ranges::find_if(one.at("host_calls"), is_sync);
  ASSERT_NE(found, one.at("host_calls").end());
  EXPECT_GT(found->at("gain_ns").get<double>(), 100e3);
}

TEST_F(FirstQuestions, CallsThatTookSecondsAreNamedFirst) {
  import_data("others/hta-alexnet.json.gz");
  const nlohmann::json calls = explained(json_of("tasktwin explain it.yaml")).at("host_calls");
  const std::array<std::pair<std::string, double>, 3> first{
      std::pair{"cudaFree", 6.0e9}, std::pair{"module loading in cudaLaunchKernel", 3.0e9}, std::pair{"cudaMalloc", 1.9e9}};
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(calls.at(i).at("name"), first[i].first);
    EXPECT_GT(calls.at(i).at("on_path_ns").get<double>(), first[i].second);
    EXPECT_GT(calls.at(i).at("gain_ns").get<double>(), 0.9 * first[i].second);
  }
}

TEST_F(FirstQuestions, CollectivesOfATensorParallelStepAreTheLargestPartByName) {
  write_text(folder_ / "it.yaml",
             "scenario: it\nmachine: dgx-h100\ngraph: {generator: tensor_parallel_decode, devices: 8, layers: 4}\n"
             "designs: [{name: d, from: cuda-streams, stream_granularity: single, launching: thread_per_device}]\n");
  const nlohmann::json path = explained(json_of("tasktwin explain it.yaml")).at("path");
  for (const auto& [cause, time] : path.items()) {
    if (cause == "collective_ns") continue;
    EXPECT_LT(time.get<double>(), path.at("collective_ns").get<double>()) << cause;
  }
  EXPECT_THAT(in_folder("tasktwin explain it.yaml").out, HasSubstr("critical path are collectives ("));
}

TEST_F(FirstQuestions, ChangesThatWouldHelpAreOfDifferentAxes) {
  write_text(
      folder_ / "it.yaml",
      "scenario: it\nmachine: dgx-h100\ngraph: {generator: tensor_parallel_decode, devices: 8, layers: 2}\n"
      "designs: [{name: d, from: cuda-streams, stream_granularity: single}, {name: e, from: cuda-streams, stream_granularity: single, "
      "launching: thread_per_device}]\n");
  const nlohmann::json axes = json_of("tasktwin explain it.yaml d").at("changes").at("axes");
  std::set<std::string> seen;
  for (const nlohmann::json& change : axes) {
    const std::string what = change["what"];
    EXPECT_TRUE(seen.insert(what.substr(0, what.find(' '))).second) << what;
  }
  EXPECT_GE(seen.size(), 2U);
  EXPECT_TRUE(seen.contains("collective")) << "tree and ring are both faster";
  EXPECT_THAT(in_folder("tasktwin explain it.yaml").out, HasSubstr("; of its 2 designs the fastest"));
  EXPECT_THAT(in_folder("tasktwin explain it.yaml d").out, Not(HasSubstr("the fastest")));
}

TEST_F(FirstQuestions, TablesAsOthersWriteThemAreReadOrAskedAbout) {
  EXPECT_EQ(import_text("blanks.csv", "name, time_us, predecessors\na, 3, \nb, 4, a\n").code, 0);
  EXPECT_EQ(import_text("capitals.csv", "Name,Time_us,Predecessors\na,3,\nb,4,a\n").code, 0);
  EXPECT_THAT(import_text("id.csv", "id,time_us,predecessors\n0,3,\n1,4,0\n").err,
              HasSubstr("id.csv:1:1: the header has no column 'name'; did you mean it by 'id'?"));
  EXPECT_THAT(import_text("task.csv", "time_us,task\n3,a\n").err, HasSubstr("task.csv:1:9: the header has no column 'name'; did you mean"));
  EXPECT_THAT(import_text("other.csv", "a,b\n1,2\n").err, HasSubstr("other.csv:1:1: the header has no column 'name'"));
  EXPECT_THAT(import_text("semicolons.csv", "name;time_us\na;3\n").err, HasSubstr("columns of a table must be separated by commas"));
  EXPECT_THAT(import_text("blank.csv", "name,time_us,predecessors\na,3,\nb,4,\nc,5,a b\n").err,
              HasSubstr("no task is called 'a b'; ';' stands between names"));
  for (const char* const column : {"successors", "children"}) {
    EXPECT_THAT(import_text("turned.csv", "name,time_us," + std::string(column) + "\na,3,b\nb,4,\n").err,
                AllOf(HasSubstr("seems to say what comes after a task"), Not(HasSubstr("did you mean"))));
  }
  EXPECT_THAT(import_text("turned.json", R"([{"name":"a","time_us":3,"successors":["b"]},{"name":"b","time_us":4}])").err,
              HasSubstr("seems to say what comes after a task"));
}

TEST_F(FirstQuestions, ABoundOfMemoryIsThatOfTheDeviceWithTheMostBytes) {
  const auto bound = [this](const std::string& machine) {
    write_text(folder_ / "it.yaml", "scenario: it\nmachine: " + machine +
                                        "\ngraph: {tasks: [{name: a, kernel: stream, bytes: 400000000, blocks: 132, device: 0}]}\ndesigns: "
                                        "[{name: s, from: cuda-streams, launching: thread_per_device}]\n");
    return json_of("tasktwin simulate it.yaml").at("designs").at(0).at("bounds").at("memory_ns").get<double>();
  };
  EXPECT_DOUBLE_EQ(bound("dgx-h100"), bound("nvidia-h100x2")) << "seven other devices read nothing";
}

TEST_F(FirstQuestions, SharesOfCoresAddUpWithThoseGivenToControlCores) {
  const std::string told = in_folder("tasktwin explain cholesky central-dispatcher").out;
  double sum = 0;
  for (std::size_t at = told.find("cores busy "); at < told.rfind("highest bound"); at = told.find('\n', at) + 1) {
    const std::size_t percent = told.find(" %", at);
    sum += std::stod(told.substr(told.rfind(' ', percent - 1), percent - told.rfind(' ', percent - 1)));
  }
  EXPECT_NEAR(sum, 100, 0.3) << told;
  EXPECT_THAT(told, HasSubstr("idle: given to control cores"));
}

TEST_F(FirstQuestions, ASweepSaysThatOnlyASearchTakesAllWords) {
  EXPECT_THAT(in_folder("tasktwin sweep example --vary designs.order").err,
              HasSubstr("'tasktwin search' alone takes all words of an axis by itself"));
}

TEST_F(FirstQuestions, AMachineIsMeantByAPartOfItsName) {
  EXPECT_THAT(in_folder("tasktwin simulate example --machine H100").err,
              HasSubstr("--machine: no such file, and no shipped machine 'H100'; did you mean 'nvidia-h100'?"));
}

TEST_F(FirstQuestions, SeveralFilesThatAreNoRanksSaySo) {
  const std::string path = std::filesystem::absolute("tests/data/others/hta-alexnet.json.gz").string();
  EXPECT_THAT(in_folder("tasktwin scenario import '" + path + "' '" + path + "' --output it.yaml").err,
              HasSubstr("several files together are the ranks of one run, which format 'kineto' does not make; import each by itself"));
}

TEST_F(FirstQuestions, AScenarioNeedNotBeImported) {
  EXPECT_THAT(import_text("mine.yaml", "scenario: mine\nmachine: nvidia-h200\ngraph: {generator: chain}\n").err,
              HasSubstr("mine.yaml: is a scenario already"));
}

TEST_F(FirstQuestions, AShortOptionIsTheLongOneOfItsLetter) {
  const Outcome outcome = in_folder("tasktwin scenario import t.csv -o it.yaml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unknown option '-o'; did you mean '--output'?"));
}

TEST_F(FirstQuestions, ATraceOfAnotherDeviceSaysSo) {
  const auto trace = [](const std::string& category) {
    return R"({"schemaVersion":1,"traceEvents":[{"ph":"X","cat":")" + category +
           R"(","name":"n","pid":1,"tid":1,"ts":1,"dur":2,"args":{}},{"ph":"X","cat":"cpu_op","name":"o","pid":1,"tid":1,"ts":1,"dur":2}]})";
  };
  EXPECT_THAT(import_text("t.json", trace("mtia_ccp_events")).err, AllOf(HasSubstr("other accelerators"), Not(HasSubstr("Usual causes"))));
  EXPECT_THAT(import_text("t.json", trace("cuda_profiler_range")).err, HasSubstr("counters in place of kernels' times"));
  EXPECT_THAT(import_text("t.json", trace("python_function")).err, HasSubstr("Usual causes"));
}

TEST_F(FirstQuestions, MicrosecondsAsNanosecondsAreAskedAbout) {
  const auto notes = [this](const std::string& time) {
    write_text(folder_ / "it.yaml", "scenario: it\nmachine: nvidia-h200\ngraph: {tasks: [{name: a, time_ns: 4}, {name: b, time_ns: " +
                                        time + ", after: [a]}]}\ndesigns: [static-queues]\n");
    return in_folder("tasktwin simulate it.yaml").err;
  };
  EXPECT_THAT(notes("30"), AllOf(HasSubstr("the longest body, of task 'b', takes 30 ns"), HasSubstr("1 us is 1000 ns")));
  EXPECT_EQ(notes("400"), "");
}

TEST_F(FirstQuestions, AGateSaysThatItsBaselineIsAnotherMachines) {
  const std::string compare = "tasktwin compare example --designs static-queues,hybrid --runs 5";
  ASSERT_EQ(in_folder(compare + " --format json >base.json").code, 0);
  EXPECT_THAT(in_folder(compare + " --baseline base.json").err, Not(HasSubstr("machine")));
  EXPECT_THAT(in_folder(compare + " --machine nvidia-h100 --baseline base.json").err,
              HasSubstr("the baseline is of machine nvidia-h200, this of nvidia-h100"));
}

TEST_F(FirstQuestions, WhatAWorkersLoopDoesNotTakeIsSaidOfAKernelsSource) {
  const auto validated = [this](const std::string& source) {
    write_text(folder_ / "own.cu", "#include <tasktwin/kernel.hpp>\n" + source);
    write_text(folder_ / "own.yaml",
               "scenario: own\nmachine: nvidia-h200\nkernels:\n  - {name: k, source: own.cu, parameters: [{name: n, type: integer}], cost: "
               "{flops: 5}}\ngraph: {tasks: [{name: a, kernel: k, arguments: {n: 3}}]}\ndesigns: [static-queues]\n");
    return in_folder("tasktwin scenario validate own.yaml");
  };
  const Outcome kernel = validated("__global__ void k(const tasktwin::Block& block, int n) {}\n");
  EXPECT_EQ(kernel.code, 2);
  EXPECT_THAT(kernel.err, HasSubstr("own.cu:2:1: the entry 'k' is a __global__ kernel; a body is a __device__ function"));
  const Outcome words = validated(
      "// threadIdx\n__device__ void k(const tasktwin::Block& block, int n) {\n  __shared__ float s[4];\n  s[threadIdx.x] = n;\n"
      "  __syncthreads();\n}\n__global__ void other(int) {}\n");
  EXPECT_EQ(words.code, 0) << words.err;
  EXPECT_THAT(words.err, AllOf(HasSubstr("own.cu:4:3: __shared__"), HasSubstr("own.cu:5:5: threadIdx"),
                               HasSubstr("own.cu:6:3: __syncthreads"), Not(HasSubstr("own.cu:2"))));
  EXPECT_THAT(validated("__device__ void k(const tasktwin::Block& block, int n) { block.sync(); }\n").err, Not(HasSubstr("own.cu")));
}

// Two streams, of which the trace does not say what the waits are for: a graph must not run ahead of what they joined.
TEST_F(FirstQuestions, AGraphKeepsTheOrderOfWaitsThatTheFileDoesNotExplain) {
  import_data("programs/branches.four-streams.trace.json.gz");
  const auto makespan = [this](const std::string& file) {
    return json_of("tasktwin simulate " + file + " --designs cuda-graph").at("designs").at(0).at("makespan_ns").get<double>();
  };
  const std::string trace = std::filesystem::absolute("tests/data/programs/branches.four-streams.trace.json.gz").string();
  ASSERT_EQ(in_folder("tasktwin scenario import '" + trace + "' --unknown-waits none --output none.yaml").code, 0);
  EXPECT_GT(makespan("it.yaml"), 1.1 * makespan("none.yaml"));
  expect("tasktwin advise '" + trace + "'", 0, "waits are for events whose record the file does not name");
}

TEST_F(FirstQuestions, AnOwnMachineIsFoundFromTheFolderWhereItIsNamed) {
  write_text(folder_ / "mine.yaml",
             "machine: mine\nfrom: nvidia-h200\nlinks: {h2d_bandwidth_gb_per_s: {value: 20, assumed: another link}}\n");
  const std::string trace = std::filesystem::absolute("tests/data/programs/diamond.syncs.trace.json.gz").string();
  EXPECT_EQ(in_folder("mkdir sub && tasktwin scenario import '" + trace + "' --machine mine.yaml --output sub/it.yaml").code, 0);
  expect("tasktwin simulate sub/it.yaml", 0, "as-captured");
  expect("tasktwin advise '" + trace + "' --machine mine.yaml", 0, "simulated as it was captured");
}

TEST_F(FirstQuestions, MoreStreamsForAChainSaysWhyTheyChangeNothing) {
  write_text(folder_ / "chain.yaml",
             "scenario: chain\nmachine: nvidia-h200\ngraph:\n  tasks:\n    - {name: a, time_ns: 9000}\n    - {name: b, time_ns: 9000, "
             "after: [a]}\n"
             "designs: [cuda-streams]\n");
  expect("tasktwin simulate chain.yaml --streams 4", 0, "its 2 tasks come one after the other, so that no streams run");
}

TEST_F(FirstQuestions, WorkersThatShareACoreForNothingAreSaidToAndNotProposed) {
  std::string tasks;
  for (int i = 0; i < 12; ++i) tasks += "    - {name: t" + std::to_string(i) + ", time_ns: 10000}\n";
  write_text(folder_ / "flat.yaml",
             "scenario: flat\nmachine: {from: nvidia-h200, compute_cores: [{type: sm, count: 2}]}\ngraph:\n  tasks:\n" + tasks +
                 "designs: [static-queues, {name: four, from: static-queues, workers_per_core: 4}]\n");
  expect("tasktwin simulate flat.yaml", 0, "workers_per_core 4: bodies of a stated time take no share of their core");
  const Outcome explained = in_folder("tasktwin explain flat.yaml static-queues");
  EXPECT_EQ(explained.code, 0);
  EXPECT_THAT(explained.out, Not(HasSubstr("workers_per_core")));

  tasks.clear();
  for (int i = 0; i < 24; ++i) tasks += "    - {name: t" + std::to_string(i) + ", time_ns: " + (i % 8 == 0 ? "20000" : "1000") + "}\n";
  write_text(folder_ / "uneven.yaml",
             "scenario: uneven\nmachine: {from: nvidia-h200, compute_cores: [{type: sm, count: 2}]}\ngraph:\n  tasks:\n" + tasks +
                 "designs: [{name: four, from: static-queues, workers_per_core: 4, placement: round_robin}]\n");
  expect("tasktwin explain uneven.yaml four", 0, "it would help most to have placement");
}

}  // namespace
}  // namespace tasktwin::tests
