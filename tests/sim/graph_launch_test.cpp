// Nodes of a CUDA graph, against times worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// `count` tasks of 100 ns.
std::vector<std::int64_t> starts(std::uint32_t count, const Edges& edges, const Machine& machine) {
  std::vector<SmallTask> tasks;
  for (std::uint32_t i = 0; i < count; ++i) tasks.push_back({"t" + std::to_string(i), 100});
  std::vector<std::int64_t> result;
  for (const TaskTimes& task : simulate(small_graph(tasks, edges), machine, named_design("cuda-graph")).timeline.tasks)
    result.push_back(to_ns(task.started));
  return result;
}

/// The first node of each `hubs` has `leaves` behind it.
Edges stars(std::uint32_t hubs, std::uint32_t leaves) {
  Edges edges;
  for (std::uint32_t hub = 0; hub < hubs; ++hub) {
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) edges.emplace_back(hub, hubs + hub * leaves + leaf);
  }
  return edges;
}

TEST(CudaGraph, TheLastRootWaitsForTheHandingOverOfAllOtherNodes) {
  Machine machine = plain_machine(8);
  machine.constants.graph_launch_per_root = Nanoseconds{10};
  machine.constants.graph_launch_per_inner = Nanoseconds{3};
  EXPECT_THAT(starts(3, {}, machine), ElementsAre(0, 10, 20));
  EXPECT_THAT(starts(4, stars(2, 1), machine), ElementsAre(0, 16, 100, 116));
  EXPECT_THAT(starts(2, stars(1, 1), machine), ElementsAre(0, 100));  // a chain
}

/// How much later than the first the second of two roots starts, in a graph of so many nodes.
std::int64_t second_start(std::uint32_t nodes, const Machine& machine) {
  Edges edges;
  for (std::uint32_t node = 2; node < nodes; ++node) edges.emplace_back(node < 8 ? node % 2 : node - 1, node);
  return starts(nodes, edges, machine)[1];
}

TEST(CudaGraph, TheLargerTheGraphTheLongerItTakesOverItsNodes) {
  Machine machine = plain_machine(8);
  machine.constants.graph_launch_per_root = Nanoseconds{10};
  machine.constants.graph_root_growth = Nanoseconds{2};
  EXPECT_EQ(second_start(102, machine), 10);
  EXPECT_EQ(second_start(258, machine), 10);
  EXPECT_EQ(second_start(1026, machine), 10 + 2 * 2) << "two doublings";
  machine.constants.graph_root_growth = Nanoseconds{0};
  machine.constants.graph_launch_per_inner = Nanoseconds{3};
  machine.constants.graph_inner_growth = Nanoseconds{1};
  EXPECT_EQ(second_start(258, machine), 10 + 256 * 3);
  EXPECT_EQ(second_start(1026, machine), 10 + 1024 * (3 + 2));
}

TEST(CudaGraph, ABodyTakesLongerInANodeThanInAStreamAndThereThanOnAResidentCore) {
  Machine machine = plain_machine(8);
  machine.constants.launched_body = Nanoseconds{3};
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

TEST(CudaGraph, WhatOneEndMakesReadyStartsOneAfterTheOther) {
  Machine machine = plain_machine(8);
  machine.constants.graph_gap = Nanoseconds{20};
  machine.constants.graph_service = Nanoseconds{5};
  machine.constants.graph_release = Nanoseconds{50};
  EXPECT_THAT(starts(4, stars(1, 3), machine), ElementsAre(0, 120, 125, 130));
}

TEST(CudaGraph, EndsThatMakeOthersReadyAreTakenUpOneAfterTheOther) {
  Machine machine = plain_machine(8);
  machine.constants.graph_service = Nanoseconds{2};
  machine.constants.graph_release = machine.constants.graph_release_among = Nanoseconds{7};
  EXPECT_THAT(starts(6, stars(3, 1), machine), ElementsAre(0, 0, 0, 100, 107, 114));
  machine.constants.graph_release_among = Nanoseconds{9};  // of several roots
  EXPECT_THAT(starts(6, stars(3, 1), machine), ElementsAre(0, 0, 0, 100, 109, 118));
  EXPECT_THAT(starts(4, {{0, 3}, {1, 3}, {2, 3}}, machine), ElementsAre(0, 0, 0, 100));
}

TEST(CudaGraph, EndsThatMakeNothingReadyAreTakenUpWhereThoseBeforeAreOfAnotherLayer) {
  Machine machine = plain_machine(8);
  machine.constants.graph_release_among = Nanoseconds{9};
  const auto last_start = [&machine](const TaskGraph& graph) {
    return to_ns(simulate(graph, machine, named_design("cuda-graph")).timeline.tasks.back().started);
  };
  EXPECT_EQ(last_start(small_graph({{"a", 100}, {"b", 135}, {"c", 30}, {"last", 10}}, {{0, 2}, {2, 3}, {1, 3}})), 139)
      << "c ends at 130, the first of its layer";
  EXPECT_EQ(last_start(small_graph({{"a", 100}, {"b", 135}, {"c", 130}, {"last", 10}}, {{2, 3}, {1, 3}})), 135);
}

TEST(CudaGraph, WhatTheHostLaunchesIsTakenUpBeforeEndsThatWait) {
  Machine machine = plain_machine(8);
  machine.constants.graph_launch_per_root = Nanoseconds{60};
  machine.constants.graph_service = Nanoseconds{2};
  machine.constants.graph_release_among = Nanoseconds{50};
  // The end at 100 waits for the second root, which is taken up until 110; the third, at 120, does not wait for it, and holds up the rest.
  EXPECT_THAT(starts(6, {{0, 3}, {1, 4}, {2, 5}}, machine), ElementsAre(0, 60, 120, 110, 210, 260));
}

TEST(CudaGraph, TheSeventhSuccessorDelaysAllOfThem) {
  Machine machine = plain_machine(16);
  machine.constants.graph_fetch = Nanoseconds{30};
  EXPECT_EQ(starts(7, stars(1, 6), machine).back(), 100);
  EXPECT_THAT(starts(8, stars(1, 7), machine), ElementsAre(0, 130, 130, 130, 130, 130, 130, 130));
}

TEST(CudaGraph, BranchesBeyondTheHardwareQueuesDoNotWaitForEachOther) {
  Machine machine = plain_machine(8);
  machine.launch_limits.hardware_queues = 1;
  machine.constants.graph_launch_per_root = Nanoseconds{40};
  EXPECT_THAT(starts(8, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}, machine), ElementsAre(0, 40, 80, 120, 100, 140, 180, 220));
}

}  // namespace
}  // namespace tasktwin::sim
