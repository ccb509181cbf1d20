#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"

namespace tasktwin::tests {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Fields that resident workers do not read, and axes that this graph or machine leaves without effect.
constexpr const char* kStatedInVain = R"(scenario: vain
machine: {from: nvidia-h200, compute_cores: [{type: sm, count: 5}]}
graph:
  tasks:
    - {name: a, time_ns: 5000, threads: 1024, registers: 64, shared_memory_bytes: 100000, stream: 3, priority: 9, layer: 7}
    - {name: b, time_ns: 9000, threads: 32, layer: 2}
designs:
  - shared-queue
  - {name: apart, from: shared-queue, gang: apart}
  - {name: by-priority, from: central-dispatcher, order: priority, ready_queue: per_core_type}
)";

class Remarks : public testing::Test {
 protected:
  Remarks() { write_text(folder_ / "vain.yaml", kStatedInVain); }
  std::string vain(const std::string& more = "") const { return "'" + (folder_ / "vain.yaml").string() + "' " + more; }
  static std::vector<std::string> lines(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("note: ") || lines.empty()) {
        lines.push_back(line);
      } else {
        lines.back() += " " + line;  // a remark that is wider than the page
      }
    }
    return lines;
  }

  TemporaryFolder folder_;
};

TEST_F(Remarks, SayOnceWhichFieldsAndAxesDoNotCountAndUnderWhichDesigns) {
  const std::string kernels = "a driver that launches kernels, not 'persistent' or 'host_dispatcher'";
  for (const char* command : {"simulate ", "compare ", "scenario validate "}) {
    const Outcome outcome = tasktwin(command + vain());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(
        lines(outcome.err),
        ElementsAre("note: vain under shared-queue, apart: priority of task 'a' does not count here: it needs order 'priority', or "
                    "driver 'streams' and stream_priorities 'task'",
                    "note: vain under shared-queue, apart, by-priority: layer of 2 tasks, the first task 'a', does not count here: "
                    "it needs release 'barrier' or stream_granularity 'per_layer'",
                    "note: vain under shared-queue, apart, by-priority: stream of task 'a' does not count here: it needs "
                    "stream_granularity 'hinted'",
                    "note: vain under shared-queue, apart, by-priority: threads of 2 tasks, the first task 'a', does not count "
                    "here: it needs " +
                        kernels,
                    "note: vain under shared-queue, apart, by-priority: registers of task 'a' does not count here: it needs " + kernels,
                    "note: vain under shared-queue, apart, by-priority: shared_memory_bytes of task 'a' does not count here: it "
                    "needs " +
                        kernels,
                    "note: vain under apart: gang 'apart' changes nothing here: no task has several blocks",
                    StartsWith("note: vain under by-priority: ready_queue 'per_core_type' changes nothing here: ")))
        << command;
    EXPECT_EQ(tasktwin(command + vain("--quiet")).err, "") << command;
  }
}

TEST_F(Remarks, SayWhereASplitGridBecomesKernels) {
  write_text(
      folder_ / "split.yaml",
      "scenario: split\nmachine: nvidia-h200\ngraph:\n  tasks:\n    - {name: a, time_ns: 5000, blocks: 200, split: true}\n    - {name: b, "
      "time_ns: 5000, after: [a]}\ndesigns: [shared-queue, static-queues, work-stealing, central-dispatcher, cuda-streams]\n");
  const Outcome outcome = tasktwin("simulate '" + (folder_ / "split.yaml").string() + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(
      lines(outcome.err),
      ElementsAre("note: split under cuda-streams: each block of a split grid, and each piece of a collective, is a kernel of its own "
                  "here: 200 kernels, the first 'a.0'; without split, or with blocks in place of pieces, they are one each"));
}

TEST_F(Remarks, SayWhichTasksMeetNoOther) {
  write_text(folder_ / "meets.yaml",
             "scenario: alone\nmachine: nvidia-h200\ngraph:\n  tasks:\n    - {name: p, time_ns: 5000, meets: 7}\n    - {name: a, time_ns: "
             "5000, meets: 2}\n    - {name: b, time_ns: 5000, meets: 2}\ndesigns: [cuda-streams]\n");
  EXPECT_THAT(
      lines(tasktwin("simulate '" + (folder_ / "meets.yaml").string() + "'").err),
      ElementsAre("note: alone under cuda-streams: meets of task 'p' names a group of no other task (7), so that none is waited for"));
}

TEST_F(Remarks, StandInTheResultsOfEachDesign) {
  const Outcome outcome = tasktwin("simulate " + vain("--format json"));
  const json result = strict_json(outcome.out);
  EXPECT_EQ(result["designs"][0]["remarks"].size(), 6U);
  EXPECT_EQ(result["designs"][1]["remarks"][0], "gang 'apart' changes nothing here: no task has several blocks");
  const json swept = strict_json(tasktwin("sweep " + vain("--vary seed=1,2 --designs apart --format json")).out);
  EXPECT_EQ(swept["rows"][1]["remarks"], result["designs"][1]["remarks"]);
  const json compared = strict_json(tasktwin("compare " + vain("--format json")).out);
  EXPECT_EQ(compared["designs"][2]["remarks"], result["designs"][2]["remarks"]);
}

TEST_F(Remarks, AreNotOfWhatAGeneratorOrANamedDesignStates) {
  const Outcome outcome = tasktwin("simulate cholesky suite/fft-5us --designs hybrid,cuda-streams,central-dispatcher");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Remarks, SayThatPoolsAndCachesAreKnownToAnOrderOfMagnitude) {
  const Outcome outcome = tasktwin("simulate kv-cache");
  EXPECT_THAT(outcome.err, HasSubstr("kv-cache under caching: what allocator 'caching' takes is known to an order of magnitude"));
  EXPECT_THAT(outcome.err, HasSubstr("kv-cache under pool, pool-of-own: what allocator 'pool'"));
  EXPECT_THAT(tasktwin("simulate scratch --designs malloc").err, Not(HasSubstr("order of")));
}

TEST_F(Remarks, OfASweepAreMadeOnceAndNameMachineConstantsThatNoMakespanDependsOn) {
  const Outcome outcome =
      tasktwin("sweep " + vain("--designs apart,by-priority --vary machine.device_control.hop_ns=64,400 --vary seed=1,2"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::vector<std::string> said = lines(outcome.err);
  EXPECT_EQ(std::ranges::count_if(said, [](const std::string& line) { return line.find("gang 'apart'") != std::string::npos; }), 1);
  EXPECT_EQ(said.back(), "note: machine.device_control.hop_ns: no makespan under apart, by-priority depends on it here");
  EXPECT_THAT(tasktwin("sweep " + vain("--designs apart,by-priority --vary machine.device_mailboxes.hop_ns=64,400")).err,
              HasSubstr("note: machine.device_mailboxes.hop_ns: no makespan under apart depends on it here"));
}

}  // namespace
}  // namespace tasktwin::tests
