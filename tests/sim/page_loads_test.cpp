// What a worker loads ahead, and what that takes from others (Design::prefetch).
#include <gtest/gtest.h>

#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

constexpr std::int64_t kPages = 4 * 16384;

/// Cores whose loaders draw a byte/ns alone, as bodies do, with four pages; reading pages takes no time.
Machine loading_machine(int cores) {
  Machine machine = plain_machine(cores);
  machine.core_limits.shared_memory = 1024 * 9 + 256 + kPages;
  machine.memory->bandwidth = 1000;
  machine.memory->core_bandwidth = 1;
  machine.page_loads.emplace();
  machine.page_loads->load_bandwidth = 1;
  return machine;
}

Design loading(int ahead) {
  Design design = with_depth("static-queues", 1);
  design.placement = Placement::kRoundRobin;
  design.prefetch = ahead;
  return design;
}

Task spin(std::int64_t ns) { return {.cost = {.time = Duration{ns}}}; }
Task read(std::int64_t bytes) { return {.cost = {.bytes = {bytes}}, .kernel = Kernel::kStream}; }

TaskGraph list_of(const std::vector<Task>& tasks) {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks.size(); ++i) builder.add_task("t" + std::to_string(i), tasks[i]);
  return std::move(builder).build();
}

std::int64_t end_of(const TaskGraph& graph, const Machine& machine, int ahead, std::size_t task) {
  return to_ns(simulate(graph, machine, loading(ahead)).timeline.tasks[task].ended);
}

TEST(PageLoads, BringInputsBesideTheBodyBefore) {
  const TaskGraph graph = list_of({spin(5000), read(4000)});
  EXPECT_EQ(end_of(graph, loading_machine(1), 0, 1), 9000);
  EXPECT_EQ(end_of(graph, loading_machine(1), 1, 1), 5000) << "all had come";
}

TEST(PageLoads, ABodyWaitsForWhatHasNotCome) {
  const TaskGraph graph = list_of({spin(1000), read(4000)});
  EXPECT_EQ(end_of(graph, loading_machine(1), 1, 1), 4000);
  Machine machine = loading_machine(1);
  machine.memory->read_latency = Nanoseconds{35};
  EXPECT_EQ(end_of(graph, machine, 1, 1), 4070) << "two reads later";
}

TEST(PageLoads, ABodyReadsItsPagesAtARateOfItsOwn) {
  Machine machine = loading_machine(1);
  machine.page_loads->read_bandwidth = 4;
  EXPECT_EQ(end_of(list_of({spin(5000), read(4000)}), machine, 1, 1), 6000);
}

TEST(PageLoads, RowsAreReadAtTheRateOfTheirKernelAndLongerOnesAtThatOfDown) {
  Machine machine = loading_machine(1);
  machine.page_loads->read_bandwidth = 4;
  machine.kernels[static_cast<std::size_t>(Kernel::kQkv)].paged = 8;
  machine.kernels[static_cast<std::size_t>(Kernel::kDown)].paged = 2;
  machine.core_limits.shared_memory = 1 << 20;
  const auto rows_of = [](int columns) {
    TaskGraphBuilder builder;
    builder.set_problem(DecodeProblem{.layers = 1, .hidden = columns, .heads = 8, .kv_heads = 8, .mlp = 8, .kv_length = 8, .slices = 1});
    builder.add_task("a", spin(50'000));
    builder.add_task("b", {.cost = {.bytes = {std::int64_t{2} * 2 * columns}}, .args = {0, 0, 2, 0}, .kernel = Kernel::kQkv});
    return std::move(builder).build();
  };
  EXPECT_EQ(end_of(rows_of(2048), machine, 1, 1), 50'000 + 1024);
  EXPECT_EQ(end_of(rows_of(1024), machine, 1, 1), 50'000 + 2048);
  machine.kernels[static_cast<std::size_t>(Kernel::kDown)].paged = 0;
  EXPECT_EQ(end_of(rows_of(1024), machine, 1, 1), 50'000 + 1024) << "the section's";
}

TEST(PageLoads, DoNotReachBeyondSoManyTasks) {
  const TaskGraph graph = list_of({spin(5000), spin(100), read(4000)});
  EXPECT_EQ(end_of(graph, loading_machine(1), 2, 2), 5100);
  EXPECT_EQ(end_of(graph, loading_machine(1), 1, 2), 9000) << "begun when the core comes to the task before";
}

TEST(PageLoads, StopWhereAllPagesAreHeld) {
  // Four pages come beside the first body; the other bytes only once their body has begun.
  const TaskGraph graph = list_of({spin(100'000), read(kPages + 3000)});
  EXPECT_EQ(end_of(graph, loading_machine(1), 1, 1), 103'000);
  // Those of the second task hold the pages until it begins.
  const TaskGraph two = list_of({spin(100'000), read(kPages), read(500)});
  EXPECT_EQ(end_of(two, loading_machine(1), 2, 1), 100'000);
  EXPECT_EQ(end_of(two, loading_machine(1), 2, 2), 100'500);
}

TEST(PageLoads, WaitForTheTaskNotForItsInputs) {
  // On two cores: b, on the second, waits for a; its bytes have come by then.
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task("a", spin(5000));
  builder.add_edge(a, builder.add_task("b", read(3000)));
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(end_of(graph, loading_machine(2), 0, 1), 8000);
  EXPECT_EQ(end_of(graph, loading_machine(2), 1, 1), 5000);
}

TEST(PageLoads, TakeBandwidthFromBodies) {
  // The second core's loader and the first core's body share a byte/ns.
  Machine machine = loading_machine(2);
  machine.memory->bandwidth = 1;
  TaskGraphBuilder builder;
  builder.add_task("a", read(2000));
  builder.add_task("b", spin(9000));
  builder.add_task("c", spin(1));
  builder.add_task("d", read(5000));  // on the second core
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(end_of(graph, machine, 0, 0), 2000);
  EXPECT_EQ(end_of(graph, machine, 1, 0), 4000);
}

TEST(PageLoads, MakeNoDifferenceWhereNothingIsConstant) {
  const TaskGraph graph = list_of({spin(1000), spin(20)});
  EXPECT_EQ(simulate(graph, loading_machine(1), loading(3)).timeline, simulate(graph, loading_machine(1), loading(0)).timeline);
}

}  // namespace
}  // namespace tasktwin::sim
