#include <gmock/gmock.h>

#include "models/base/error.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string on_ascend(const std::string& tasks) {
  return "scenario: s\nmachine: ascend-a2a3\ndesigns: [ascend-host-built]\ngraph:\n  tasks:\n" + tasks;
}

TaskGraph graph_of(const std::string& tasks) {
  const TemporaryFile file(on_ascend(tasks));
  return load_scenario(file.path()).graph;
}

std::string task_refusal(const std::string& task) { return refusal(on_ascend("  - " + task + "\n")); }

TEST(ListedTasks, KeepWhatOnlySomeTasksHave) {
  const TaskGraph graph = graph_of(
      "  - {name: wide, core_type: aiv, time_ns: 5, blocks: 3, threads: 64, registers: 32, shared_memory_bytes: 4096}\n"
      "  - {name: maybe, core_type: aic, time_ns: 5, probability: 0.25}\n"
      "  - {name: seen, core_type: aic, samples_ns: [5, 7, 5]}\n"
      "  - {name: either, core_type: aic, time_ns: 5, other: {core_type: aiv, time_ns: 20}}\n"
      "  - {name: whole, core_type: mix, time_ns: 5}\n"
      "  - {name: plain, core_type: aic, time_ns: 5}\n"
      "  - {name: hinted, core_type: aic, time_ns: 5, priority: -1, layer: 2, stream: 3}\n");
  const TaskTraits& wide = graph.traits(task_id(0));
  EXPECT_EQ(wide.blocks, 3);
  EXPECT_EQ(wide.threads, 64);
  EXPECT_EQ(wide.registers, 32);
  EXPECT_EQ(wide.shared_memory, 4096);
  EXPECT_EQ(graph.traits(task_id(1)).probability, 0.25);
  EXPECT_THAT(graph.traits(task_id(2)).samples, ElementsAre(Duration{5}, Duration{7}, Duration{5}));
  EXPECT_EQ(graph.traits(task_id(3)).other_type, CoreType::kAiv);
  EXPECT_EQ(graph.traits(task_id(3)).other_time, Duration{20});
  EXPECT_EQ(graph[task_id(4)].core_type, CoreType::kMix);
  EXPECT_EQ(graph[task_id(5)].traits, 0u);
  EXPECT_EQ(graph[task_id(6)].priority, -1);
  EXPECT_EQ(graph[task_id(6)].layer, 2);
  EXPECT_EQ(graph.traits(task_id(6)).stream, 3);
  EXPECT_TRUE(graph.has_wide_tasks());
  EXPECT_TRUE(graph.has_predicates());
  EXPECT_FALSE(graph.has_spawns());
}

TEST(ListedTasks, SayWhetherTheyAreCooperative) {
  const TaskGraph graph = graph_of(
      "  - {name: a, core_type: aiv, time_ns: 5, blocks: 3, cooperative: true}\n"
      "  - {name: b, core_type: aiv, time_ns: 5, blocks: 3, cooperative: false}\n");
  EXPECT_TRUE(graph.traits(task_id(0)).cooperative);
  EXPECT_FALSE(graph.traits(task_id(1)).cooperative);
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, time_ns: 1, cooperative: 1}"),
            "6:56: graph.tasks[0].cooperative: is the number 1; must be true or false");
}

TEST(ListedTasks, HavePrologues) {
  const TaskGraph graph = graph_of(
      "  - {name: a, core_type: aiv, time_ns: 5, prologue_ns: 3}\n"
      "  - {name: b, core_type: aiv, time_ns: 5}\n");
  EXPECT_EQ(graph.traits(task_id(0)).prologue, Duration{3});
  EXPECT_TRUE(graph.has_prologues());
  EXPECT_THAT(refusal(on_ascend("  - {name: a, core_type: aiv, time_ns: 5, prologue_bytes: 64}\n")),
              HasSubstr("task 'a' has prologue_bytes, which only kernels in streams and graphs read before their bodies"));
  EXPECT_EQ(task_refusal("{name: a, core_type: aiv, time_ns: 1, probability: 0.5, prologue_ns: 2}"),
            "6:61: graph.tasks[0].prologue_ns: does not go with probability: whether the body runs is not known before it");
  EXPECT_THAT(task_refusal("{name: a, core_type: mix, time_ns: 1, prologue_bytes: 2}"), HasSubstr("not of core_type 'mix'"));
  EXPECT_THAT(task_refusal("{name: a, operation: memset, bytes: 4, prologue_ns: 2}"), HasSubstr("prologue_ns: does not go with operation"));
}

TEST(ListedTasks, OfPartsHaveATimeForEach) {
  const auto parts = [](const std::string& fields) { return task_refusal("{name: a, core_type: mix, " + fields + "}"); };
  EXPECT_THAT(parts("aic: 1, aiv: 2, part_times_ns: [5, 7]"), HasSubstr("has 2 times, but aic and aiv are 1 and 2, together 3"));
  EXPECT_THAT(parts("part_times_ns: [5, 7]"), HasSubstr("has 2 times, but aic and aiv are 0 and 0"));
  EXPECT_THAT(parts("aic: 1, aiv: 1, time_ns: 7, part_times_ns: [5, 7]"), HasSubstr("time_ns: goes without part_times_ns"));
  EXPECT_THAT(task_refusal("{name: a, core_type: aic, part_times_ns: [5]}"), HasSubstr("goes with core_type 'mix'"));
}

TEST(ListedTasks, ASplitGridIsATaskForEachBlock) {
  const TaskGraph graph = graph_of(
      "  - {name: a, core_type: aiv, time_ns: 5, blocks: 2, split: true, output_bytes: 5, layer: 1}\n"
      "  - {name: b, core_type: aic, time_ns: 6, after: [{task: a, bytes: 101}], layer: 2}\n"
      "  - {name: c, core_type: aiv, time_ns: 7, blocks: 3, split: true, after: [a, b], spawned_by: b}\n"
      "  - {name: d, core_type: aiv, time_ns: 8, blocks: 3, split: false}\n");
  ASSERT_EQ(graph.size(), 7u);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.size(); ++i) names.emplace_back(graph.name(task_id(i)));
  EXPECT_THAT(names, ElementsAre("a.0", "a.1", "b", "c.0", "c.1", "c.2", "d"));
  for (const std::size_t block : {0, 1}) {
    EXPECT_EQ(graph[task_id(block)].cost.time, Duration{5}) << "as each block of the grid takes";
    EXPECT_EQ(graph[task_id(block)].layer, 1);
    EXPECT_EQ(graph.traits(task_id(block)).blocks, 1);
    EXPECT_EQ(graph.traits(task_id(block)).split_of, 2);
  }
  EXPECT_EQ(graph.traits(task_id(0)).output, 3);
  EXPECT_EQ(graph.traits(task_id(1)).output, 2);
  EXPECT_THAT(graph.input_bytes(task_id(2)), ElementsAre(51, 50));
  EXPECT_EQ(graph.in_degree(task_id(3)), 3u);
  EXPECT_EQ(graph.out_degree(task_id(0)), 1u + 3u);
  EXPECT_EQ(graph.spawner(task_id(5)), task_id(2));
  EXPECT_EQ(graph.traits(task_id(6)).blocks, 3);
}

TEST(ListedTasks, PartsThatAreSplitAreTasksOfTheirOwnTimesAndCores) {
  const TaskGraph graph = graph_of(
      "  - {name: a, core_type: mix, aic: 1, aiv: 2, part_times_ns: [48, 129, 45], split: true}\n"
      "  - {name: b, core_type: aiv, part_times_ns: [7, 5], split: true, after: [a]}\n");
  ASSERT_EQ(graph.size(), 5u);
  EXPECT_EQ(graph.name(task_id(1)), "a.1");
  const auto part = [&](std::size_t task) { return std::pair(graph[task_id(task)].core_type, to_ns(graph[task_id(task)].cost.time)); };
  EXPECT_EQ(part(0), std::pair(CoreType::kAic, std::int64_t{48}));
  EXPECT_EQ(part(1), std::pair(CoreType::kAiv, std::int64_t{129}));
  EXPECT_EQ(part(2), std::pair(CoreType::kAiv, std::int64_t{45}));
  EXPECT_EQ(part(4), std::pair(CoreType::kAiv, std::int64_t{5}));
  EXPECT_EQ(graph.in_degree(task_id(4)), 3u);
  EXPECT_FALSE(graph.has_wide_tasks());
  EXPECT_THAT(task_refusal("{name: a, core_type: aiv, part_times_ns: [7, 5]}"), HasSubstr("or with split"));
  EXPECT_THAT(task_refusal("{name: a, core_type: aiv, part_times_ns: [7, 5], blocks: 3, split: true}"),
              HasSubstr("graph.tasks[0].blocks: is 3, but part_times_ns has 2 times"));
  EXPECT_THAT(task_refusal("{name: a, core_type: aiv, part_times_ns: [7], split: true}"), HasSubstr("'blocks' of 2 or more"));
}

TEST(ListedTasks, WhatCannotBeSplitIsRefused) {
  const auto refused = [](const std::string& fields) {
    return task_refusal("{name: a, core_type: aiv, time_ns: 1, split: true" + fields + "}");
  };
  EXPECT_EQ(refused(""), "6:43: graph.tasks[0].split: goes with a grid, 'blocks' of 2 or more");
  for (const char* const field : {"cooperative: true", "cluster: 2", "meets: 1", "probability: 0.5", "spawn_count: 1"})
    EXPECT_THAT(refused(std::string(", blocks: 2, ") + field), HasSubstr("split: does not go with " + std::string(field).substr(0, 5)));
  EXPECT_EQ(refusal(on_ascend("  - {name: a, core_type: aiv, time_ns: 1, blocks: 2, split: true}\n"
                              "  - {name: a.1, core_type: aiv, time_ns: 1}\n")),
            "6:61: graph.tasks[0].split: its block is called 'a.1', as another task is");
  EXPECT_THAT(refusal(on_ascend("  - {name: a, core_type: aiv, time_ns: 1, blocks: 2, split: true}\n"
                                "  - {name: b, core_type: aiv, time_ns: 1, spawned_by: a}\n")),
              HasSubstr("graph.tasks[1].spawned_by: 'a' is split"));
  EXPECT_THAT(refusal(on_ascend("  - {name: a, core_type: aiv, time_ns: 1, blocks: 100000, split: true}\n"
                                "  - {name: b, core_type: aiv, time_ns: 1, blocks: 1000, split: true, after: [a]}\n")),
              HasSubstr("graph.tasks[1].after[0]: with the 100000 blocks of 'a', which is split, the graph has more than 20000000"));
}

TEST(ListedTasks, FaultsBehindASplitGridAreAtTheirTask) {
  EXPECT_THAT(refusal(on_ascend("  - {name: a, core_type: aiv, time_ns: 1, blocks: 5, split: true}\n"
                                "  - {name: b, core_type: sm, time_ns: 1}\n")),
              HasSubstr("graph.tasks[1]"));
}

TEST(ListedTasks, EdgesMayCarryBytesAndTasksMaySpawn) {
  const TaskGraph graph = graph_of(
      "  - {name: a, core_type: aic, time_ns: 5}\n  - {name: b, core_type: aic, time_ns: 5}\n"
      "  - {name: c, core_type: aic, time_ns: 5, after: [a, {task: b, bytes: 100}], spawned_by: a}\n"
      "  - {name: d, core_type: aic, time_ns: 5, spawned_by: c}\n");
  EXPECT_THAT(graph.input_bytes(task_id(2)), ElementsAre(0, 100));
  EXPECT_EQ(graph.spawner(task_id(2)), task_id(0));
  EXPECT_EQ(graph.spawner(task_id(3)), task_id(2));
  EXPECT_EQ(graph.spawner(task_id(0)), std::nullopt);
  EXPECT_EQ(graph.in_degree(task_id(3)), 1u) << "a task waits for its spawner";
  EXPECT_EQ(graph.edge_count(), 3u);
}

TEST(ListedTasks, ContradictionsAreRefusedAtTheirField) {
  EXPECT_EQ(task_refusal("{name: a, core_type: mix, time_ns: 1, blocks: 2}"),
            "6:43: graph.tasks[0].blocks: a task of core_type 'mix' occupies one cluster; it must be 1");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, time_ns: 1, blocks: 0}"), "6:51: graph.tasks[0].blocks: is 0; must be 1 to 1000000");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, time_ns: 1, probability: 1.5}"),
            "6:56: graph.tasks[0].probability: is 1.5; must be 0 to 1");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, time_ns: 1, samples_ns: [1]}"),
            "6:31: graph.tasks[0].time_ns: goes without samples_ns, which are the times themselves");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, samples_ns: []}"),
            "6:43: graph.tasks[0].samples_ns: has 0 items; must have at least 1");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, samples_ns: [-1]}").substr(0, 50),
            "6:44: graph.tasks[0].samples_ns[0]: is -1; must be");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, kernel: empty, samples_ns: [1]}"),
            "6:46: graph.tasks[0].samples_ns: goes with kernel 'spin', not with kernel 'empty'");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, time_ns: 1, other: {core_type: aic, time_ns: 2}}"),
            "6:43: graph.tasks[0].other: names the task's own core_type");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, time_ns: 1, blocks: 2, other: {core_type: aiv, time_ns: 2}}"),
            "6:54: graph.tasks[0].other: goes with a task of one block, not of 2");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, time_ns: 1, other: {core_type: aiv}}"),
            "6:50: graph.tasks[0].other.time_ns: missing (time of its body there)");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, time_ns: 1, spawned_by: b}"),
            "6:55: graph.tasks[0].spawned_by: no task is called 'b'; did you mean 'a'? (valid: a)");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, time_ns: 1, after: [{bytes: 3}]}"),
            "6:51: graph.tasks[0].after[0].task: missing (name of the task)");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, time_ns: 1, after: [{task: b}]}"),
            "6:58: graph.tasks[0].after[0].task: no task is called 'b'; did you mean 'a'? (valid: a)");
  EXPECT_EQ(task_refusal("{name: a, core_type: aic, time_ns: 1, spawned_by: a}"),
            "4:1: graph: the tasks wait for each other in a cycle: a -> a");
}

TEST(ListedTasks, ABlockMustFitOnACore) {
  const auto on_h200 = [](const std::string& fields) {
    return refusal(with_graph("\n  tasks:\n  - {name: a, time_ns: 1, " + fields + "}"));
  };
  EXPECT_EQ(on_h200("threads: 1024, registers: 64"), "");
  EXPECT_EQ(on_h200("threads: 2048"), "6:36: graph.tasks[0].threads: is 2048; must be 0 to 1024");
  EXPECT_EQ(on_h200("threads: 32, registers: 256"),
            "6:51: graph.tasks[0].registers: task 'a' needs 256 registers a thread, but CUDA gives 255 at most");
  EXPECT_EQ(on_h200("threads: 1024, registers: 65"),
            "6:53: graph.tasks[0].registers: task 'a' needs 66560 registers (threads x registers) a block, but a core of machine "
            "'nvidia-h200' has 65536");
  EXPECT_THAT(on_h200("shared_memory_bytes: 233473"), HasSubstr("needs 233473 bytes of shared memory a block"));
}

TEST(ListedTasks, AClusterNeedsAMachineWithClusters) {
  EXPECT_EQ(refusal(with_graph("{generator: chain, core_type: mix}")),
            "4:38: graph.core_type: task 'link(0)' needs core type 'mix', which machine 'nvidia-h200' lacks; give it core_type sm");
}

}  // namespace
}  // namespace tasktwin::scenarios
