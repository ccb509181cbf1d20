// Answers that commands give to one question by several ways, and what files are that nobody can read.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "tests/verify/support/import_folder.hpp"

namespace tasktwin::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SameAnswers : public ImportFolder {
 protected:
  static nlohmann::json account(const nlohmann::json& explained, std::size_t number = 0) { return explained.at("designs").at(number); }
};

double path_share(const nlohmann::json& account, const std::string& cause) {
  return account.at("path").at(cause + "_ns").get<double>() / account.at("makespan_ns").get<double>();
}

TEST_F(SameAnswers, CallsThatAllocateAreNamedOfWrittenGraphsToo) {
  const auto caching = account(json_of("tasktwin explain kv-cache caching"));
  EXPECT_GT(path_share(caching, "host_call"), 0.5);
  EXPECT_LT(path_share(caching, "launch"), 0.3);
  EXPECT_EQ(caching.at("host_calls").at(0).at("name"), "cudaMalloc");
  const auto& calls = caching.at("host_calls").at(0);
  EXPECT_NEAR(calls.at("gain_ns").get<double>(), calls.at("on_path_ns").get<double>(), 0.1 * calls.at("on_path_ns").get<double>());
  const auto pool = account(json_of("tasktwin explain scratch pool"));
  EXPECT_EQ(pool.at("host_calls").at(0).at("name"), "cudaMallocAsync and cudaFreeAsync");
  const auto none = account(json_of("tasktwin explain cholesky cuda-streams"));
  EXPECT_EQ(path_share(none, "host_call"), 0);
}

TEST_F(SameAnswers, LaunchingCallsAreTheHostsWhicheverDesignMakesThem) {
  import_data("programs/encoder.eager.trace.json.gz");
  const auto both = json_of("tasktwin explain it.yaml as-captured events");
  for (const std::size_t design : {0U, 1U}) {
    const auto one = account(both, design);
    EXPECT_NEAR(path_share(one, "host_call"), 0.12, 0.01) << design;
    EXPECT_LT(path_share(one, "launch"), 0.001) << design;
    EXPECT_EQ(one.at("host_calls").at(0).at("name"), "cudaLaunchKernel") << design;
  }
}

TEST_F(SameAnswers, WaitsOfATraceWithoutPointersAreNotCalledTheHosts) {
  import_data("programs/diamond.syncs.trace.json.gz");
  std::string text = in_folder("tasktwin advise it.yaml").out;
  std::ranges::replace(text, '\n', ' ');
  EXPECT_THAT(text, AllOf(HasSubstr("1 are the host's own and of 75 too little is known"),
                          HasSubstr("The host's own: cudaDeviceSynchronize#4."), HasSubstr("Not known: cudaStreamSynchronize#1, #2")));
}

TEST_F(SameAnswers, AdviceAndExplanationAgreeOnTheSameChange) {
  import_data("programs/diamond.syncs.trace.json.gz");
  const auto advice = json_of("tasktwin advise it.yaml").at("advice");
  const auto explained = json_of("tasktwin explain it.yaml");
  const auto one = account(explained);
  const auto takes = [&advice](const std::string& kind) {
    for (const auto& proposal : advice.at("proposals")) {
      if (proposal.at("kind") == kind) return proposal.at("makespan_ns").get<std::int64_t>();
    }
    return std::int64_t{0};
  };
  for (const auto& cost : one.at("costs")) {
    if (cost.at("cause") != "host_own") continue;
    EXPECT_EQ(takes("host_own"), one.at("makespan_ns").get<std::int64_t>() - cost.at("gain_ns").get<std::int64_t>());
  }
  EXPECT_EQ(takes("graph"), explained.at("changes").at("axes").at(0).at("makespan_ns").get<std::int64_t>());
  EXPECT_EQ(advice.at("bound").at("bound_ns"), one.at("bounds").at("highest_ns"));
}

TEST_F(SameAnswers, WhatIsAGraphIsNotToBecomeOne) {
  import_data("programs/encoder.graph.trace.json.gz");
  const auto advice = json_of("tasktwin advise it.yaml").at("advice");
  for (const auto& proposal : advice.at("proposals")) EXPECT_NE(proposal.at("kind"), "graph");
  EXPECT_THAT(advice.at("remarks").dump(), HasSubstr("are launched as CUDA graphs already, by 3 launches"));
  EXPECT_THAT(in_folder("tasktwin explain it.yaml").out, Not(HasSubstr("--as ")));
  EXPECT_THAT(in_folder("tasktwin simulate it.yaml --as graph").out, HasSubstr("launched as graphs already"));
}

TEST_F(SameAnswers, AGraphThatWinsIsSaidToBeTheMostWithoutAnyOptionToo) {
  import_data("programs/encoder.eager.trace.json.gz");
  for (const std::string command : {"compare", "simulate"}) {
    const Outcome outcome = in_folder("tasktwin " + command + " it.yaml");
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("Of cuda-graph's gain of"), HasSubstr("A graph is an upper bound"))) << command;
    EXPECT_THAT(in_folder("tasktwin " + command + " cholesky").out, Not(HasSubstr("upper bound"))) << command;
  }
}

TEST_F(SameAnswers, AGraphOfCollectivesIsCaptured) {
  const Outcome outcome = in_folder("tasktwin simulate tensor-parallel --as graph");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cuda-graph"));
}

TEST_F(SameAnswers, AnAllocatorOfACapturedProgramIsNotChangedInSilence) {
  import_data("others/hta-alexnet.json.gz");
  const Outcome outcome = in_folder("tasktwin simulate it.yaml --allocator pool");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("--allocator"), HasSubstr("that allocate or free"), HasSubstr("tasktwin advise")));
}

TEST_F(SameAnswers, FaultsOfOneKindAreCounted) {
  std::string rows = "name,time_us,predecessors\n";
  for (int i = 0; i < 50; ++i) rows += "t" + std::to_string(i) + "," + std::to_string(i) + ".5us,\n";
  const Outcome units = import_text("units.csv", rows);
  EXPECT_EQ(std::ranges::count(units.err, '\n'), 3) << units.err;
  EXPECT_THAT(units.err,
              AllOf(HasSubstr("units.csv:2:4: is '0.5us'; must be a number without its unit"), HasSubstr("(and 47 more like this)")));
  EXPECT_THAT(import_text("near.csv", "name,time_us,predecessors\nload,1,\nscan,1,loda\n").err,
              HasSubstr("no task is called 'loda'; did you mean 'load'?"));
}

TEST_F(SameAnswers, FilesThatCannotBeReadAreCalledByTheirNames) {
  const std::pair<std::string, std::string> kFiles[] = {
      {"a.nsys-rep", "nsys export --type sqlite"},
      {"a.ncu-rep", "a report of Nsight Compute"},
      {"a.xplane.pb", "XPlane"},
      {"perf.data", "'perf record'"},
      {"memory.raw", "a memory timeline of PyTorch"},
      {"a.mmd", "Mermaid"},
      {"rocprof.csv", "a table of rocprof"},
      {"stats.csv", "a table of 'nsys stats'"},
      {"records.json", "import swimlane"},
  };
  const std::map<std::string, std::string> kTexts{
      {"perf.data", "PERFILE2"},
      {"memory.raw", "[[-1, 1, 37888, 7]]"},
      {"rocprof.csv", "\"Index\",\"KernelName\",\"DurationNs\"\n0,\"k\",1\n"},
      {"stats.csv", "Start (ns),Duration (ns),CorrId,Name\n1,2,3,k\n"},
      {"records.json", "{\"chip_swimlane_level\": 3, \"metadata\": {}}"},
  };
  for (const auto& [name, what] : kFiles) {
    const auto text = kTexts.find(name);
    const Outcome outcome = import_text(name, text == kTexts.end() ? "x\n" : text->second);
    EXPECT_EQ(outcome.code, 2) << name;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(name + ": is "), HasSubstr(what))) << name;
  }
  ASSERT_EQ(
      in_folder("tasktwin simulate example --designs static-queues --trace own.json --timeline own.csv --format json >result.json").code,
      0);
  for (const std::string own : {"own.json", "own.csv", "result.json"})
    EXPECT_THAT(in_folder("tasktwin scenario import " + own + " --output it.yaml").err, HasSubstr(own + ": is ")) << own;
  const std::string other = R"({"traceEvents":[{"ph":"X","cat":"foo","name":"n","pid":1,"tid":1,"ts":1,"dur":2}]})";
  EXPECT_THAT(import_text("other.json", other).err, AllOf(HasSubstr("a trace of another program"), Not(HasSubstr("Usual causes"))));
}

TEST_F(SameAnswers, StreamsOfATableAreADesignOfItsScenario) {
  ASSERT_EQ(import_text("t.csv", "name,time_us,stream\na,5,0\nb,5,1\nc,5,1\n").code, 0);
  const auto results = json_of("tasktwin simulate it.yaml");
  EXPECT_EQ(results.at("designs").at(0).at("design"), "own-streams");
}

TEST_F(SameAnswers, FieldsOfATableThatNoDesignReadsAreSaid) {
  ASSERT_EQ(import_text("t.csv", "name,time_us,layer,priority\na,5,1,3\nb,5,2,4\n").code, 0);
  EXPECT_THAT(in_folder("tasktwin simulate it.yaml --designs static-queues").err,
              AllOf(HasSubstr("priority of"), HasSubstr("layer of"), HasSubstr("does not count here")));
}

TEST_F(SameAnswers, TasksOfJsonMayWaitForIds) {
  const std::string tasks = R"({"tasks":[{"id":1,"name":"a","time_us":5},{"id":2,"name":"b","time_us":3,"predecessors":[)";
  EXPECT_THAT(import_text("t.json", tasks + "1]}]}").out, HasSubstr("2 tasks, 1 dependencies"));
  EXPECT_THAT(import_text("t.json", tasks + "7]}]}").err, HasSubstr("no task is called '7'"));
}

TEST_F(SameAnswers, ACompilerThatIsNotThereIsNotSaidToBuild) {
  const std::string script = std::filesystem::absolute("scripts/setup.sh").string();
  const Outcome outcome = in_folder("CUDACXX=/nowhere/nvcc TASKTWIN_PACKAGES=/dev/null sh '" + script + "'");
  EXPECT_THAT(outcome.out, Not(HasSubstr("are built")));
  EXPECT_THAT(outcome.err, HasSubstr("/nowhere/nvcc, which CUDACXX names, is not there"));
}

TEST_F(SameAnswers, AGraphComesBackFromDotAsItWas) {
  write_text(folder_ / "s.yaml", R"(scenario: s
machine: nvidia-h200
graph:
  tasks:
    - {name: a, time_ns: 5000, sigma_ns: 900, threads: 1024, shared_memory_bytes: 100000, blocks: 300}
    - {name: b, kernel: stream, bytes: 4000000, threads: 256, blocks: 40, priority: 2, layer: 1, after: [a]}
    - {name: c, time_ns: 0, estimate_ns: 700, prologue_ns: 600, prologue_bytes: 4096, after: [a]}
designs: [cuda-streams]
seed: 3
)");
  const Outcome exported = in_folder("tasktwin scenario export s.yaml --dot s.dot");
  ASSERT_EQ(exported.code, 0) << exported.err;
  EXPECT_EQ(exported.err, "") << "nothing of it is lost";
  ASSERT_EQ(in_folder("tasktwin scenario import s.dot --output it.yaml").code, 0);
  const auto makespan = [&](const std::string& file) {
    return account(json_of("tasktwin explain " + file + " cuda-streams --seed 3")).at("makespan_ns");
  };
  EXPECT_EQ(makespan("it.yaml"), makespan("s.yaml"));
}

}  // namespace
}  // namespace tasktwin::tests
