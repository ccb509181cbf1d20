// Blocks of kernels on cores: what fits on one, which core is taken, who goes first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct SmallKernel {
  std::int64_t time_ns = 0;
  TaskTraits traits;
  CoreType type = CoreType::kSm;
  std::int64_t bytes = 0;
};

/// Kernels "a", "b", … that do not depend on each other.
TaskGraph kernels(const std::vector<SmallKernel>& all) {
  TaskGraphBuilder builder;
  for (const SmallKernel& kernel : all) {
    Task task{.cost = {.time = Duration{kernel.time_ns}, .bytes = {kernel.bytes}}, .core_type = kernel.type};
    task.traits = builder.add_traits(kernel.traits);
    builder.add_task(std::string(1, static_cast<char>('a' + builder.size())), task);
  }
  return std::move(builder).build();
}

Timeline run(const TaskGraph& graph, const Machine& machine) { return simulate(graph, machine, named_design("cuda-streams")).timeline; }

std::vector<std::int64_t> starts(const Timeline& timeline) {
  std::vector<std::int64_t> starts;
  for (const TaskTimes& times : timeline.tasks) starts.push_back(to_ns(times.started));
  return starts;
}

Machine with_limits(int cores, const CoreLimits& limits) {
  Machine machine = plain_machine(cores);
  machine.core_limits = limits;
  return machine;
}

/// Blocks like that which one core holds at a time, of 40 that would like to.
std::ptrdiff_t held(TaskTraits traits, const CoreLimits& limits) {
  traits.blocks = 40;
  const Timeline timeline = run(kernels({{100, traits}}), with_limits(1, limits));
  return std::ranges::count(timeline.blocks, at_ns(0), &BlockTimes::started);
}

TEST(CoreLimits, ThreadsInWholeWarps) {
  EXPECT_EQ(held({.threads = 256}, {.threads = 2048}), 8);
  EXPECT_EQ(held({.threads = 256}, {.threads = 2047}), 7);
  EXPECT_EQ(held({.threads = 225}, {.threads = 2048}), 8);
  EXPECT_EQ(held({.threads = 257}, {.threads = 2048}), 7);
}

TEST(CoreLimits, RegistersOfWholeWarpsInUnitsOf256) {
  EXPECT_EQ(held({.threads = 128, .registers = 64}, {.registers = 65536}), 8);  // 8192 a block
  EXPECT_EQ(held({.threads = 128, .registers = 64}, {.registers = 65535}), 7);
  EXPECT_EQ(held({.threads = 128, .registers = 57}, {.registers = 65536}), 8);
  EXPECT_EQ(held({.threads = 128, .registers = 57}, {.registers = 65535}), 7);  // as many as 64 take
  EXPECT_EQ(held({.threads = 128, .registers = 65}, {.registers = 65536}), 7);  // 9216 a block
  EXPECT_EQ(held({.threads = 97, .registers = 64}, {.registers = 65536}), 8);   // four warps
  EXPECT_EQ(held({.threads = 129, .registers = 64}, {.registers = 65536}), 6);  // five
  EXPECT_EQ(held({.threads = 1024, .registers = 32}, {.registers = 65536}), 2);
  EXPECT_EQ(held({.threads = 1024, .registers = 33}, {.registers = 65536}), 1);
}

TEST(CoreLimits, SharedMemory) {
  EXPECT_EQ(held({.shared_memory = 58368}, {.shared_memory = 233472}), 4);
  EXPECT_EQ(held({.shared_memory = 58369}, {.shared_memory = 233472}), 3);
}

TEST(CoreLimits, Blocks) {
  EXPECT_EQ(held({.threads = 32}, {.blocks = 32, .threads = 2048}), 32);
  EXPECT_EQ(held({.threads = 32}, {.blocks = 31, .threads = 2048}), 31);
}

TEST(CoreLimits, TheScarcestDecides) {
  const CoreLimits h200{.blocks = 32, .threads = 2048, .registers = 65536, .shared_memory = 233472};
  EXPECT_EQ(held({.threads = 128, .registers = 32, .shared_memory = 8192}, h200), 16);   // threads and registers
  EXPECT_EQ(held({.threads = 128, .registers = 128, .shared_memory = 8192}, h200), 4);   // registers
  EXPECT_EQ(held({.threads = 128, .registers = 32, .shared_memory = 100000}, h200), 2);  // shared memory
}

TEST(CoreLimits, NoneStatedIsNoLimitAndNothingStatedTakesTheWholeCore) {
  EXPECT_EQ(held({.threads = 1024}, {}), 40);
  EXPECT_EQ(held({}, {.threads = 2048}), 1);
}

TEST(CoreLimits, SharedMemoryThatBlocksTakeBesideTheirOwn) {
  EXPECT_EQ(held({.threads = 32, .shared_memory = 90}, {.shared_memory = 400, .reserved = 10}), 4);
  EXPECT_EQ(held({.threads = 32, .shared_memory = 91}, {.shared_memory = 400, .reserved = 10}), 3);
}

/// 2048 threads and 228 KiB, divided as on an H100.
CoreLimits divided() {
  return {.blocks = 32,
          .threads = 2048,
          .shared_memory = 228 * 1024,
          .reserved = 1024,
          .carveouts = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}};
}

/// When b starts, behind a that takes 100 ns, on one core.
std::int64_t start_beside(const TaskTraits& a, const TaskTraits& b) {
  return starts(run(kernels({{100, a}, {10, b}}), with_limits(1, divided()))).back();
}

TEST(Carveouts, AreKeptWhileABlockStandsOnTheCore) {
  for (const std::int64_t kib : {32, 100, 200}) {
    SCOPED_TRACE(kib);
    EXPECT_EQ(start_beside({.threads = 256}, {.threads = 256, .shared_memory = kib * 1024}), 100);
    EXPECT_EQ(start_beside({.threads = 256, .carveout = 100}, {.threads = 256, .shared_memory = kib * 1024}), 0);
    EXPECT_EQ(start_beside({.threads = 64, .shared_memory = 8 * 1024}, {.threads = 64, .shared_memory = kib * 1024}), 0);
  }
  EXPECT_EQ(start_beside({.threads = 256}, {.threads = 256}), 0);
  EXPECT_EQ(start_beside({.threads = 256, .shared_memory = 64 * 1024}, {.threads = 256, .shared_memory = 32 * 1024}), 100);
  EXPECT_EQ(start_beside({.threads = 256, .shared_memory = 64 * 1024}, {.threads = 256, .shared_memory = 8 * 1024}), 0);
  EXPECT_EQ(start_beside({.threads = 256, .shared_memory = 64 * 1024, .carveout = 100}, {.threads = 256, .shared_memory = 200 * 1024}),
            100);
}

TEST(Carveouts, ThatAreAskedForAreNoMoreThanThat) {
  const TaskTraits half{.threads = 256, .shared_memory = 32 * 1024, .carveout = 50};
  EXPECT_EQ(start_beside(half, half), 0);
  EXPECT_EQ(start_beside(half, {.threads = 256, .shared_memory = 32 * 1024}), 100);
  EXPECT_EQ(start_beside({.threads = 256, .carveout = 100}, {.threads = 256, .carveout = 50}), 100);
  EXPECT_EQ(start_beside({.threads = 256}, {.threads = 256, .carveout = 100}), 0);
}

TEST(Carveouts, BeginAnewOnACoreThatHasBecomeEmpty) {
  const TaskGraph graph = kernels({{100, {.threads = 256}}, {50, {.threads = 256, .shared_memory = 100 * 1024}}, {10, {.threads = 64}}});
  EXPECT_THAT(starts(run(graph, with_limits(1, divided()))), ElementsAre(0, 100, 100));
}

Machine grouped(std::vector<int> groups) {
  Machine machine = with_limits(static_cast<int>(groups.size()), {.threads = 64});
  machine.compute_cores.front().cluster_groups = std::move(groups);
  return machine;
}

TEST(Clusters, StartTogetherOnCoresOfOneGroup) {
  const TaskGraph graph = kernels({{100, {.blocks = 4, .threads = 64, .cluster = 2}}});
  const Timeline timeline = run(graph, grouped({7, 8, 7, 8, 9}));
  ASSERT_EQ(timeline.blocks.size(), 4U);
  std::vector<std::size_t> cores;
  for (const BlockTimes& block : timeline.blocks) {
    EXPECT_EQ(block.started, at_ns(0));
    cores.push_back(index(block.core));
  }
  EXPECT_THAT(cores, ElementsAre(0, 1, 2, 3));
}

TEST(Clusters, WaitUntilTheyAllHaveRoom) {
  // One core of each group is taken: no cluster of two has room before a ends.
  const TaskGraph graph = kernels({{100, {.blocks = 2, .threads = 64}}, {10, {.blocks = 2, .threads = 64, .cluster = 2}}});
  EXPECT_THAT(starts(run(graph, grouped({1, 2, 1, 2}))), ElementsAre(0, 100));
  EXPECT_THAT(starts(run(graph, grouped({1, 1, 2, 2}))), ElementsAre(0, 0));
}

TEST(Clusters, FitAsOftenAsOnAnH100) {
  // Two groups of 18, five of 16, one of 8 and four of 2.
  std::vector<int> groups;
  for (const auto& [count, size] : {std::pair{2, 18}, std::pair{5, 16}, std::pair{1, 8}, std::pair{4, 2}}) {
    for (int i = 0; i < count; ++i) groups.insert(groups.end(), static_cast<std::size_t>(size), 100 * size + i);
  }
  const auto fit = [&](int size, int a_core) {
    Machine machine = with_limits(132, {.blocks = a_core});
    machine.compute_cores.front().cluster_groups = groups;
    const Timeline timeline = run(kernels({{100, {.blocks = size * 1200, .threads = 64, .cluster = size}}}), machine);
    return std::ranges::count(timeline.blocks, at_ns(0), &BlockTimes::started) / size;
  };
  EXPECT_EQ(fit(2, 1), 66);
  EXPECT_EQ(fit(3, 1), 39);
  EXPECT_EQ(fit(4, 1), 30);
  EXPECT_EQ(fit(5, 1), 22);
  EXPECT_EQ(fit(6, 1), 17);
  EXPECT_EQ(fit(8, 1), 15);
  EXPECT_EQ(fit(9, 1), 9);
  EXPECT_EQ(fit(16, 1), 7);
  EXPECT_EQ(fit(16, 2), 14);
}

TEST(StreamBlocks, TwoKernelsShareACoreWhereBothFit) {
  const TaskGraph graph = kernels({{100, {.threads = 512}}, {60, {.threads = 480}}});
  const Timeline both = run(graph, with_limits(1, {.threads = 992}));
  EXPECT_THAT(starts(both), ElementsAre(0, 0));
  EXPECT_EQ(to_ns(both.tasks[0].ended), 100);  // neither slows the other down
  EXPECT_EQ(to_ns(both.tasks[1].ended), 60);
  EXPECT_EQ(both.blocks.size(), 2U);  // which say where they were
  EXPECT_THAT(starts(run(graph, with_limits(1, {.threads = 991}))), ElementsAre(0, 100));
}

TEST(StreamBlocks, KernelThatTakesTheWholeCoreSharesItWithNobody) {
  EXPECT_THAT(starts(run(kernels({{100, {}}, {10, {.threads = 32}}}), plain_machine(1))), ElementsAre(0, 100));
  EXPECT_THAT(starts(run(kernels({{100, {.threads = 32}}, {10, {}}}), plain_machine(1))), ElementsAre(0, 100));
}

TEST(StreamBlocks, LeftoverBlocksGoBeforeALaterKernelThatWouldFit) {
  // 1024 threads: one block of a at a time. b would fit beside it, but waits until a's second block has its place.
  const TaskGraph graph = kernels({{100, {.blocks = 2, .threads = 608}}, {10, {.threads = 256}}});
  const Timeline timeline = run(graph, with_limits(1, {.threads = 1024}));
  EXPECT_THAT(starts(timeline), ElementsAre(0, 100));
  EXPECT_EQ(to_ns(timeline.tasks[0].ended), 200);
  EXPECT_EQ(timeline.blocks, (std::vector<BlockTimes>{{task_id(0), core_id(0), at_ns(0), at_ns(100), kAbsent},
                                                      {task_id(0), core_id(0), at_ns(100), at_ns(200), kAbsent},
                                                      {task_id(1), core_id(0), at_ns(100), at_ns(110), kAbsent}}));
  // One block fewer, and none is left over.
  EXPECT_THAT(starts(run(kernels({{100, {.blocks = 1, .threads = 608}}, {10, {.threads = 256}}}), with_limits(1, {.threads = 1024}))),
              ElementsAre(0, 0));
}

TEST(StreamBlocks, LeftoverBlocksDoNotHoldUpOtherCoreTypes) {
  Machine machine = plain_machine(1);
  machine.compute_cores.push_back({CoreType::kAiv, 1});
  EXPECT_THAT(starts(run(kernels({{100, {.blocks = 2}}, {10, {}}, {10, {}, CoreType::kAiv}}), machine)), ElementsAre(0, 200, 0));
}

TEST(StreamBlocks, GoToTheCoreWithTheFewestLowestFirst) {
  // a puts four blocks on three cores, b's then finds core 0 with two.
  const TaskGraph graph = kernels({{100, {.blocks = 4, .threads = 32}}, {50, {.blocks = 3, .threads = 32}}});
  const Timeline timeline = run(graph, plain_machine(3));
  std::vector<std::size_t> cores;
  for (const BlockTimes& block : timeline.blocks) cores.push_back(index(block.core));
  EXPECT_THAT(cores, ElementsAre(0, 0, 1, 2, 0, 1, 2));
}

TEST(StreamBlocks, AllThatEndsInANanosecondMakesRoomBeforeAnythingIsPlaced) {
  // Cores 0 and 1 become empty at 100: the waiting kernel's two blocks go to one each, not both to the first that is.
  const CoreLimits limits{.threads = 64};
  const TaskGraph graph = kernels({{100, {.threads = 64}}, {100, {.threads = 64}}, {10, {.blocks = 2, .threads = 32}}});
  const Timeline timeline = run(graph, with_limits(2, limits));
  ASSERT_EQ(timeline.blocks.size(), 4U);
  EXPECT_EQ(index(timeline.blocks[2].core), 0U);
  EXPECT_EQ(index(timeline.blocks[3].core), 1U);
}

TEST(StreamBlocks, KernelIsResidentUntilItsLastBlockHasEnded) {
  Machine machine = with_limits(2, {});
  machine.launch_limits.resident_kernels = 1;
  // Three blocks on two cores: the last from 100 to 200, beside an idle core.
  EXPECT_THAT(starts(run(kernels({{100, {.blocks = 3}}, {10, {}}}), machine)), ElementsAre(0, 200));
  machine.launch_limits.resident_kernels = 2;
  EXPECT_THAT(starts(run(kernels({{100, {.blocks = 3}}, {10, {}}}), machine)), ElementsAre(0, 100));
}

TEST(StreamBlocks, DrawOnTheMemoryAsCoresDo) {
  Machine machine = plain_machine(1);
  machine.memory->core_bandwidth = 10;
  machine.memory->bandwidth = 15;
  // One block alone moves its 1000 bytes in 100 ns; three on one core share its 10 bytes/ns, and on three cores 15.
  EXPECT_EQ(to_ns(run(kernels({{0, {.threads = 32}, CoreType::kSm, 1000}}), machine).tasks[0].ended), 100);
  EXPECT_EQ(to_ns(run(kernels({{0, {.blocks = 3, .threads = 32}, CoreType::kSm, 1000}}), machine).tasks[0].ended), 300);
  machine.compute_cores.front().count = 3;
  EXPECT_EQ(to_ns(run(kernels({{0, {.blocks = 3, .threads = 32}, CoreType::kSm, 1000}}), machine).tasks[0].ended), 200);
}

TEST(StreamBlocks, FillPortsInTheOrderOfTheCores) {
  Machine machine = plain_machine(6);
  machine.compute_cores.front().memory_ports = {4, 4, 4, 2, 4, 2};
  machine.memory->core_bandwidth = 10;
  machine.memory->bandwidth = 100;
  machine.memory->port_bandwidth = 20;
  // A kernel of two blocks is not held back; of three, all behind port 4, each gets 20 / 3; the fourth block sits behind the other.
  const auto end = [&](int blocks) { return to_ns(run(kernels({{0, {.blocks = blocks}, CoreType::kSm, 1000}}), machine).tasks[0].ended); };
  EXPECT_EQ(end(2), 100);
  EXPECT_EQ(end(3), 150);
  const Timeline four = run(kernels({{0, {.blocks = 4}, CoreType::kSm, 1000}}), machine);
  EXPECT_EQ(to_ns(four.tasks[0].ended), 150);
  EXPECT_EQ(std::ranges::count(four.blocks, at_ns(100), &BlockTimes::ended), 1);
  // Beside three blocks another kernel takes the next cores.
  EXPECT_EQ(to_ns(run(kernels({{0, {.blocks = 3}, CoreType::kSm, 1000}, {0, {}, CoreType::kSm, 1000}}), machine).tasks[1].ended), 100);
}

TEST(StreamBlocks, ReadTheBytesOfTheirKernelsEdges) {
  Machine machine = plain_machine(1);
  machine.memory->core_bandwidth = machine.memory->bandwidth = 10;
  TaskGraphBuilder builder;
  builder.add_task("a", {});
  builder.add_task("b", {});
  builder.add_edge(task_id(0), task_id(1), {500});
  Design design = named_design("cuda-streams");
  design.streams = 1;
  EXPECT_EQ(to_ns(simulate(std::move(builder).build(), machine, design).timeline.tasks[1].ended), 50);
}

TEST(StreamBlocks, MixTakesAWholeEmptyClusterAndIsNotOvertaken) {
  Machine machine = plain_machine(0);
  machine.compute_cores = {{CoreType::kAic, 2, 1}, {CoreType::kAiv, 4, 2}};
  // a sits on core 0 (aic), so the first cluster is not empty; b takes the second: cores 1, 4 and 5. c, another mix, waits
  // for a, and d, which would find aiv cores 2 and 3 free, waits for c to be placed.
  const TaskGraph graph =
      kernels({{100, {}, CoreType::kAic}, {150, {}, CoreType::kMix}, {20, {}, CoreType::kMix}, {10, {}, CoreType::kAiv}});
  const Timeline timeline = run(graph, machine);
  EXPECT_THAT(starts(timeline), ElementsAre(0, 0, 100, 120));
  std::vector<std::size_t> cores;
  for (const BlockTimes& block : timeline.blocks) cores.push_back(index(block.core));
  EXPECT_THAT(cores, ElementsAre(0, 1, 4, 5, 0, 2, 3, 2));
}

TEST(StreamBlocks, TakeACoreOfTheOtherTypeWhereTheirOwnHasNoRoom) {
  Machine machine = plain_machine(0);
  machine.compute_cores = {{CoreType::kAic, 1}, {CoreType::kAiv, 1}};
  const TaskTraits either{.other_type = CoreType::kAiv, .other_time = Duration{30}};
  // a has the aic for 100, b and then c the aiv for 30 each; d needs the aiv, and c goes first.
  const TaskGraph graph =
      kernels({{100, either, CoreType::kAic}, {100, either, CoreType::kAic}, {100, either, CoreType::kAic}, {5, {}, CoreType::kAiv}});
  const Timeline timeline = run(graph, machine);
  EXPECT_THAT(starts(timeline), ElementsAre(0, 0, 30, 60));
  EXPECT_EQ(to_ns(timeline.tasks[0].ended), 100);
  EXPECT_EQ(to_ns(timeline.tasks[1].ended), 30);
  EXPECT_EQ(to_ns(timeline.tasks[2].ended), 60);
}

std::string refusal(const TaskTraits& traits, const CoreLimits& limits = {}) {
  try {
    run(kernels({{10, {}}, {10, traits}}), with_limits(2, limits));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(StreamBlocks, BlockTooLargeForAnyCoreIsRefused) {
  EXPECT_EQ(refusal({.threads = 1024}, {.threads = 1024}), "");
  EXPECT_THAT(refusal({.threads = 1025}, {.threads = 1024}),
              HasSubstr("task 'b': one block takes 1056 threads (in whole warps), but a core of machine 'plain' has 1024"));
  EXPECT_EQ(refusal({.threads = 256, .registers = 255}, {.registers = 65536}), "");
  EXPECT_THAT(refusal({.threads = 257, .registers = 255}, {.registers = 65536}), HasSubstr("task 'b': one block takes 73728 registers"));
  EXPECT_EQ(refusal({.shared_memory = 1000}, {.shared_memory = 1000}), "");
  EXPECT_THAT(refusal({.shared_memory = 1001}, {.shared_memory = 1000}),
              HasSubstr("task 'b': one block takes 1001 bytes of shared memory, but a core of machine 'plain' has 1000"));
}

TEST(StreamBlocks, FiguresThatAreNoBlocksAreRefused) {
  EXPECT_THAT(refusal({.blocks = 0}), HasSubstr("task 'b': blocks is 0; it must be 1 to"));
  EXPECT_THAT(refusal({.threads = -1}), HasSubstr("threads a block is -1"));
  EXPECT_THAT(refusal({.threads = 32, .registers = -1}), HasSubstr("registers a thread is -1"));
  EXPECT_THAT(refusal({.shared_memory = -1}), HasSubstr("bytes of shared memory a block is -1"));
  EXPECT_THAT(refusal({.threads = 32, .carveout = 101}), HasSubstr("carveout is 101; it must be -1 to 100"));
  EXPECT_THAT(refusal({.carveout = 50}), HasSubstr("task 'b' states a carveout, 50, but neither threads nor shared memory"));
  EXPECT_THAT(refusal({.blocks = 3, .cluster = 2}), HasSubstr("task 'b' has 3 blocks in clusters of 2; its blocks must be a multiple"));
  EXPECT_THAT(refusal({.blocks = 4, .cluster = 2}), HasSubstr("machine 'plain' tells no cluster_groups of its cores"));
  EXPECT_THAT(refusal({.registers = 8}), HasSubstr("task 'b' states registers a thread, 8, but no threads"));
}

TEST(StreamBlocks, MoreThanCanBeNumberedAreRefused) {
  EXPECT_THAT(refusal({.blocks = 1 << 26}), HasSubstr("the tasks have 67108865 blocks together"));
  EXPECT_THAT(refusal({.blocks = (1 << 26) + 1}), HasSubstr("task 'b': blocks is 67108865"));
}

}  // namespace
}  // namespace tasktwin::sim
