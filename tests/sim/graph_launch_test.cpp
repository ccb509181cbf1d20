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

TEST(CudaGraph, ARootTakesLongerToHandOverWithSuccessors) {
  Machine machine = plain_machine(8);
  machine.constants.graph_launch_per_root = Nanoseconds{10};
  machine.constants.graph_launch_per_root_edge = Nanoseconds{2};
  EXPECT_THAT(starts(6, {{0, 3}, {0, 4}, {1, 5}}, machine), ElementsAre(0, 14, 26, 100, 100, 114));
  // Of nine successors six are kept with the node.
  EXPECT_EQ(starts(11, {{0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}, {0, 8}, {0, 9}, {0, 10}}, machine)[1], 10 + 6 * 2);
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
  EXPECT_THAT(starts(8, {{0, 4}, {1, 5}, {2, 6}, {3, 7}}, machine), ElementsAre(0, 40, 80, 120, 120, 160, 180, 220));
}

}  // namespace
}  // namespace tasktwin::sim
