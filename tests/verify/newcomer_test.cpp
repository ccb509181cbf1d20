#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"

namespace tasktwin::tests {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

// The graph and the designs of a newcomer's first file.
constexpr std::string_view kMine = R"(scenario: mine
description: "Ten tasks on four cores"
machine: nvidia-h200
graph:
  tasks:
    - {name: load, kernel: stream, bytes: 200000}
    - {name: scan-1, time_ns: 6000, after: [load]}
    - {name: scan-2, time_ns: 6000, after: [load]}
    - {name: merge, time_ns: 3000, after: [scan-1, scan-2]}
    - {name: store, kernel: stream, bytes: 100000, after: [merge]}
designs:
  - {name: my-dispatcher, from: central-dispatcher, dispatchers: 1, order: critical_path}
  - central-dispatcher
  - static-queues
)";

/// One slip of the pen in that file, and what tasktwin says.
struct Mistake {
  const char* right;
  const char* wrong;
  const char* message;  ///< behind the file's name
};

// Each names line, column and field where YAML can be read at all, and what would be right.
constexpr Mistake kMistakes[] = {
    {"    - {name: scan-2", "   - {name: scan-2", ":8:4: not valid YAML: end of map not found; is this line indented like those beside it"},
    {"    - {name: scan-2", "\t- {name: scan-2",
     ":8:2: not valid YAML: illegal block entry; line 8 is indented by a tab, where YAML wants spaces"},
    {"6000, after: [load]}\n    - {name: scan-2", "6000, after: [load]\n    - {name: scan-2",
     ":8:5: not valid YAML: illegal block entry; is this line"},
    {"four cores\"", "four cores", ":2:14: description: a quote opens here and never closes"},
    {"kernel: stream", "kernel: streem", ":6:28: graph.tasks[0].kernel: unknown value 'streem'; did you mean 'stream'? (valid: empty, "},
    {"time_ns: 6000", "time_us: 6", ":7:22: graph.tasks[1].time_us: unknown key; did you mean 'time_ns: 6000'? (1 us is 1000 ns)"},
    {"time_ns: 6000", "time_ns: 6 us", ":7:31: graph.tasks[1].time_ns: is the text '6 us'; must be a whole number, 0 to "},
    {"time_ns: 6000", "time_ns: -6000", ":7:31: graph.tasks[1].time_ns: is -6000; must be 0 to "},
    {"after: [load]", "after: [lod]",
     ":7:45: graph.tasks[1].after[0]: no task is called 'lod'; did you mean 'load'? (valid: load, scan-1, "},
    {"after: [load]", "after: load", ":7:44: graph.tasks[1].after: is the text 'load'; must be a list, such as [load]"},
    {"after: [load]", "after: [merge]",
     ":7:45: graph.tasks[1].after[0]: the tasks wait for each other in a cycle: merge -> scan-1 -> merge"},
    {"name: scan-2", "name: scan-1", ":8:14: graph.tasks[2].name: 'scan-1' is already the name of the task in line 7"},
    {"order: critical_path", "order: critical-path",
     ":12:76: designs[0].order: unknown value 'critical-path'; did you mean 'critical_path'? (valid: fifo, "},
    {"order: critical_path", "ordre: critical_path", ":12:69: designs[0].ordre: unknown key; did you mean 'order'? (valid: "},
    {"order: critical_path", "steal_batch: 2",
     ":12:5: designs[0]: design 'my-dispatcher': steal_batch has no effect here: it needs stealing 'batch'; leave it out"},
    {"order: critical_path", "driver: streams",
     ":12:5: designs[0]: design 'my-dispatcher': no runtime has these axes together; the nearest is 'cuda-streams' with release 'events', "
     "not 'dispatcher'"},
    {"  - central-dispatcher", "  - central-dispatch",
     ":13:5: designs[1]: unknown design 'central-dispatch'; did you mean 'central-dispatcher'? (valid: "},
    {"  - central-dispatcher", "  - my-dispatcher", ":13:5: designs[1]: "},
    {"machine: nvidia-h200", "machine: nvidia-h20",
     ":3:10: machine: no such file, and no shipped machine 'nvidia-h20'; did you mean 'nvidia-h200'? (valid: "},
    {"machine: nvidia-h200\n", "", ":1:1: machine: missing (the name of a shipped machine, a machine file, or one of them with changes)"},
};

TEST(Newcomer, StartsFromAFileThatIsRight) {
  const TemporaryFolder folder;
  write_text(folder / "mine.yaml", kMine);
  const Outcome outcome = bash("tasktwin scenario validate mine.yaml", folder.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "mine.yaml: valid\n");
}

TEST(Newcomer, IsToldWhereEachMistakeIsAndWhatWouldBeRight) {
  const TemporaryFolder folder;
  for (const Mistake& mistake : kMistakes) {
    std::string text(kMine);
    const std::size_t at = text.find(mistake.right);
    ASSERT_NE(at, std::string::npos) << mistake.right;
    write_text(folder / "mine.yaml", text.replace(at, std::string_view(mistake.right).size(), mistake.wrong));
    const Outcome outcome = bash("tasktwin compare mine.yaml", folder.path());
    EXPECT_EQ(outcome.code, 2) << mistake.wrong;
    EXPECT_EQ(outcome.out, "") << mistake.wrong;
    EXPECT_THAT(outcome.err, HasSubstr("error: mine.yaml" + std::string(mistake.message))) << mistake.wrong;
  }
}

TEST(MachineOfOnesOwn, RunsTheDesignThatItWasMadeForWhateverTheScenarioHasBesides) {
  const TemporaryFolder folder;
  write_text(folder / "mine.yaml", kMine);
  ASSERT_EQ(bash("tasktwin machine template --design static-queues --from nvidia-h100 > small.yaml", folder.path()).code, 0);
  const Outcome one = bash("tasktwin simulate mine.yaml --designs static-queues --machine small.yaml", folder.path());
  EXPECT_EQ(one.code, 0) << one.err;
  const Outcome all = bash("tasktwin simulate mine.yaml --machine small.yaml", folder.path());
  EXPECT_EQ(all.code, 2);
  EXPECT_THAT(all.err, HasSubstr("central-dispatcher"));
}

TEST(MachineOfOnesOwn, IsNotSaidToRunDesignsThatItRefuses) {
  const TemporaryFolder folder;
  write_text(folder / "tiny.yaml", "machine: tiny\nfrom: nvidia-h100\ncontrol_cores: {count: 1}\n");
  const Outcome outcome = bash("tasktwin machine validate tiny.yaml", folder.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("ascend-host-built"));
  EXPECT_THAT(outcome.out + outcome.err, HasSubstr("has 1 control"));
}

TEST(WhatIfOfAGraph, ThatIsNoProgramIsHeldAgainstStreams) {
  const Outcome outcome = tasktwin("simulate cholesky --as graph");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, ContainsRegex("cuda-graph .*µs +cuda-streams +-"));
}

TEST(WhatIfOfAGraph, IsHeldToTheBaselineOfWhatItChanges) {
  const TemporaryFolder folder;
  write_text(folder / "mine.yaml", kMine);
  const std::string compare = "tasktwin compare mine.yaml --designs static-queues ";
  ASSERT_EQ(bash(compare + "--format json > base.json", folder.path()).code, 0);
  const Outcome outcome = bash(compare + "--scale '*=2' --baseline base.json --fail-above 2%", folder.path());
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("slower than the baseline"));
}

TEST(Gantt, HasALetterForEachCollective) {
  EXPECT_THAT(tasktwin("simulate tensor-parallel --designs ring --gantt").out, HasSubstr("* all_reduce"));
}

}  // namespace
}  // namespace tasktwin::tests
