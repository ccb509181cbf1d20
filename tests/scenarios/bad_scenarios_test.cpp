#include <gmock/gmock.h>
#include <sys/resource.h>

#include "scenarios/load/scenario.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string with_tasks(const std::string& tasks) { return with_graph("\n  tasks:\n" + tasks); }

std::string with_designs(const std::string& designs) {
  return "scenario: s\nmachine: nvidia-h200\ngraph: {generator: chain}\ndesigns:\n" + designs;
}

std::string with_machine(const std::string& machine) {
  return "scenario: s\ngraph: {generator: chain}\ndesigns: [shared-queue]\nmachine: " + machine + "\n";
}

/// The most that this process has held so far.
std::int64_t most_resident_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(BadScenarios, UnknownKeysBringTheNearest) {
  EXPECT_EQ(refusal(with_graph("{generator: cholesky, tilez: 4}")),
            "4:30: graph.tilez: unknown key; did you mean 'tiles'? (valid: generator, tile_size, tiles)");
  EXPECT_THAT(refusal("scenari: s\nmachine: nvidia-h200\n"),
              StartsWith("1:1: scenari: unknown key; did you mean 'scenario'? (valid: buffers, collectives, description, designs, finding, "
                         "graph, kernels, machine, "
                         "question, scenario, seed)\n"));
  EXPECT_THAT(refusal(with_tasks("  - {name: a, tine_ns: 5}")),
              HasSubstr("6:15: graph.tasks[0].tine_ns: unknown key; did you mean 'time_ns'?"));
  EXPECT_THAT(refusal(with_designs("- {name: x, mailbox_dept: 5}")),
              HasSubstr("5:13: designs[0].mailbox_dept: unknown key; did you mean 'mailbox_depth'?"));
}

TEST(BadScenarios, WhatOthersCallAKeyIsKnown) {
  const std::string task = refusal(with_tasks("  - {name: a, duration_us: 5, predecessors: [b], grid: 4}"));
  EXPECT_THAT(task, HasSubstr("graph.tasks[0].duration_us: unknown key; did you mean 'time_ns: 5000'? (1 us is 1000 ns)"));
  EXPECT_THAT(task, HasSubstr("graph.tasks[0].predecessors: unknown key; did you mean 'after'?"));
  EXPECT_THAT(task, HasSubstr("graph.tasks[0].grid: unknown key; did you mean 'blocks'?"));
  const std::string design = refusal(with_designs("- {design: x, base: shared-queue}"));
  EXPECT_THAT(design, HasSubstr("designs[0].design: unknown key; did you mean 'name'?"));
  EXPECT_THAT(design, HasSubstr("designs[0].base: unknown key; did you mean 'from'?"));
  EXPECT_THAT(design, testing::Not(HasSubstr("missing")));
}

TEST(BadScenarios, QuantitiesInOtherUnitsBringTheNumberInOurs) {
  EXPECT_EQ(refusal(with_tasks("  - {name: a, time_us: 5}")),
            "6:15: graph.tasks[0].time_us: unknown key; did you mean 'time_ns: 5000'? (1 us is 1000 ns)");
  EXPECT_EQ(refusal(with_graph("{generator: chain, time_ms: 2.5}")),
            "4:27: graph.time_ms: unknown key; did you mean 'time_ns: 2500000'? (1 ms is 1000000 ns)");
  EXPECT_EQ(refusal(with_machine("{from: nvidia-h200, memory: {bandwidth_tb_per_s: 1.2}, device_mailboxes: {hop_us: {value: 1}}}")),
            "4:39: machine.memory.bandwidth_tb_per_s: unknown key; did you mean 'bandwidth_gb_per_s: 1200'? (1 tb_per_s is 1000 gb_per_s)\n"
            "4:84: machine.device_mailboxes.hop_us: unknown key; did you mean 'hop_ns'? (1 us is 1000 ns)");
}

TEST(BadScenarios, MissingKeysAreNamedAtTheirMap) {
  EXPECT_THAT(refusal("{}"), HasSubstr("1:1: scenario: missing (its name)"));
  EXPECT_THAT(refusal("{}"), HasSubstr("1:1: designs: missing (named designs, or designs made from them)"));
  EXPECT_THAT(refusal("scenario: s\nmachine: nvidia-h200\ngraph: {generator: chain, length: 3}\n"), HasSubstr("designs: missing"));
  EXPECT_EQ(refusal(with_tasks("  - {time_ns: 5}")), "6:5: graph.tasks[0].name: missing (unique name)");
  EXPECT_EQ(refusal(with_graph("{}")),
            "4:8: graph: needs 'generator' and its parameters, 'tasks', 'operators', 'import', or 'records' and 'deps' of a capture");
  EXPECT_EQ(refusal(with_graph("{generater: chain}")),
            "4:9: graph.generater: comes without 'generator', 'tasks', 'operators', 'import' or 'records'; did you mean 'generator'? "
            "(valid: generator, "
            "tasks, "
            "operators, records, import)");
}

TEST(BadScenarios, UnknownWordsBringTheNearest) {
  EXPECT_EQ(refusal(with_graph("{generator: choleski}")),
            "4:20: graph.generator: unknown value 'choleski'; did you mean 'cholesky'? "
            "(valid: chain, independent, fork_join, layered_random, task_bench, cholesky, llama_decode, paged_attention, batched_gemm, "
            "spawn_tree, … 15 more)");
  EXPECT_EQ(refusal(with_graph("{generator: chain, kernel: spinn}")),
            "4:35: graph.kernel: unknown value 'spinn'; did you mean 'spin'? (valid: empty, spin, fma, stream)");
  EXPECT_EQ(refusal(with_tasks("  - {name: a, kernel: steam, bytes: 5}")),
            "6:23: graph.tasks[0].kernel: unknown value 'steam'; did you mean 'stream'? (valid: empty, spin, fma, stream); the scenario's "
            "own stand under 'kernels', and a body of any other name is a 'kind'");
  EXPECT_EQ(
      refusal(with_designs("- shared-que")),
      "5:3: designs[0]: unknown design 'shared-que'; did you mean 'shared-queue'? (valid: cuda-streams, cuda-graph, central-dispatcher, "
      "static-queues, shared-queue, work-stealing, hybrid, layer-barrier, device-graph-launch, dynamic-parallelism, host-dispatcher, "
      "ascend-host-built, ascend-device-built, ascend-group-queue)");
  EXPECT_THAT(refusal(with_designs("- {name: x, from: shared-que}")), HasSubstr("5:19: designs[0].from: unknown design 'shared-que'"));
  EXPECT_EQ(refusal(with_designs("- {name: x, fill: never}")),
            "5:19: designs[0].fill: unknown value 'never'; valid: always, when_no_core_idle, not_in_tail");
  EXPECT_EQ(
      refusal(with_machine("nvidia-h20")),
      "4:10: machine: no such file, and no shipped machine 'nvidia-h20'; did you mean 'nvidia-h200'? (valid: ascend-a2a3, ascend-a2a3x2, "
      "ascend-a5, dgx-h100, dgx-h100-nccl, dgx-h100x128, nvidia-h100, nvidia-h100x2, nvidia-h100x4, nvidia-h200, nvidia-h200x2)");
  EXPECT_THAT(refusal(with_machine("{from: ascend}")), HasSubstr("4:17: machine.from: no such file, and no shipped machine 'ascend'"));
}

TEST(BadScenarios, ACycleIsPrintedAsAPath) {
  EXPECT_EQ(refusal(with_tasks(
                "  - {name: a, time_ns: 1, after: [c]}\n  - {name: b, time_ns: 1, after: [a]}\n  - {name: c, time_ns: 1, after: [b]}")),
            "6:35: graph.tasks[0].after[0]: the tasks wait for each other in a cycle: a -> b -> c -> a");
  EXPECT_EQ(refusal(with_tasks("  - {name: b, time_ns: 1}\n  - {name: a, time_ns: 1, after: [b, {task: a, bytes: 5}]}")),
            "7:45: graph.tasks[1].after[1]: the tasks wait for each other in a cycle: a -> a");
}

TEST(BadScenarios, TaskNamesAreUniqueAndEdgesLeadSomewhere) {
  EXPECT_EQ(refusal(with_tasks("  - {name: a, time_ns: 1}\n  - {name: a, time_ns: 2}")),
            "7:12: graph.tasks[1].name: 'a' is already the name of the task in line 6");
  EXPECT_EQ(refusal(with_tasks("  - {name: load, time_ns: 1}\n  - {name: b, time_ns: 2, after: [load, lod]}")),
            "7:41: graph.tasks[1].after[1]: no task is called 'lod'; did you mean 'load'? (valid: load, b)");
  EXPECT_EQ(refusal(with_tasks("  - {name: a, time_ns: 1}\n  - {name: b, time_ns: 2, after: [a, a]}")),
            "7:38: graph.tasks[1].after[1]: 'a' is listed twice");
  EXPECT_EQ(refusal(with_tasks("  - {name: 7, time_ns: 1}")),
            "6:12: graph.tasks[0].name: is the number 7; must be text (put it in quotes)");
}

TEST(BadScenarios, CostsAreFiniteNonNegativeAndPresent) {
  const auto cost = [](const std::string& text) { return refusal(with_tasks("  - {name: a, time_ns: " + text + "}")); };
  EXPECT_EQ(cost("-5"), "6:24: graph.tasks[0].time_ns: is -5; must be 0 to 100000000000");
  EXPECT_EQ(cost(".inf"), "6:24: graph.tasks[0].time_ns: is infinite; a finite number is needed");
  EXPECT_EQ(cost("-.INF"), "6:24: graph.tasks[0].time_ns: is infinite; a finite number is needed");
  EXPECT_EQ(cost(".nan"), "6:24: graph.tasks[0].time_ns: is not a number (NaN); a finite number is needed");
  EXPECT_EQ(cost("1e400"), "6:24: graph.tasks[0].time_ns: the number '1e400' is beyond a double's range");
  EXPECT_EQ(cost("1e300"), "6:24: graph.tasks[0].time_ns: is the number 1e300; must be a whole number, 0 to 100000000000");
  EXPECT_EQ(cost("99999999999999999999"),
            "6:24: graph.tasks[0].time_ns: the number '99999999999999999999' does not fit into 64 bits (at most 9223372036854775807)");
  EXPECT_EQ(cost("100000000001"), "6:24: graph.tasks[0].time_ns: is 100000000001; must be 0 to 100000000000");
  EXPECT_EQ(cost("100000000000"), "") << "just within";
  EXPECT_EQ(cost("1.5"), "6:24: graph.tasks[0].time_ns: is the number 1.5; must be a whole number, 0 to 100000000000");
  EXPECT_EQ(cost("'5'"), "6:24: graph.tasks[0].time_ns: is the text '5'; must be a whole number, 0 to 100000000000");
  EXPECT_EQ(cost("4us"), "6:24: graph.tasks[0].time_ns: is the text '4us'; must be a whole number, 0 to 100000000000; 4us is 4000");
  EXPECT_THAT(cost("1.5 ms"), HasSubstr("; 1.5 ms is 1500000"));
  EXPECT_THAT(cost("1, bytes: 200 KB"), HasSubstr("; 200 KB is 200000"));
  EXPECT_THAT(cost("1, bytes: 2 MiB"), HasSubstr("; 2 MiB is 2097152"));
  EXPECT_THAT(cost("4 KB"), EndsWith("must be a whole number, 0 to 100000000000")) << "no time";
  EXPECT_EQ(cost(""), "6:24: graph.tasks[0].time_ns: is empty; must be a whole number, 0 to 100000000000");
  EXPECT_EQ(refusal(with_tasks("  - {name: a}")), "6:5: graph.tasks[0].time_ns: missing; kernel 'spin' needs it");
  EXPECT_EQ(refusal(with_graph("{generator: chain, kernel: fma}")), "4:8: graph.flops: missing; kernel 'fma' needs it");
}

TEST(BadScenarios, AKernelTakesOnlyTheCostItCanExecute) {
  EXPECT_EQ(refusal(with_tasks("  - {name: a, kernel: fma, flops: 5, time_ns: 5}")),
            "6:38: graph.tasks[0].time_ns: goes with kernel 'spin', not with kernel 'fma'");
  EXPECT_EQ(refusal(with_tasks("  - {name: a, kernel: empty, bytes: 5}")),
            "6:30: graph.tasks[0].bytes: goes with kernel 'stream', not with kernel 'empty'");
  EXPECT_EQ(refusal(with_graph("{generator: chain, bytes: 5}")), "4:34: graph.bytes: goes with kernel 'stream', not with kernel 'spin'");
}

TEST(BadScenarios, CoresMustExist) {
  EXPECT_EQ(refusal(with_machine("{from: nvidia-h200, compute_cores: []}")),
            "4:45: machine.compute_cores: has 0 items; must have at least 1");
  EXPECT_EQ(refusal(with_machine("{from: nvidia-h200, compute_cores: [{type: sm, count: 0}]}")),
            "4:64: machine.compute_cores[0].count: is 0; must be 1 to 100000");
  EXPECT_EQ(refusal(with_machine("{from: nvidia-h200, compute_cores: [{type: sm, count: 1}, {type: sm, count: 1}]}")),
            "4:75: machine.compute_cores[1].type: 'sm' stands twice; each core type has one entry");
  EXPECT_EQ(refusal(with_graph("{generator: chain, core_type: aic}")),
            "4:38: graph.core_type: task 'link(0)' needs core type 'aic', which machine 'nvidia-h200' lacks; give it core_type sm");
  EXPECT_EQ(refusal(with_graph("{generator: independent, tasks: 5, core_type: aic}")),
            "4:54: graph.core_type: task 'task(0)' needs core type 'aic', which machine 'nvidia-h200' lacks; give it core_type sm")
      << "tasks is a number here";
  EXPECT_EQ(refusal(with_tasks("  - {name: a, time_ns: 1}\n  - {name: b, time_ns: 1, core_type: aiv}")),
            "7:38: graph.tasks[1].core_type: task 'b' needs core type 'aiv', which machine 'nvidia-h200' lacks; give it core_type sm");
  EXPECT_EQ(refusal(with_machine("ascend-a2a3")),
            "2:1: graph: task 'link(0)' needs core type 'sm', which machine 'ascend-a2a3' lacks; give it core_type aic, aiv or mix");
}

TEST(BadScenarios, TasksAtFaultInTheSameWayAreToldOfOnce) {
  std::string tasks;
  for (int i = 0; i < 30; ++i) tasks += "  - {name: q-" + std::to_string(i) + ", time_ns: 1}\n";
  tasks += "  - {name: wide, time_ns: 1, core_type: aiv, device: 3}\n";
  EXPECT_EQ(refusal("scenario: s\nmachine: ascend-a2a3\ndesigns: [shared-queue]\ngraph:\n  tasks:\n" + tasks),
            "6:5: graph.tasks[0]: task 'q-0' needs core type 'sm', which machine 'ascend-a2a3' lacks; give it core_type aic, aiv or mix "
            "(and 29 more)\n"
            "36:54: graph.tasks[30].device: task 'wide' is for device 3, but machine 'ascend-a2a3' has one device, 0");
}

TEST(BadScenarios, KernelsMustHaveACostOnTheMachine) {
  const std::string refused = refusal(
      "scenario: s\ngraph: {generator: chain, kernel: fma, flops: 10, core_type: aic}\ndesigns: [shared-queue]\nmachine: "
      "ascend-a2a3\n");
  EXPECT_THAT(refused, StartsWith("2:35: graph.kernel: task 'link(0)' runs kernel 'fma', which has no cost on machine 'ascend-a2a3'; it "
                                  "has: empty, spin, stream; state kernels.fma in "));
  EXPECT_THAT(refused, testing::EndsWith("/ascend-a2a3.yaml or in 'machine' of the scenario"));
  EXPECT_EQ(refusal("scenario: s\ngraph: {generator: chain, kernel: fma, flops: 10, core_type: aic}\ndesigns: [shared-queue]\n"
                    "machine: {from: ascend-a2a3, kernels: {fma: {arithmetic: [{flops: 1000, ns: 10}]}}}\n"),
            "4:45: machine.kernels.fma.overhead_ns: missing (paid by every body of any size): machine 'ascend-a2a3' has no such kernel "
            "to change");
  EXPECT_EQ(refusal("scenario: s\ngraph: {generator: chain, kernel: fma, flops: 10}\ndesigns: [shared-queue]\n"
                    "machine: {from: nvidia-h200, kernels: {fma: {arithmetic: []}}}\n"),
            "2:47: graph.flops: task 'link(0)' does arithmetic, but kernel 'fma' has no arithmetic points on machine 'nvidia-h200'");
  EXPECT_EQ(
      refusal("scenario: s\ngraph: {generator: chain, kernel: stream, bytes: 10}\ndesigns: [shared-queue]\n"
              "machine: {from: nvidia-h200, memory: {core_bandwidth_gb_per_s: 0}}\n"),
      "2:50: graph.bytes: task 'link(0)' moves bytes, but memory.bandwidth_gb_per_s or memory.core_bandwidth_gb_per_s is 0 on machine "
      "'nvidia-h200'");
}

TEST(BadScenarios, DesignsMustAgreeWithThemselvesAndTheMachine) {
  EXPECT_EQ(refusal(with_designs("- shared-queue\n- shared-queue")),
            "6:3: designs[1]: the name 'shared-queue' stands twice; designs need names of their own");
  EXPECT_EQ(refusal(with_designs("- {name: shared-queue, from: shared-queue, mailbox_depth: 3}")),
            "5:10: designs[0].name: 'shared-queue' is a named design; a design of your own needs a name of its own");
  EXPECT_EQ(refusal(with_designs("- shared-queue\n- {name: x, from: shared-queue, driver: streams}")),
            "6:3: designs[1]: design 'x': no runtime has these axes together; the nearest is 'cuda-streams' with release 'events', not "
            "'counters', and ready_queue 'per_worker', not 'shared', and placement 'round_robin', not 'any_idle'");
  EXPECT_EQ(refusal(with_designs("- {name: x, mailbox_depth: 17}")), "5:28: designs[0].mailbox_depth: is 17; must be 1 to 16");
  EXPECT_EQ(refusal(with_designs("  []")), "5:3: designs: has 0 items; must have at least 1");
  EXPECT_EQ(refusal(with_designs("- {name: a b}")),
            "5:10: designs[0].name: is 'a b'; must be letters, digits, '.', '_' and '-', beginning with a letter or a digit");
  EXPECT_THAT(refusal("scenario: s\ngraph: {generator: chain}\ndesigns: [central-dispatcher]\nmachine: {from: nvidia-h200, compute_cores: "
                      "[{type: sm, count: 1}]}\n"),
              HasSubstr("3:11: designs[0]: design 'central-dispatcher': machine 'nvidia-h200' leaves no compute core for tasks"));
}

TEST(BadScenarios, GraphsBeyondMemoryAreRefusedWithTheArithmetic) {
  EXPECT_EQ(refusal(with_graph("{generator: cholesky, tiles: 20000}")),
            "4:1: graph: generator 'cholesky' would make 1333533340000 tasks (n(n + 1)(n + 2)/6 tasks with n = tiles = 20000); at most "
            "20000000 are made");
  EXPECT_EQ(refusal(with_graph("{generator: task_bench, pattern: all_to_all, width: 20000, steps: 2}")),
            "4:1: graph: generator 'task_bench' would make 400000000 edges (pattern all_to_all, width 20000 x steps 2); at most 200000000 "
            "are made");
  EXPECT_EQ(refusal(with_graph("{generator: independent, tasks: 20000001}")),
            "4:1: graph: generator 'independent' would make 20000001 tasks (tasks 20000001); at most 20000000 are made");
}

TEST(BadScenarios, TimesThatWouldOverflowTogetherAreRefused) {
  EXPECT_THAT(refusal(with_graph("{generator: independent, tasks: 1000000, time_ns: 100000000000, sigma_ns: 1000000000}")),
              HasSubstr("4:1: graph: the bodies of all tasks together take up to 1090000000"));
}

TEST(BadScenarios, LargeGraphsAreRefusedByTheirParametersBeforeTheyAreMade) {
  const std::int64_t before = most_resident_kib();
  EXPECT_EQ(refusal(with_graph("{generator: independent, tasks: 20000000, time_ns: 100000000000}")),
            "4:1: graph: generator 'independent' would make bodies of together 2e+18 ns (tasks 20000000); at most 1e+17 ns are allowed");
  for (const char* const graph : {"generator: chain, length: 20000000, time_ns: 100000000000",
                                  "generator: fork_join, stages: 4000, width: 4000, time_ns: 100000000000",
                                  "generator: task_bench, width: 4000, steps: 4000, time_ns: 100000000000",
                                  "generator: layered_random, tasks: 20000000, min_time_ns: 100000000000, max_time_ns: 100000000000"})
    EXPECT_THAT(refusal(with_graph("{" + std::string(graph) + "}")), HasSubstr("at most 1e+17 ns are allowed")) << graph;
  EXPECT_EQ(refusal(with_graph("{generator: layered_random, core_type: aiv, tasks: 20000000}")),
            "4:47: graph.core_type: tasks need core type 'aiv', which machine 'nvidia-h200' lacks; give them core_type sm");
  EXPECT_EQ(refusal(with_graph("{generator: paged_attention, batch: 1000000, blocks: 4}")),
            "4:8: graph.matrix_core_type: tasks need core type 'aic', which machine 'nvidia-h200' lacks; give them core_type sm")
      << "a default";
  EXPECT_LT(most_resident_kib() - before, 100'000);
}

TEST(BadScenarios, GeneratorParametersAreCheckedAgainstEachOther) {
  EXPECT_EQ(refusal(with_graph("{generator: cholesky, tile_size: 40}")), "4:41: graph.tile_size: is 40; must be a multiple of 16");
  EXPECT_EQ(refusal(with_graph("{generator: cholesky, tiles: 0}")), "4:37: graph.tiles: is 0; must be 1 to 100000");
  EXPECT_EQ(refusal(with_graph("{generator: layered_random, min_time_ns: 9, max_time_ns: 8}")),
            "4:49: graph.min_time_ns: is 9, more than max_time_ns, 8");
  EXPECT_EQ(refusal(with_graph("{generator: llama_decode, kv_heads: 5}")), "4:44: graph.kv_heads: is 5; must divide heads, 32");
  EXPECT_EQ(refusal(with_graph("{generator: llama_decode, hidden: 2050}")),
            "4:8: graph.heads: is 32; hidden, 2050, must be an even multiple of it (rope turns pairs)");
  EXPECT_EQ(refusal(with_graph("{generator: llama_decode, slices: 6, kv_length: 5}")),
            "4:42: graph.slices: is 6; must be at most kv_length, 5");
  EXPECT_EQ(refusal(with_graph("{generator: chain, tasks: []}")),
            "4:27: graph.tasks: unknown key; valid: blocks, bytes, core_type, flops, generator, kernel, length, sigma_ns, time_ns")
      << "a generator and a list of tasks at once";
}

TEST(BadScenarios, FaultsAreReportedInTheOrderOfTheFile) {
  const std::string tasks = "  - {name: a, time_ns: 1}\n  - {name: b, time_ns: -1}\n  - {nam: c, time_ns: -1}";
  EXPECT_THAT(refusal(with_tasks(tasks) + "sed: 1\n"), StartsWith("7:24: graph.tasks[1].time_ns: is -1; must be 0 to 100000000000\n8:6: "));
  EXPECT_THAT(refusal("sed: 1\n" + with_tasks(tasks)), StartsWith("1:1: sed: unknown key; did you mean 'seed'?"));
}

}  // namespace
}  // namespace tasktwin::scenarios
