// Resident workers on all devices of a machine, with counters in the memory of whoever waits.
#include <gmock/gmock.h>

#include "models/policies/policies.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/sim/device_worlds.hpp"

namespace tasktwin::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Machine two_devices(int cores) {
  Machine machine = device_machine(2);
  machine.compute_cores = {{.type = CoreType::kSm, .count = cores}};
  machine.resident_cores->release = Nanoseconds{10};
  machine.resident_cores->counter_hop = Nanoseconds{7};
  machine.peers->system_release = Nanoseconds{40};
  machine.peers->flag_hop = Nanoseconds{100};
  return machine;
}

Design lists() {
  Design design = named_design("static-queues");
  design.mailbox_depth = 1;
  design.placement = Placement::kRoundRobin;
  return design;
}

/// c waits for a, which is on another device: the release takes 40, and the hop the other 60 of 100. b, on a's own, is told by the same
/// release; e, which waits for d of its own device alone, by a shorter one.
TEST(PeerWorkers, WhatLeavesADeviceIsReleasedForAllAndComesLater) {
  DeviceGraphs graphs;
  const TaskId a = graphs.kernel(0, 100);
  const TaskId d = graphs.kernel(1, 100);
  const TaskId b = graphs.kernel(0, 100);
  const TaskId c = graphs.kernel(1, 100);
  const TaskId e = graphs.kernel(1, 100);
  graphs.edge(a, b);
  graphs.edge(a, c);
  graphs.edge(d, e);
  const Timeline timeline = simulate(graphs.build(), two_devices(3), lists()).timeline;
  EXPECT_EQ(to_ns(timeline.tasks[index(a)].published), 140);
  EXPECT_EQ(started(timeline, b), 147);
  EXPECT_EQ(started(timeline, c), 200);
  EXPECT_EQ(to_ns(timeline.tasks[index(d)].published), 110);
  EXPECT_EQ(started(timeline, e), 117);
  EXPECT_THAT(timeline.core_devices, ElementsAre(0, 0, 0, 1, 1, 1));
  for (const TaskId task : {c, d, e}) EXPECT_EQ(timeline.core_devices[index(timeline.tasks[index(task)].core)], 1) << index(task);
}

/// A counter that another device decrements is decremented at system scope by its own device as well.
TEST(PeerWorkers, WhoeverCountsASharedCounterReleasesForAll) {
  DeviceGraphs graphs;
  const TaskId there = graphs.kernel(0, 50);
  const TaskId here = graphs.kernel(1, 100);
  const TaskId both = graphs.kernel(1, 100);
  graphs.edge(there, both);
  graphs.edge(here, both);
  const Timeline timeline = simulate(graphs.build(), two_devices(2), lists()).timeline;
  EXPECT_EQ(to_ns(timeline.tasks[index(here)].published), 140);
  EXPECT_EQ(started(timeline, both), 150);  // 50 + 100 is later than 140 + 7
}

/// Two bodies of 1000 bytes on each device share its 10 bytes/ns.
TEST(PeerWorkers, EachDeviceHasAMemoryOfItsOwn) {
  Machine machine = two_devices(2);
  machine.memory->bandwidth = machine.memory->core_bandwidth = 10;
  DeviceGraphs graphs;
  for (int i = 0; i < 4; ++i) graphs.add({.cost = {.bytes = {1000}}, .device = i / 2});
  const Timeline timeline = simulate(graphs.build(), machine, lists()).timeline;
  for (const TaskTimes& times : timeline.tasks) EXPECT_EQ(to_ns(times.ended), 200);
}

/// By the topological order of the whole, and never on another device.
TEST(PeerWorkers, ListsOfAllDevicesEndTogether) {
  DeviceGraphs graphs;
  std::vector<TaskId> tasks;
  for (int i = 0; i < 40; ++i) {
    tasks.push_back(graphs.kernel(i % 2, 10 * (i % 7)));
    if (i > 3) graphs.edge(tasks[static_cast<std::size_t>(i - 1 - i % 3)], tasks.back());
  }
  const TaskGraph graph = graphs.build();
  for (const Placement placement : {Placement::kRoundRobin, Placement::kHeft, Placement::kMinMin}) {
    Design design = lists();
    design.placement = placement;
    const Timeline timeline = simulate(graph, two_devices(2), design).timeline;
    for (std::size_t i = 0; i < graph.size(); ++i)
      EXPECT_EQ(timeline.core_devices[index(timeline.tasks[i].core)], graph[task_id(i)].device) << to_word(placement) << i;
  }
}

TEST(PeerWorkers, WhatTheyCannotDoIsRefusedByName) {
  const Machine machine = two_devices(2);
  DeviceGraphs graphs;
  const TaskId from = graphs.kernel(0, 10);
  graphs.edge(from, graphs.kernel(1, 10), 64);
  EXPECT_THAT(refusal(graphs.build(), machine, lists()), HasSubstr("task 't0 to device 1' is a copy_p2p"));
  DeviceGraphs copies;
  copies.copy(0, 1, 64);
  EXPECT_THAT(refusal(copies.build(), machine, lists()), HasSubstr("copy_p2p"));
  DeviceGraphs sums;
  sums.collective(Operation::kAllReduce, {0, 1}, 64);
  EXPECT_THAT(refusal(sums.build(), machine, lists()), HasSubstr("all_reduce"));
  DeviceGraphs plain;
  plain.kernel(0, 10);
  const TaskGraph graph = plain.build();
  Design flags = lists();
  flags.notification = Notification::kFlag;
  EXPECT_THAT(refusal(graph, machine, flags), HasSubstr("notification 'counter'"));
  EXPECT_THAT(refusal(graph, machine, named_design("shared-queue")), HasSubstr("'persistent' with release 'counters'"));
}

}  // namespace
}  // namespace tasktwin::sim
