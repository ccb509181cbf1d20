// Several workers a core: where they stand, how their bodies hold each other up, and what is refused.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/bounds/bounds.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The i-th task goes to worker i modulo their number.
Design in_turn(int workers, const char* name = "static-queues") {
  Design design = with_depth(name, 1);
  design.placement = Placement::kRoundRobin;
  design.workers_per_core = workers;
  return design;
}

Design dynamic(const char* name, int workers) {
  Design design = with_depth(name, 1);
  design.workers_per_core = workers;
  return design;
}

Timeline run(const TaskGraph& graph, const Machine& machine, const Design& design) { return simulate(graph, machine, design).timeline; }

/// Arithmetic of which one body takes 0.8 of a core, a flop a nanosecond.
Machine arithmetic_machine(int cores) {
  Machine machine = plain_machine(cores);
  KernelCost& fma = machine.kernels[static_cast<std::size_t>(Kernel::kFma)];
  fma.arithmetic = {{1000, 1000}};
  fma.issue = 0.8;
  return machine;
}

TaskGraph arithmetic(const std::vector<std::int64_t>& flops) {
  TaskGraphBuilder builder;
  for (const std::int64_t count : flops)
    builder.add_task("t" + std::to_string(builder.size()), {.cost = {.flops = {count}}, .kernel = Kernel::kFma});
  return std::move(builder).build();
}

std::vector<std::int64_t> ends(const TaskGraph& graph, const Machine& machine, const Design& design) {
  return times(run(graph, machine, design), &TaskTimes::ended);
}

std::string refusal(const TaskGraph& graph, const Machine& machine, const Design& design) {
  try {
    run(graph, machine, design);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(WorkersBeside, RunBodiesThatTakeNothingAtTheSameTime) {
  for (const char* name : {"shared-queue", "work-stealing"}) {
    EXPECT_EQ(to_ns(run(independent(4, 100), plain_machine(1), dynamic(name, 1)).makespan()), 400) << name;
    EXPECT_EQ(to_ns(run(independent(4, 100), plain_machine(1), dynamic(name, 2)).makespan()), 200) << name;
    EXPECT_EQ(to_ns(run(independent(4, 100), plain_machine(1), dynamic(name, 4)).makespan()), 100) << name;
  }
  EXPECT_THAT(ends(independent(4, 100), plain_machine(1), in_turn(2)), ElementsAre(100, 100, 200, 200));
}

TEST(WorkersBeside, AreNumberedTheFirstOfEachCoreBeforeTheSecondOfAny) {
  const Timeline timeline = run(arithmetic({1000, 500, 1000, 300}), arithmetic_machine(2), in_turn(2));
  EXPECT_EQ(timeline.workers_per_core, 2);
  EXPECT_EQ(timeline.cores.size(), 4u);
  EXPECT_EQ(timeline.tasks[2].core, core_id(2));
  // Tasks 0 and 2 on core 0: 1.6 of it; 1 and 3 on core 1 until 480, when one has 200 left.
  EXPECT_THAT(times(timeline, &TaskTimes::ended), ElementsAre(1600, 680, 1600, 480));
}

TEST(WorkersBeside, KeepTheirPlaceOnACoreUntilTheirBodyEnds) {
  Machine machine = arithmetic_machine(1);
  // Worker 0 has tasks 0 and 2, worker 1 task 1: all the time two bodies.
  EXPECT_THAT(ends(arithmetic({500, 1000, 500}), machine, in_turn(2)), ElementsAre(800, 1600, 1600));
  // The overhead is not held up, but keeps the share: 1 has 437.5 left at 900 and is through at 1600, and 2 goes on at 1 / 1.6 until 1700.
  machine.kernels[static_cast<std::size_t>(Kernel::kFma)].overhead = Nanoseconds{100};
  EXPECT_THAT(ends(arithmetic({500, 1000, 500}), machine, in_turn(2)), ElementsAre(900, 1700, 1800));
}

TEST(WorkersBeside, TakeAsLongAsAloneWhereOnlyOneIsAtWork) {
  const Machine machine = arithmetic_machine(1);
  EXPECT_EQ(ends(arithmetic({700}), machine, in_turn(4)), ends(arithmetic({700}), machine, in_turn(1)));
}

TEST(WorkersBeside, ReadNoMoreTogetherThanACoreDraws) {
  Machine machine = plain_machine(1);
  machine.memory->core_bandwidth = 10;
  machine.memory->bandwidth = 1000;
  const TaskGraph readers = small_graph({{"a", 0, 1000}, {"b", 0, 1000}});
  EXPECT_THAT(ends(readers, machine, in_turn(2)), ElementsAre(200, 200));
  machine.compute_cores.front().count = 2;
  EXPECT_THAT(ends(readers, machine, in_turn(2)), ElementsAre(100, 100));
}

TEST(WorkersBeside, LeaveKernelStreamNoRingInHalfOfTheSharedMemory) {
  Machine machine = plain_machine(1);
  machine.memory->core_bandwidth = 10;
  machine.memory->bandwidth = 1000;
  machine.launched_kernels->stream_latency = Nanoseconds{4096};
  machine.core_limits.shared_memory = 228 * 1024;
  machine.core_limits.reserved = 1024;
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b"}) builder.add_task(name, {.cost = {.bytes = {8000}}, .kernel = Kernel::kStream});
  const TaskGraph streams = std::move(builder).build();
  EXPECT_THAT(ends(streams, machine, in_turn(1)), ElementsAre(800, 1600));
  EXPECT_THAT(ends(streams, machine, in_turn(2)), ElementsAre(2000, 2000));  // 16 KiB under way each: 4 bytes/ns
}

TEST(WorkersBeside, WaitInTheMemoryQueueOfTheirCore) {
  Machine machine = plain_machine(3);
  machine.memory->core_bandwidth = 10;
  machine.memory->bandwidth = 25;
  machine.memory->queue_bandwidth = 12;
  machine.compute_cores.front().memory_queues = {0, 0, 1};
  const auto readers = [](int count, std::int64_t bytes) {
    std::vector<SmallTask> tasks;
    for (int i = 0; i < count; ++i) tasks.push_back({"t" + std::to_string(i), 0, bytes});
    return small_graph(tasks);
  };
  // Two on each core draw half as much each as one would.
  const std::vector<std::int64_t> one = ends(readers(3, 6000), machine, in_turn(1));
  const std::vector<std::int64_t> two = ends(readers(6, 3000), machine, in_turn(2));
  EXPECT_GT(one[0], one[2]);
  EXPECT_THAT(two, ElementsAre(one[0], one[1], one[2], one[0], one[1], one[2]));
}

TEST(WorkersBeside, FindOnTheirCoreWhatAnotherOfItHasWritten) {
  Machine machine = plain_machine(1);
  machine.memory->core_bandwidth = 10;
  machine.memory->bandwidth = 1000;
  TaskGraphBuilder builder;
  builder.add_task("writer", {.cost = {.time = Duration{10}}});
  builder.add_task("reader", {.cost = {.time = Duration{10}}});
  builder.add_edge(TaskId{0}, TaskId{1}, {1000});
  const TaskGraph graph = std::move(builder).build();
  EXPECT_THAT(ends(graph, machine, in_turn(2)), ElementsAre(10, 20));
  machine.compute_cores.front().count = 2;
  EXPECT_THAT(ends(graph, machine, in_turn(1)), ElementsAre(10, 110));
}

TEST(WorkersBeside, AreAsFarFromEachOtherAsTheirCores) {
  Machine machine = plain_machine(2);
  machine.distances->compute_die = 1;
  machine.distances->die_hop = Nanoseconds{100};
  machine.resident_cores->counter_hop = Nanoseconds{5};
  // b is on the other die, c beside a.
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}, {"c", 10}}, {{0, 1}, {0, 2}});
  EXPECT_THAT(times(run(graph, machine, in_turn(2)), &TaskTimes::started), ElementsAre(0, 115, 15));
}

TEST(WorkersBeside, ArriveAtABarrierEachByItself) {
  Machine machine = plain_machine(1);
  machine.barriers->arrive = Nanoseconds{4};
  const TaskGraph graph = small_graph({{"a", 30}, {"b", 30}, {"c", 10}}, {{0, 2}});
  EXPECT_EQ(to_ns(run(graph, machine, in_turn(2, "layer-barrier")).tasks[2].ready), 38);
}

TEST(WorkersBeside, StealFromEachOther) {
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}, {"c", 10}}, {{0, 1}, {0, 2}});
  EXPECT_EQ(to_ns(run(graph, plain_machine(1), dynamic("work-stealing", 1)).makespan()), 30);
  const Timeline timeline = run(graph, plain_machine(1), dynamic("work-stealing", 2));
  EXPECT_EQ(to_ns(timeline.makespan()), 20);
  EXPECT_NE(timeline.tasks[1].core, timeline.tasks[2].core);
}

TEST(WorkersBeside, HideWhatAFetchTakes) {
  Machine machine = plain_machine(1);
  machine.resident_cores->list_read = Nanoseconds{50};
  EXPECT_EQ(to_ns(run(independent(4, 100), machine, in_turn(1)).makespan()), 600);
  EXPECT_EQ(to_ns(run(independent(4, 100), machine, in_turn(2)).makespan()), 300);
}

TEST(WorkersBeside, AreNotBelowTheirBounds) {
  const TaskGraph graph = independent(8, 100);
  EXPECT_EQ(to_ns(run_bounds(graph, plain_machine(1), in_turn(4), 1).area), 200);
  EXPECT_EQ(to_ns(run(graph, plain_machine(1), in_turn(4)).makespan()), 200);
  const TaskGraph held_up = arithmetic({1000, 1000, 1000, 1000});
  EXPECT_EQ(to_ns(run(held_up, arithmetic_machine(1), in_turn(4)).makespan()), 3200);
  EXPECT_LE(run_bounds(held_up, arithmetic_machine(1), in_turn(4), 1).highest(), Duration{3200});
}

TEST(WorkersBeside, RefuseWhatIsNotKnownOfThem) {
  Design design = in_turn(2);
  design.prefetch = 1;
  EXPECT_THAT(refusal(independent(1, 10), plain_machine(1), design), HasSubstr("workers_per_core is 2, which cannot have prefetch 1"));
  design = named_design("hybrid");
  design.workers_per_core = 2;
  design.parts = {{.layers = {{0, 1}}, .ready_queue = ReadyQueue::kShared}};
  EXPECT_THAT(refusal(independent(1, 10), plain_machine(1), design), HasSubstr("workers_per_core is 2, which cannot have parts"));
  Machine two = plain_machine(1);
  two.devices.per_node = 2;
  EXPECT_THAT(refusal(independent(1, 10), two, in_turn(2)), HasSubstr("which cannot have the 2 devices of machine 'plain'"));
  for (const char* name : {"central-dispatcher", "host-dispatcher", "cuda-streams"}) {
    design = named_design(name);
    design.workers_per_core = 2;
    design.dispatchers = std::min(design.dispatchers, 1);
    EXPECT_THAT(refusal(independent(1, 10), plain_machine(2), design),
                HasSubstr("workers_per_core has no effect here: it needs driver 'persistent' and release 'counters' or 'barrier'"));
  }
  TaskGraphBuilder builder;
  Task wide;
  wide.traits = builder.add_traits({.blocks = 2});
  builder.add_task("wide", wide);
  design = dynamic("shared-queue", 2);
  design.gang = Gang::kApart;
  EXPECT_THAT(refusal(std::move(builder).build(), plain_machine(2), design),
              HasSubstr("workers_per_core 2: task 'wide' occupies several cores"));
}

TEST(WorkersBeside, AreRefusedWithWhatTheyNeedAndWhatACoreHas) {
  Machine machine = plain_machine(1);
  machine.core_limits = {.blocks = 32, .threads = 2048, .registers = 65536, .shared_memory = 228 * 1024, .reserved = 1024};
  EXPECT_EQ(refusal(independent(1, 10), machine, in_turn(6)), "");
  EXPECT_THAT(refusal(independent(1, 10), machine, in_turn(7)),
              HasSubstr("workers_per_core 7: blocks of 320 threads need 2240 threads, and a core of machine 'plain' has 2048"));
  TaskGraphBuilder builder;
  builder.add_task("tile", {.cost = {.time = Duration{10}}, .kernel = Kernel::kGemm});
  EXPECT_THAT(refusal(std::move(builder).build(), machine, in_turn(2)),
              HasSubstr("workers_per_core 2: blocks that can run task 'tile' of kernel 'gemm' need 282624 bytes of shared memory, 141312 "
                        "each, and a core of machine 'plain' has 233472"));
}

}  // namespace
}  // namespace tasktwin::sim
