// Nodes of a CUDA graph, against times worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/graph/task_graph.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::vector<std::int64_t> starts(const std::vector<SmallTask>& tasks, const Edges& edges, const Machine& machine) {
  std::vector<std::int64_t> result;
  for (const TaskTimes& task : simulate(small_graph(tasks, edges), machine, named_design("cuda-graph")).timeline.tasks)
    result.push_back(to_ns(task.started));
  return result;
}

/// `count` tasks of 100 ns.
std::vector<std::int64_t> starts(std::uint32_t count, const Edges& edges, const Machine& machine) {
  std::vector<SmallTask> tasks;
  for (std::uint32_t i = 0; i < count; ++i) tasks.push_back({"t" + std::to_string(i), 100});
  return starts(tasks, edges, machine);
}

/// The first node of each `hubs` has `leaves` behind it.
Edges stars(std::uint32_t hubs, std::uint32_t leaves) {
  Edges edges;
  for (std::uint32_t hub = 0; hub < hubs; ++hub) {
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) edges.emplace_back(hub, hubs + hub * leaves + leaf);
  }
  return edges;
}

TEST(CudaGraph, TheHostGoesThroughANodeBeforeTheLastRootThatLeadsToIt) {
  Machine machine = plain_machine(8);
  machine.graph_launch->per_root = Nanoseconds{10};
  machine.graph_launch->per_inner = Nanoseconds{3};
  EXPECT_THAT(starts(3, {}, machine), ElementsAre(0, 10, 20));
  EXPECT_THAT(starts(4, stars(2, 1), machine), ElementsAre(3, 16, 103, 116));
  EXPECT_THAT(starts(4, {{0, 2}, {1, 2}, {2, 3}}, machine), ElementsAre(0, 16, 116, 216));
  EXPECT_THAT(starts(2, stars(1, 1), machine), ElementsAre(0, 100));  // a chain
}

TEST(CudaGraph, ANodeTakesTheHostLongerOnTheWayToARootThatIsNotTheLastAndByItsEdges) {
  Machine machine = plain_machine(8);
  machine.graph_launch->per_root = Nanoseconds{10};
  machine.graph_launch->per_inner = Nanoseconds{3};
  const Edges edges{{0, 3}, {1, 3}, {1, 4}, {2, 4}};
  const auto roots = [&] {
    const std::vector<std::int64_t> all = starts(5, edges, machine);
    return std::vector(all.begin(), all.begin() + 3);
  };
  EXPECT_THAT(roots(), ElementsAre(0, 13, 26));
  machine.graph_launch->between = Nanoseconds{5};
  EXPECT_THAT(roots(), ElementsAre(0, 18, 31));
  machine.graph_launch->per_edge = Nanoseconds{1};
  EXPECT_THAT(roots(), ElementsAre(0, 19, 33));
}

/// How much later than the first the second of two roots starts, in a graph of so many nodes.
std::int64_t second_start(std::uint32_t nodes, const Machine& machine) {
  Edges edges;
  for (std::uint32_t node = 2; node < nodes; ++node) edges.emplace_back(node < 8 ? node % 2 : node - 1, node);
  return starts(nodes, edges, machine)[1];
}

TEST(CudaGraph, TheLargerTheGraphTheLongerItTakesOverItsNodes) {
  Machine machine = plain_machine(8);
  machine.graph_launch->per_root = Nanoseconds{10};
  machine.graph_launch->root_growth = Nanoseconds{2};
  EXPECT_EQ(second_start(102, machine), 10);
  EXPECT_EQ(second_start(258, machine), 10);
  EXPECT_EQ(second_start(1026, machine), 10 + 2 * 2) << "two doublings";
  machine.graph_launch->root_growth = Nanoseconds{0};
  machine.graph_launch->per_inner = Nanoseconds{3};
  machine.graph_launch->inner_growth = Nanoseconds{1};
  EXPECT_EQ(second_start(258, machine), 10 + 256 * 3);
  EXPECT_EQ(second_start(1026, machine), 10 + 1024 * (3 + 2));
}

TEST(CudaGraph, ABodyTakesLongerInANodeThanInAStreamAndThereThanOnAResidentCore) {
  Machine machine = plain_machine(8);
  machine.launched_kernels->body = Nanoseconds{3};
  machine.kernels[static_cast<std::size_t>(Kernel::kSpin)].launched = Nanoseconds{7};
  const TaskGraph graph = small_graph({{"t0", 100}}, {});
  const std::vector<Duration> given{Duration{100}};
  for (const auto& [design, longer] : {std::pair{"cuda-graph", 10}, {"cuda-streams", 3}, {"static-queues", 0}}) {
    const auto body = [&](const SimulationOptions& options) {
      const TaskTimes task = simulate(graph, machine, named_design(design), options).timeline.tasks.front();
      return to_ns(task.ended - task.started);
    };
    EXPECT_EQ(body({}), 100 + longer) << design;
    EXPECT_EQ(body({.bodies = given}), 100) << design;
  }
}

/// The bodies of a chain of these kernels on one core, each of 100 ns.
std::vector<std::int64_t> chained_bodies(const std::vector<Kernel>& kernels, const Machine& machine, const std::string& design) {
  TaskGraphBuilder builder;
  std::uint32_t added = 0;
  for (const Kernel kernel : kernels) {
    builder.add_task("t" + std::to_string(added), {.cost = {.time = Duration{100}}, .kernel = kernel});
    if (added > 0) builder.add_edge(task_id(added - 1), task_id(added));
    ++added;
  }
  std::vector<std::int64_t> bodies;
  for (const TaskTimes& task : simulate(std::move(builder).build(), machine, named_design(design)).timeline.tasks)
    bodies.push_back(to_ns(task.ended - task.started));
  return bodies;
}

TEST(CudaGraph, AKernelThatFindsItsCodeGoneEachTimeDisplacesThatOfOthers) {
  Machine machine = plain_machine(1);
  const std::vector<Kernel> chain{Kernel::kSpin, Kernel::kFma, Kernel::kSpin, Kernel::kSpin, Kernel::kEmpty, Kernel::kSpin};
  for (const Kernel kernel : {Kernel::kSpin, Kernel::kEmpty}) machine.kernels[static_cast<std::size_t>(kernel)].cold = Nanoseconds{7};
  KernelCost& fma = machine.kernels[static_cast<std::size_t>(Kernel::kFma)];
  fma.cold = Nanoseconds{4};
  fma.launched = Nanoseconds{200};
  for (const std::string design : {"cuda-graph", "device-graph-launch"})
    EXPECT_THAT(chained_bodies(chain, machine, design), ElementsAre(100, 300, 107, 100, 107, 100)) << design;
  EXPECT_THAT(chained_bodies(chain, machine, "cuda-streams"), ElementsAre(100, 100, 100, 100, 100, 100));
  fma.cold = Nanoseconds{300};
  EXPECT_THAT(chained_bodies(chain, machine, "cuda-graph"), ElementsAre(100, 300, 107, 100, 107, 100)) << "however long its code takes";
  fma.launched = Nanoseconds{90};
  EXPECT_THAT(chained_bodies(chain, machine, "cuda-graph"), ElementsAre(100, 190, 100, 100, 100, 100));
}

TEST(CudaGraph, WhatOneEndMakesReadyStartsOneAfterTheOther) {
  Machine machine = plain_machine(8);
  machine.graph_launch->gap = Nanoseconds{20};
  machine.graph_launch->service = Nanoseconds{5};
  EXPECT_THAT(starts(4, stars(1, 3), machine), ElementsAre(0, 120, 125, 130));
}

TEST(CudaGraph, AFewSuccessorsAreToldOneByOne) {
  Machine machine = plain_machine(16);
  machine.graph_launch->pass = Nanoseconds{30};
  EXPECT_THAT(starts(3, stars(1, 2), machine), ElementsAre(0, 100, 100));
  EXPECT_THAT(starts(6, stars(1, 5), machine), ElementsAre(0, 100, 130, 160, 190, 190));
  machine.graph_launch->pass_service = Nanoseconds{7};
  EXPECT_THAT(starts(8, stars(2, 3), machine), ElementsAre(0, 0, 100, 130, 130, 100, 137, 137)) << "of one node beside another";
}

/// A node behind two roots, and one behind it.
const Edges kJoined{{0, 2}, {1, 2}, {2, 3}};

TEST(CudaGraph, WhatWaitsForSeveralRootsIsToldByANodeOfTheDevices) {
  Machine machine = plain_machine(8);
  machine.graph_launch->fetch = Nanoseconds{30};
  EXPECT_THAT(starts(4, kJoined, machine), ElementsAre(0, 0, 130, 230));
  machine.graph_launch->service = Nanoseconds{5};
  EXPECT_THAT(starts(4, kJoined, machine), ElementsAre(0, 0, 135, 235)) << "one each, and they take turns";
  EXPECT_THAT(starts(5, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}}, machine), ElementsAre(0, 100, 105, 205, 305)) << "all behind one root";
}

TEST(CudaGraph, WhatTheHostLaunchesDoesNotWaitButIsWaitedFor) {
  Machine machine = plain_machine(8);
  machine.graph_launch->per_root = Nanoseconds{60};
  machine.graph_launch->service = Nanoseconds{50};
  EXPECT_THAT(starts(6, {{0, 3}, {1, 4}, {2, 5}}, machine), ElementsAre(0, 60, 120, 110, 210, 260));
}

TEST(CudaGraph, TheSeventhSuccessorDelaysAllOfThem) {
  Machine machine = plain_machine(16);
  machine.graph_launch->fetch = Nanoseconds{30};
  EXPECT_EQ(starts(7, stars(1, 6), machine).back(), 100);
  EXPECT_THAT(starts(8, stars(1, 7), machine), ElementsAre(0, 130, 130, 130, 130, 130, 130, 130));
}

TEST(CudaGraph, SuccessorsThatAreFetchedStartFromTheLast) {
  Machine machine = plain_machine(16);
  machine.graph_launch->service = Nanoseconds{5};
  EXPECT_THAT(starts(4, stars(1, 3), machine), ElementsAre(0, 100, 105, 110));
  EXPECT_THAT(starts(8, stars(1, 7), machine), ElementsAre(0, 135, 130, 125, 120, 115, 110, 105)) << "behind the fetch";
}

TEST(CudaGraph, ANodeOfTheDevicesTakesATurnOfANodeThatStarts) {
  Machine machine = plain_machine(32);
  machine.graph_launch->service = Nanoseconds{5};
  // Two of the gates make nothing ready.
  std::vector<SmallTask> tasks{{"gate", 100}, {"gate", 100}, {"last gate", 100}};
  Edges edges;
  for (std::uint32_t leaf = 3; leaf < 10; ++leaf) {
    tasks.push_back({"leaf", 10});
    for (std::uint32_t gate = 0; gate < 3; ++gate) edges.emplace_back(gate, leaf);
  }
  EXPECT_EQ(starts(tasks, edges, machine).back(), 100 + 3 * 5);
}

TEST(CudaGraph, BranchesBeyondTheHardwareQueuesDoNotWaitForEachOther) {
  Machine machine = plain_machine(8);
  machine.launch_limits.hardware_queues = 1;
  machine.graph_launch->per_root = Nanoseconds{40};
  EXPECT_THAT(starts(8, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}, machine), ElementsAre(0, 40, 80, 120, 100, 140, 180, 220));
}

}  // namespace
}  // namespace tasktwin::sim
