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

/// A trace of the profiler: two kernels of one stream, and on which card. The second starts `late` us after the first has ended.
std::string two_kernels_on(const std::string& card, int late) {
  const auto event = [](const char* category, const char* name, int ts, int dur, int correlation, const std::string& more) {
    return R"({"ph":"X","cat":")" + std::string(category) + R"(","name":")" + name + R"(","pid":1,"tid":1,"ts":)" + std::to_string(ts) +
           R"(,"dur":)" + std::to_string(dur) + R"(,"args":{"correlation":)" + std::to_string(correlation) + more + "}}";
  };
  const std::string kernel = R"(,"device":0,"stream":7,"grid":[1,1,1],"block":[32,1,1])";
  return R"({"deviceProperties":[{"id":0,"name":")" + card + R"(","numSms":132}],"traceEvents":[)" +
         event("user_annotation", "step#1", 0, 60, 0, "") + "," + event("user_annotation", "step#2", 60, 40, 0, "") + "," +
         event("cuda_runtime", "cudaLaunchKernel", 0, 5, 1, "") + "," + event("kernel", "first", 10, 90, 1, kernel) + "," +
         event("cuda_runtime", "cudaLaunchKernel", 6, 5, 2, "") + "," + event("kernel", "second", 100 + late, 10, 2, kernel) + "]}";
}

TEST_F(ImportFormats, TheMachineIsTheShippedOneThatWasMeasuredOnTheCardOfTheFile) {
  const Outcome known = import(two_kernels_on("NVIDIA H100 80GB HBM3", 1));
  EXPECT_THAT(known.out, HasSubstr("machine: nvidia-h100, measured on a 'NVIDIA H100 80GB HBM3' as the file names"));
  EXPECT_THAT(read_text(folder_ / "made.yaml"), HasSubstr("\"nvidia-h100\""));
  const Outcome other = import(two_kernels_on("NVIDIA A100-SXM4-80GB", 1));
  EXPECT_THAT(other.out, HasSubstr("note: no shipped machine was measured on a 'NVIDIA A100-SXM4-80GB'"));
  EXPECT_THAT(read_text(folder_ / "made.yaml"), HasSubstr("\"nvidia-h200\""));
  EXPECT_THAT(other.out, HasSubstr("range 'step': 2 times, 50.000 µs each in the mean"));
  const Outcome asked = import(two_kernels_on("NVIDIA H100 80GB HBM3", 1), "--machine nvidia-h200");
  EXPECT_THAT(asked.out, ::testing::Not(HasSubstr("as the file names")));
  EXPECT_THAT(read_text(folder_ / "made.yaml"), HasSubstr("\"nvidia-h200\""));
}

TEST_F(ImportFormats, AFileThatNamesNoCardSaysWhichMachineIsTaken) {
  const std::string note = "the file names no card";
  EXPECT_THAT(import("name,time_us\na,1\n").out, HasSubstr("note: " + note + ": machine nvidia-h200 is taken; --machine names another"));
  EXPECT_THAT(import("name,time_us\na,1\n", "--machine nvidia-h100").out, ::testing::Not(HasSubstr(note)));
}

TEST_F(ImportFormats, AReplayThatMissesIsToldInWhatRestsOnItAndFarOffRefused) {
  const std::string text = two_kernels_on("card", 10);  // 8 % of the time, for which nothing accounts
  const Outcome made = import(text);
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("note: the replay is off by -"));
  EXPECT_THAT(read_text(folder_ / "made.yaml"), HasSubstr("  replay_off_percent: -"));
  const Outcome simulated = simulate();
  EXPECT_EQ(simulated.code, 0);
  EXPECT_THAT(simulated.out + simulated.err, HasSubstr("%, more than an import allows without a word: results of this scenario"));
  const Outcome searched = tasktwin("search '" + (folder_ / "made.yaml").string() + "' --designs cuda-graph,cuda-streams --format json");
  EXPECT_EQ(searched.code, 0) << searched.err;
  EXPECT_THAT(searched.err, HasSubstr("results of this scenario may be off by as much"));
  EXPECT_THAT(searched.out, HasSubstr("results of this scenario may be off by as much"));
  std::filesystem::remove(folder_ / "made.yaml");
  const Outcome strict = import(text, "--limit 3");
  EXPECT_EQ(strict.code, 1);
  EXPECT_THAT(strict.err, HasSubstr("more than --limit 3 allows; nothing is written"));
  EXPECT_EQ(import(two_kernels_on("card", 90)).code, 1) << "beyond 25 %";
  EXPECT_FALSE(wrote());
  EXPECT_EQ(import(two_kernels_on("card", 1)).code, 0);
  EXPECT_THAT(read_text(folder_ / "made.yaml"), ::testing::Not(HasSubstr("replay_off_percent")));
}

}  // namespace
}  // namespace tasktwin::tests
