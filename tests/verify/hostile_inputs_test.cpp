// Inputs made to break something: each is refused with its place, quickly, and before memory is taken.
#include "tests/verify/support/command_folder.hpp"

namespace tasktwin::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class HostileInputs : public CommandFolder {
 protected:
  void write_scenario(const std::string& graph, const std::string& designs, const std::string& machine = "nvidia-h200") const {
    write_text(folder_ / "h.yaml", "scenario: h\nmachine: " + machine + "\ngraph: " + graph + "\ndesigns: " + designs + "\n");
  }
  /// By every command that reads scenarios.
  void expect_refused(const std::string& said) const {
    for (const char* const command : {"scenario validate", "simulate", "compare"}) {
      const Outcome outcome = in_folder(std::string("ulimit -v 2000000; timeout 10 tasktwin ") + command + " h.yaml");
      EXPECT_EQ(outcome.code, 2) << command << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr("h.yaml:" + said)) << command;
    }
  }
};

TEST_F(HostileInputs, CopiesToTheirOwnDeviceAreRefusedWhereTheyStand) {
  write_scenario("{tasks: [{name: b, operation: copy_p2p, bytes: 5, device: 1, to_device: 1}]}", "[cuda-streams]", "dgx-h100");
  expect_refused("3:80: graph.tasks[0].to_device: task 'b' copies from device 1 to itself");
  write_scenario("{tasks: [{name: b, operation: copy_p2p, bytes: 5}]}", "[cuda-streams]", "dgx-h100");
  expect_refused("4:11: designs[0]: task 'b' is a copy between devices and does not name the one that it comes from");
}

TEST_F(HostileInputs, FlowsOfACollectiveAreCountedBeforeItRuns) {
  std::string group;
  for (int device = 0; device < 300; ++device) group += std::to_string(device) + ", ";
  write_scenario("{tasks: [{name: r, operation: all_to_all, bytes: 5, group: [" + group + "]}]}",
                 "[{name: x, from: cuda-streams, launching: thread_per_device}]", "dgx-h100x128");
  expect_refused("4:11: designs[0]: task 'r@0' is an all_to_all over 300 devices; as flows it is simulated over up to 256");
}

TEST_F(HostileInputs, BodiesAndTransfersThatNeverEndAreRefused) {
  const std::string reads = "{tasks: [{name: a, kernel: stream, bytes: 100000000000}]}";
  for (const char* const rate : {"1e-300", "1e-6", "1e-5"}) {
    write_scenario(reads, "[shared-queue, cuda-streams]", std::string("{from: nvidia-h200, memory: {bandwidth_gb_per_s: ") + rate + "}}");
    expect_refused("3:1: graph: task 'a' would take up to ");
  }
  const std::string sends =
      "{tasks: [{name: b, time_ns: 5, device: 3}, {name: c, time_ns: 5, device: 2, after: [{task: b, bytes: 1000}]}]}";
  write_scenario(sends, "[cuda-streams]", "{from: dgx-h100, peers: {link_bandwidth_gb_per_s: 1e-14}}");
  expect_refused("3:1: graph: task 'c' would take up to ");
  write_scenario("{tasks: [{name: r, operation: all_reduce, bytes: 1000, group: [0, 1]}]}", "[cuda-streams]",
                 "{from: dgx-h100, collectives: {efficiency_ratio: 1e-17}}");
  expect_refused("3:1: graph: task 'r@0' would take up to ");
}

TEST_F(HostileInputs, ABandwidthOfNothingIsNotOneWithoutEnd) {
  const std::string reads = "{tasks: [{name: a, kernel: stream, bytes: 1000}, {name: b, kernel: stream, bytes: 1000, after: [a]}]}";
  for (const char* const key : {"load_bandwidth_gb_per_s", "read_bandwidth_gb_per_s"}) {
    write_scenario(reads, "[{name: p, from: static-queues, prefetch: 1}]",
                   std::string("{from: nvidia-h200, page_loads: {") + key + ": 0}}");
    expect_refused(std::string("4:11: designs[0]: design 'p': machine 'nvidia-h200' has page_loads.") + key + " 0");
  }
}

TEST_F(HostileInputs, ReplaysAndDrawsAreCountedBeforeTheyAreMade) {
  write_scenario("{generator: independent, tasks: 1000}", "[{name: x, from: cuda-graph, replays: 100000}]");
  expect_refused("4:11: designs[0]: design 'x': 100000 replays of 1000 tasks are 100000000 tasks; at most 20000000 are simulated");
  write_scenario("{generator: independent, tasks: 2}", "[{name: x, from: cuda-graph, replays: 1000}]");
  EXPECT_EQ(in_folder("tasktwin simulate h.yaml").code, 0);
  write_scenario("{generator: mixture_of_experts, layers: 10000, experts: 100000, tokens: 1, group: 100}", "[cuda-streams]");
  expect_refused("3:64: graph.experts: is 100000 in each of 10000 layers");
}

TEST_F(HostileInputs, NamesHaveOneLine) {
  for (const char* const name : {R"("a\nb")", R"("a\tb")"}) {
    write_scenario(std::string("{tasks: [{name: ") + name + ", time_ns: 5}]}", "[shared-queue]");
    expect_refused("3:18: graph.tasks[0].name: a name has no line breaks and no tabs");
  }
  write_scenario(R"({tasks: [{name: a, kind: "k\nl", time_ns: 5}]})", "[shared-queue]");
  expect_refused("3:27: graph.tasks[0].kind: a name has no line breaks");
}

TEST_F(HostileInputs, FaultsUnderKeysOfAnyNameHaveTheirPlace) {
  const std::string kernels = "kernels: [{name: k, source: h.yaml, parameters: [{name: n, type: float}], cost: {flops: 5}}]\n";
  for (const char* const value : {"[1]", "true", ".inf"}) {
    write_scenario(std::string("{tasks: [{name: a, kernel: k, arguments: {n: ") + value + "}}]}", "[cuda-streams]\n" + kernels);
    expect_refused("3:53: graph.tasks[0].arguments.n: is ");
    EXPECT_THAT(in_folder("tasktwin simulate h.yaml").err, Not(HasSubstr("schema")));
  }
}

TEST_F(HostileInputs, ManyKernelsThatMeetAreToldOfByTheFirst) {
  std::string tasks;
  for (int i = 0; i < 2000; ++i) tasks += "{name: a" + std::to_string(i) + ", time_ns: 5, meets: 1}, ";
  write_scenario("{tasks: [" + tasks + "]}", "[cuda-streams]");
  expect_refused("4:11: designs[0]: design 'cuda-streams': tasks 'a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7' and 1992 others wait");
}

TEST_F(HostileInputs, ACaptureAgainstItsDependenciesIsRefusedAtItsRow) {
  ASSERT_EQ(in_folder("tasktwin simulate tiny.yaml --designs shared-queue --swimlane run").code, 0);
  const std::string records = read_text(folder_ / "run/chip_swimlane_records.json");
  for (const char* const row : {"last", "first"}) {
    // The row that ends last starts with the run, or the first as the last one ends.
    const std::string change = std::string(row) == "last" ? "r[-1][3] = min(x[3] for x in r)" : "r[0][3] = r[0][4] = max(x[4] for x in r)";
    write_text(folder_ / "run/chip_swimlane_records.json", records);
    ASSERT_EQ(in_folder("python3 -c \"import json; f = 'run/chip_swimlane_records.json'; j = json.load(open(f)); r = j['aicore_tasks']; "
                        "r.sort(key=lambda x: x[4]); " +
                        change + "; json.dump(j, open(f, 'w'))\"")
                  .code,
              0);
    const Outcome outcome = in_folder("tasktwin scenario import swimlane run/chip_swimlane_records.json run/deps.json --output again.yaml");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("run/chip_swimlane_records.json: aicore_tasks["), HasSubstr("before row ")));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "again.yaml"));
  }
}

TEST_F(HostileInputs, ABaselineIsReadAsStrictlyAsOtherFiles) {
  const auto expect = [this](const std::string& text, const std::string& said) {
    write_text(folder_ / "b.json", text);
    const Outcome outcome = in_folder("timeout 10 tasktwin compare tiny.yaml --baseline b.json");
    EXPECT_EQ(outcome.code, 2) << said;
    EXPECT_THAT(outcome.err, HasSubstr("b.json:" + said));
  };
  const auto one = [](const std::string& makespans, const std::string& more = "", const std::string& figures = "") {
    return R"({"scenario": "tiny", "machine_hash": "x", "seed": 1, "designs": [{"design": "a", "makespans_ns": )" + makespans + figures +
           R"(, "path": {}})" + more + "]}";
  };
  expect(std::string(200'000, '['), "1:65: is nested deeper than 64 levels");
  expect(R"({"seed": 1, "seed": 2})", "1:13: the key 'seed' stands twice");
  expect(one("[1e400]"), "1:");
  expect(one("[-1]"), " designs[0].makespans_ns: must be a list of numbers, 0 to 1e+17");
  expect(one("[1]", R"(, {"design": "a", "makespans_ns": [2], "path": {}})"), " designs[1].design: 'a' stands twice");
  expect(one("[100, 200]", "", R"(, "mean_ns": 120.0)"), " designs[0].mean_ns: is 120.0, and the mean of makespans_ns is 150");
  expect(one("[100]", "", R"(, "makespan_ns": 100, "highest_bound_ns": 101)"),
         " designs[0].makespan_ns: is 100, below the design's highest_bound_ns of 101");
  EXPECT_THAT(in_folder("timeout 10 tasktwin compare tiny.yaml --baseline /dev/zero").err, HasSubstr("is not a regular file"));
  ASSERT_EQ(in_folder("tasktwin compare tiny.yaml --format json > b.json").code, 0);
  EXPECT_THAT(in_folder("tasktwin compare tiny.yaml --baseline b.json --report b.json").err, HasSubstr("is also an input"));
}

TEST_F(HostileInputs, ABaselineOfAnotherMachineIsSaid) {
  ASSERT_EQ(in_folder("tasktwin compare tiny.yaml --designs shared-queue,static-queues --runs 5 --format json > b.json && "
                      "sed 's/\"machine_hash\": \"/&0/' b.json > other.json")
                .code,
            0);
  const std::string compare = "tasktwin compare tiny.yaml --designs shared-queue,static-queues --runs 5 --baseline ";
  EXPECT_THAT(in_folder(compare + "b.json").err, Not(HasSubstr("the baseline is of")));
  const Outcome outcome = in_folder(compare + "other.json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the baseline is of other constants of machine"));
}

TEST_F(HostileInputs, ABaselineOfAnotherDesignOfThatNameIsSaid) {
  write_scenario("{generator: chain, length: 4, time_ns: 1000}", "[{name: a, from: static-queues, placement: heft}]");
  ASSERT_EQ(in_folder("tasktwin compare h.yaml --format json > b.json").code, 0);
  EXPECT_THAT(in_folder("tasktwin compare h.yaml --baseline b.json").err, Not(HasSubstr("is another design")));
  write_scenario("{generator: chain, length: 4, time_ns: 1000}", "[{name: a, from: static-queues, placement: round_robin}]");
  const Outcome outcome = in_folder("tasktwin compare h.yaml --baseline b.json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("the baseline's a is another design"), HasSubstr("heft, now round_robin")));
}

TEST_F(HostileInputs, ARunBeyondExactTimesIsRefused) {
  write_scenario("{generator: chain, length: 100000, time_ns: 100000000000}", "[shared-queue, cuda-streams]");
  for (const char* const command : {"simulate", "compare"}) {
    const Outcome outcome = in_folder(std::string("timeout 60 tasktwin ") + command + " h.yaml");
    EXPECT_EQ(outcome.code, 2) << command << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("times from 2^53 ns (104 days) on are not exact")) << command;
  }
}

TEST_F(HostileInputs, OptionsOfImportsHaveTheirDashes) {
  write_text(folder_ / "t.csv", "name,time_us\na,1\n");
  expect("tasktwin scenario import t.csv --output o.yaml --time-unit ms", 2, "--time-unit: format 'csv' does not take it; it takes --");
  expect("tasktwin scenario import t.csv --output o.yaml --core-type x", 2, "--core-type: unknown value 'x'");
}

TEST_F(HostileInputs, ReadingASearchLeavesNothingBesideIt) {
  ASSERT_EQ(in_folder("tasktwin search tiny.yaml --vary designs.mailbox_depth=1,2 --budget 2 --results s.db").code, 0);
  const Outcome before = in_folder("ls");
  ASSERT_EQ(in_folder("tasktwin compare s.db").code, 0);
  EXPECT_EQ(in_folder("ls").out, before.out);
}

TEST_F(HostileInputs, EmptyValuesOfOptionsAreNotLeftOut) {
  for (const char* const words : {"simulate tiny.yaml --trace \"$NOWHERE\"", "simulate tiny.yaml --as=", "simulate tiny.yaml --policy ''",
                                  "compare tiny.yaml --baseline ''", "search --resume ''", "verify --recorded --svg= tiny.yaml"}) {
    const Outcome outcome = in_folder(std::string("tasktwin ") + words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_THAT(outcome.err, HasSubstr(": its value is empty")) << words;
  }
}

TEST_F(HostileInputs, TwoOutputsAreNeverOneFileHoweverItIsWritten) {
  std::filesystem::create_directory(folder_ / "d");
  for (const char* const path : {"./t", "d/../t", "$PWD/t"}) {
    const Outcome outcome =
        in_folder(std::string("tasktwin simulate tiny.yaml --designs shared-queue --timeline t --blocks \"") + path + "\"");
    EXPECT_EQ(outcome.code, 2) << path;
    EXPECT_THAT(outcome.err, HasSubstr("two outputs would be written to"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "t"));
  }
}

TEST_F(HostileInputs, APlanOfASearchIsHeldToWhatOneCanAskFor) {
  ASSERT_EQ(in_folder("tasktwin search tiny.yaml --vary designs.mailbox_depth=1,2 --budget 2 --results s.db").code, 0);
  const std::string change =
      "python3 -c \"import json, sqlite3, sys; d = sqlite3.connect('s.db'); "
      "p = json.loads(d.execute(\\\"select value from search where key = 'plan'\\\").fetchone()[0]); p[sys.argv[1]] = "
      "json.loads(sys.argv[2]); "
      "d.execute(\\\"update search set value = ? where key = 'plan'\\\", (json.dumps(p),)); d.commit()\" ";
  for (const auto& [key, value, said] :
       {std::tuple{"runs", "1000000000000", "is 1000000000000; must be 1 to 100000"}, std::tuple{"runs", "-1", "plan.runs"},
        std::tuple{"budget", "1e30", "is beyond 64 bits"}, std::tuple{"method", "\"quick\"", "plan.method: unknown value 'quick'; valid: "},
        std::tuple{"scenarios", "[]", "plan.scenarios: is empty"}, std::tuple{"more", "1", "plan: has an unknown key 'more'"}}) {
    ASSERT_EQ(in_folder("cp s.db t.db && " + change + key + " '" + value + "'").code, 0) << key;
    const Outcome outcome = in_folder("timeout 10 tasktwin search --resume s.db");
    EXPECT_EQ(outcome.code, 2) << key;
    EXPECT_THAT(outcome.err, HasSubstr(said)) << key;
    ASSERT_EQ(in_folder("cp t.db s.db").code, 0);
  }
}

TEST_F(HostileInputs, AMachineWithoutMemoryIsRefusedByName) {
  write_scenario("{tasks: [{name: a, time_ns: 5}]}", "[shared-queue]", "{from: nvidia-h200, without: [memory]}");
  expect_refused("4:11: designs[0]: design 'shared-queue' needs 'memory'");
}

TEST_F(HostileInputs, ATruncatedPolicyIsRefusedBeforeItIsLoaded) {
  ASSERT_EQ(in_folder("head -c 5000 $(ldd $(command -v tasktwin) | awk '/libm.so/ { print $3 }') > p.so && head -c 70 p.so > q.so").code,
            0);
  expect("tasktwin simulate tiny.yaml --policy p.so", 2, "--policy p.so: is truncated");
  expect("tasktwin simulate tiny.yaml --policy q.so", 2, "--policy q.so: is truncated");
  expect("tasktwin simulate tiny.yaml --designs shared-queue --policy tiny.yaml", 2, "cannot be loaded");
  expect("tasktwin simulate tiny.yaml --policy /dev/zero", 2, "is not a regular file");
  expect("mkfifo pipe && timeout 10 tasktwin compare pipe", 2, "is not a regular file");
  expect("timeout 10 tasktwin search --resume pipe", 2, "is not a regular file");
}

TEST_F(HostileInputs, ImportsAreBounded) {
  const std::string many =
      "python3 -c \"print('digraph {{' + ' '.join('a%d' % i for i in range(9000)) + '}->{' + ' '.join('b%d' % i for i in range(9000)) + "
      "'}}')\"";
  ASSERT_EQ(in_folder(many + " > g.dot").code, 0);
  expect("ulimit -v 2000000; timeout 10 tasktwin scenario import g.dot --output o.yaml", 2, "the edges up to here are more than 10000000");
  write_text(folder_ / "t.csv", "name,time_us\na\xe9,1\n");
  expect("tasktwin scenario import t.csv --output o.yaml", 2, "t.csv:2:1: byte 0xe9 is not valid UTF-8");
  write_text(folder_ / "t.csv", std::string("name,time_us\na,1\nb\0,1\n", 23));
  expect("tasktwin scenario import t.csv --output o.yaml", 2, "t.csv:3:1: byte 0x00 does not belong in a text file");
  for (const char* const option : {"--limit nan", "--limit 1001", "--device -1", "--device 99999999999", "--device x"})
    expect(std::string("tasktwin scenario import t.csv --output o.yaml ") + option, 2, "number from 0 to ");
}

}  // namespace
}  // namespace tasktwin::tests
