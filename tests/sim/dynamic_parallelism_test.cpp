// Kernels launched by kernels, against times worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;

/// A launch takes 5 ns, and its kernel comes 20 after its begin.
Machine launching_machine(int cores) {
  Machine machine = plain_machine(cores);
  machine.dynamic_parallelism->launch = machine.dynamic_parallelism->again = Nanoseconds{5};
  machine.dynamic_parallelism->latency = Nanoseconds{20};
  return machine;
}

Design kernels(int pending) {
  Design design = named_design("dynamic-parallelism");
  design.pending_launches = pending;
  return design;
}

TEST(DynamicParallelism, AKernelReleasesItsSuccessorsAndThenLaunchesThem) {
  Machine machine = launching_machine(1);
  machine.streams->launch_latency = Nanoseconds{100};
  machine.launched_kernels->release = Nanoseconds{3};
  const Timeline timeline = simulate(small_graph({{"a", 50}, {"b", 50}}, {{0, 1}}), machine, kernels(0)).timeline;
  EXPECT_THAT(times(timeline, &TaskTimes::ready), ElementsAre(0, 173));
  EXPECT_THAT(times(timeline, &TaskTimes::dispatched), ElementsAre(100, 173));
  EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(120, 193));
  EXPECT_THAT(times(timeline, &TaskTimes::ended), ElementsAre(170, 243));
  EXPECT_THAT(times(timeline, &TaskTimes::published), ElementsAre(178, 243));  // a's own launch is over
}

TEST(DynamicParallelism, TheLauncherKeepsItsCoreUntilItHasLaunched) {
  Machine machine = launching_machine(1);
  machine.dynamic_parallelism->launch = Nanoseconds{50};
  // The roots' kernel holds the only core for 50, the hub, which comes at 20, until its own launch is over.
  const Timeline timeline = simulate(star(1), machine, kernels(0)).timeline;
  EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(50, 110));
}

TEST(DynamicParallelism, StartsFollowEachOtherByTheService) {
  Machine machine = launching_machine(8);
  machine.dynamic_parallelism->service = Nanoseconds{7};
  const Timeline timeline = simulate(independent(4, 1), machine, kernels(0)).timeline;
  EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(20, 27, 34, 41));
}

TEST(DynamicParallelism, AKernelThatEndsHoldsUpThoseThatWaitToStart) {
  Machine machine = launching_machine(8);
  machine.dynamic_parallelism->service = Nanoseconds{7};
  machine.dynamic_parallelism->end = Nanoseconds{4};
  const Timeline timeline = simulate(independent(4, 1), machine, kernels(0)).timeline;
  EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(20, 31, 42, 53));
}

TEST(DynamicParallelism, AWarpLaunchesThirtyTwoAtATime) {
  const Timeline timeline = simulate(star(33), launching_machine(64), kernels(0)).timeline;
  EXPECT_EQ(to_ns(timeline.tasks[32].dispatched), 30);
  EXPECT_EQ(to_ns(timeline.tasks[33].dispatched), 35);
}

TEST(DynamicParallelism, AWarpTakesLongerForItsSecondToFourthThirtyTwo) {
  Machine further = launching_machine(256);
  further.dynamic_parallelism->further = Nanoseconds{8};
  for (const auto& [leaves, times] : {std::pair{32, 0}, {65, 2}, {128, 3}, {129, 3}, {161, 3}}) {
    const TaskTimes hub = simulate(star(leaves), further, kernels(0)).timeline.tasks[0];
    const TaskTimes plain = simulate(star(leaves), launching_machine(256), kernels(0)).timeline.tasks[0];
    EXPECT_EQ(hub.ended, plain.ended);
    EXPECT_EQ(to_ns(hub.published - plain.published), times * 8) << leaves;
  }
}

TEST(DynamicParallelism, WhoLaunchesWaitsForItsTurnAndWhatAWarpLaunchesComesTogether) {
  Machine machine = launching_machine(64);
  machine.dynamic_parallelism->per_lane = Nanoseconds{7};
  const Timeline timeline = simulate(star(33), machine, kernels(0)).timeline;
  EXPECT_EQ(to_ns(timeline.tasks[1].started), 30 + 31 * 7 + 20);
  EXPECT_EQ(to_ns(timeline.tasks[32].started), 30 + 31 * 7 + 20);
  EXPECT_EQ(to_ns(timeline.tasks[33].dispatched), 30 + 31 * 7 + 5);
}

TEST(DynamicParallelism, WarpsOfOneBlockGetInEachOthersWay) {
  Machine machine = launching_machine(64);
  machine.dynamic_parallelism->block = Nanoseconds{10};
  const Timeline timeline = simulate(independent(33, 1), machine, kernels(0)).timeline;
  EXPECT_EQ(to_ns(timeline.tasks[31].started), 20);
  EXPECT_EQ(to_ns(timeline.tasks[32].started), 32 * 10 + 20);
}

TEST(DynamicParallelism, TheMoreWarpsOfABlockMakeTheirFirstLaunchesTheLongerEachTakes) {
  Machine machine = launching_machine(512);
  machine.dynamic_parallelism->block = Nanoseconds{10};
  machine.dynamic_parallelism->crowd = Nanoseconds{3};
  const Timeline two_warps = simulate(independent(33, 1), machine, kernels(0)).timeline;
  EXPECT_EQ(to_ns(two_warps.tasks[32].started), 32 * 13 + 20);
  const Timeline all_warps = simulate(independent(320, 1), machine, kernels(0)).timeline;
  EXPECT_EQ(to_ns(all_warps.tasks[256].started), 8 * 32 * 31 + 20);
  EXPECT_EQ(to_ns(all_warps.tasks[288].started), 8 * 32 * 31 + 32 * 10 + 20) << "second launches";
}

TEST(DynamicParallelism, ABodyTakesLongerInAKernelLaunchedForIt) {
  Machine machine = launching_machine(1);
  machine.launched_kernels->body = Nanoseconds{9};
  EXPECT_THAT(times(simulate(independent(1, 50), machine, kernels(0)).timeline, &TaskTimes::ended), ElementsAre(20 + 59));
  machine.kernels[static_cast<std::size_t>(Kernel::kSpin)].launched = Nanoseconds{4};
  EXPECT_THAT(times(simulate(independent(1, 50), machine, kernels(0)).timeline, &TaskTimes::ended), ElementsAre(20 + 63));
}

TEST(DynamicParallelism, ALaunchBeyondThePendingOnesIsRunByTheLauncher) {
  for (const int pending : {4, 5}) {
    const Timeline timeline = simulate(star(5), launching_machine(8), kernels(pending)).timeline;
    EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(20, 50, 50, 50, 50, pending == 5 ? 50 : 40)) << pending;
    EXPECT_EQ(timeline.tasks[5].core == timeline.tasks[0].core, pending == 4);
  }
}

TEST(DynamicParallelism, WhatIsKeptIsTriedAgainBeforeItIsRun) {
  // Of three leaves one is launched at 30. The last is tried again at 35 and run from 40 on; then there is room for the other.
  const Timeline timeline = simulate(star(3), launching_machine(1), kernels(1)).timeline;
  EXPECT_THAT(times(timeline, &TaskTimes::dispatched), ElementsAre(0, 30, 140, 35));
  EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(20, 145, 245, 40));
}

TEST(DynamicParallelism, WhoLaunchesAgainTakesAnotherTime) {
  // As above, but the last leaf is run from 38 on, and the other launched again from 138 to 141.
  Machine machine = launching_machine(1);
  machine.dynamic_parallelism->again = Nanoseconds{3};
  const Timeline timeline = simulate(star(3), machine, kernels(1)).timeline;
  EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(20, 141, 241, 38));
}

TEST(DynamicParallelism, LaunchesTakeLongerBesideOthers) {
  Machine machine = launching_machine(64);
  machine.dynamic_parallelism->beside = Nanoseconds{7};
  // Two roots end at 70 and launch a task each: the second while the first is at it.
  const TaskGraph graph = small_graph({{"a", 50}, {"b", 50}, {"c", 1}, {"d", 1}}, {{0, 2}, {1, 3}});
  const Timeline timeline = simulate(graph, machine, kernels(0)).timeline;
  EXPECT_THAT(times(timeline, &TaskTimes::dispatched), ElementsAre(0, 0, 70, 70));
  EXPECT_THAT(times(timeline, &TaskTimes::started), ElementsAre(20, 20, 90, 97));
  EXPECT_THAT(times(timeline, &TaskTimes::published), ElementsAre(75, 82, 91, 98));
}

TEST(DynamicParallelism, ALaunchThatTakesLongerHoldsUpNoOther) {
  Machine machine = launching_machine(128);
  machine.dynamic_parallelism->further = Nanoseconds{100};
  // The hub ends at 30 and launches 32 leaves then, and the last at 35, which comes at 155. The other root ends at 70.
  std::vector<SmallTask> tasks{{"hub", 10}, {"other", 50}, {"behind other", 1}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges{{1, 2}};
  for (std::uint32_t leaf = 0; leaf < 33; ++leaf) {
    tasks.push_back({"leaf", 1});
    edges.emplace_back(0, 3 + leaf);
  }
  const auto started = times(simulate(small_graph(tasks, edges), machine, kernels(0)).timeline, &TaskTimes::started);
  EXPECT_EQ(started.back(), 155);
  EXPECT_EQ(started[2], 90);
}

TEST(DynamicParallelism, TheKneeLiesAtThePendingLaunches) {
  // Beside the hub 127 leaves are resident, though its core is taken, and no longer pending. 68 warps launch until 370.
  Machine machine = launching_machine(1);
  machine.launch_limits.resident_kernels = 128;
  constexpr std::uint32_t kFits = kDefaultPendingLaunches + 127;
  const Timeline fits = simulate(star(kFits), machine, kernels(0)).timeline;
  EXPECT_EQ(to_ns(fits.tasks[1].started), 370);
  EXPECT_EQ(to_ns(fits.tasks.back().dispatched), 365);
  // One more finds no room, is tried again at 370 and run by the hub from 375 on.
  const Timeline beyond = simulate(star(kFits + 1), machine, kernels(0)).timeline;
  EXPECT_EQ(to_ns(beyond.tasks.back().dispatched), 370);
  EXPECT_EQ(to_ns(beyond.tasks.back().started), 375);
  EXPECT_EQ(to_ns(beyond.tasks[1].started), 475);
}

}  // namespace
}  // namespace tasktwin::sim
