// Kernels that read another device's memory beside each other, copies and collectives, calculated by hand: devices of four cores, 10
// bytes/ns a port, and nothing else takes time.
#include <gmock/gmock.h>

#include "tests/sim/device_worlds.hpp"

namespace tasktwin::sim {
namespace {

Design reading() {
  Design design = device_streams();
  design.peer_data = PeerData::kRead;
  return design;
}

/// A kernel of device 1 that reads so many bytes of device 0 from 100 ns on, and then computes for 10.
TaskId reader(DeviceGraphs& graphs, std::int64_t bytes, int blocks, int stream, int from = 0, int on = 1) {
  const TaskId before = graphs.kernel(from, 100, stream);
  const TaskId kernel = graphs.add({.cost = {.time = Duration{10}}, .device = on}, {.blocks = blocks, .stream = stream});
  graphs.edge(before, kernel, bytes);
  return kernel;
}

/// Of device 0, after its kernel of so many ns.
TaskId copy_after(DeviceGraphs& graphs, std::int64_t ns, std::int64_t bytes, int stream) {
  graphs.kernel(0, ns, stream);
  return graphs.copy(0, 1, bytes, stream);
}

/// Either alone takes 100 ns: together each gets half of the port, and both take the sum, however many blocks read.
TEST(PeerReads, TakeTheSumOfBothTimesBesideACopyOnTheirLink) {
  for (const int blocks : {1, 2, 4}) {
    DeviceGraphs graphs;
    const TaskId kernel = reader(graphs, 1000, blocks, 0);
    const TaskId copy = copy_after(graphs, 100, 1000, 1);
    const Timeline timeline = simulate(graphs.build(), device_machine(2), reading()).timeline;
    EXPECT_EQ(ended(timeline, copy), 300) << blocks;
    EXPECT_EQ(ended(timeline, kernel), 310) << blocks;
  }
}

/// The same beside a ring, which sends 1000 bytes each way.
TEST(PeerReads, TakeTheSumOfBothTimesBesideACollective) {
  DeviceGraphs graphs;
  const TaskId kernel = reader(graphs, 1000, 4, 0);
  for (const int device : {0, 1}) graphs.kernel(device, 100, 1);
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 1000, 0, 1);
  Machine machine = device_machine(2);
  const Timeline timeline = simulate(graphs.build(), machine, reading()).timeline;
  EXPECT_EQ(ended(timeline, ranks[0]), 300);
  EXPECT_EQ(ended(timeline, kernel), 310);
}

/// The copy comes when 500 bytes are read, and has 500: from then on both get half.
TEST(PeerReads, AreSlowedDownFromWhenTheCopyComes) {
  DeviceGraphs graphs;
  const TaskId kernel = reader(graphs, 1000, 4, 0);
  const TaskId copy = copy_after(graphs, 150, 500, 1);
  const Timeline timeline = simulate(graphs.build(), device_machine(2), reading()).timeline;
  EXPECT_EQ(ended(timeline, copy), 250);
  EXPECT_EQ(ended(timeline, kernel), 260);
}

/// A block that draws 2 bytes/ns is content, and the copy has the other 8.
TEST(PeerReads, GetWhatTheyAskForWhereThatIsLess) {
  Machine machine = device_machine(2);
  machine.peers->core_read_bandwidth = 2;
  DeviceGraphs graphs;
  const TaskId kernel = reader(graphs, 1000, 1, 0);
  const TaskId copy = copy_after(graphs, 100, 800, 1);
  const Timeline timeline = simulate(graphs.build(), machine, reading()).timeline;
  EXPECT_EQ(ended(timeline, copy), 200);
  EXPECT_EQ(ended(timeline, kernel), 610);
}

/// Two kernels of one device together read no more than read_bandwidth, 5 of the link's 10; the shorter is through first.
TEST(PeerReads, OfOneDeviceShareWhatItsCoresReadTogether) {
  Machine machine = device_machine(2);
  machine.peers->read_bandwidth = 5;
  DeviceGraphs graphs;
  const TaskId one = reader(graphs, 1000, 1, 0);
  const TaskId other = reader(graphs, 500, 1, 1);
  const Timeline timeline = simulate(graphs.build(), machine, reading()).timeline;
  EXPECT_EQ(ended(timeline, other), 100 + 200 + 10);      // 2.5 bytes/ns each
  EXPECT_EQ(ended(timeline, one), 100 + 200 + 100 + 10);  // and then 5
}

/// Reads of two devices, and of the two directions of a pair, meet on no link.
TEST(PeerReads, OfOtherLinksAreNotSlowedDown) {
  DeviceGraphs graphs;
  const TaskId there = reader(graphs, 1000, 4, 0);
  const TaskId back = reader(graphs, 1000, 4, 1, 1, 0);
  const TaskId beside = reader(graphs, 1000, 4, 2, 2, 3);
  const Timeline timeline = simulate(graphs.build(), device_machine(4), reading()).timeline;
  for (const TaskId kernel : {there, back, beside}) EXPECT_EQ(ended(timeline, kernel), 210) << index(kernel);
}

/// Of two devices' bytes, side by side: 600 and 400 of 1000 at 10 bytes/ns into one port.
TEST(PeerReads, OfSeveralDevicesTakeAsLongAsOfOne) {
  DeviceGraphs graphs;
  const TaskId first = graphs.kernel(0, 100);
  const TaskId second = graphs.kernel(2, 100);
  const TaskId kernel = graphs.add({.cost = {.time = Duration{10}}, .device = 1}, {.blocks = 4});
  graphs.edge(first, kernel, 600);
  graphs.edge(second, kernel, 400);
  EXPECT_EQ(ended(simulate(graphs.build(), device_machine(3), reading()).timeline, kernel), 210);
}

/// Over two hosts through both network cards.
TEST(PeerReads, ShareNetworkCardsAsCopiesDo) {
  Machine machine = device_machine(1);
  machine.devices.nodes = 2;
  machine.devices.nics = 1;
  machine.peers->read_bandwidth = machine.peers->core_read_bandwidth = 100;
  DeviceGraphs graphs;
  const TaskId kernel = reader(graphs, 1000, 4, 0);
  const TaskId copy = copy_after(graphs, 100, 1000, 1);
  const Timeline timeline = simulate(graphs.build(), machine, reading()).timeline;
  EXPECT_EQ(ended(timeline, copy), 300);
  EXPECT_EQ(ended(timeline, kernel), 310);
}

/// Two workers that could draw 4 bytes/ns each share the 5 that a device reads of another.
TEST(PeerReads, OfResidentWorkersComeBeforeTheirOwnWork) {
  Machine machine = device_machine(2);
  machine.peers->read_latency = Nanoseconds{3};
  machine.peers->core_read_bandwidth = 4;
  machine.peers->read_bandwidth = 5;
  for (const int readers : {1, 2}) {
    DeviceGraphs graphs;
    const TaskId first = graphs.kernel(0, 100);
    std::vector<TaskId> all;
    for (int i = 0; i < readers; ++i) {
      all.push_back(graphs.kernel(1, 10));
      graphs.edge(first, all.back(), 1000);
    }
    Design design = named_design("static-queues");
    design.placement = Placement::kRoundRobin;
    design.peer_data = PeerData::kRead;
    const Timeline timeline = simulate(graphs.build(), machine, design).timeline;
    for (const TaskId reader : all)
      EXPECT_EQ(ended(timeline, reader) - started(timeline, reader), 3 + (readers == 1 ? 250 : 400) + 10) << readers;
  }
}

TEST(PeerReads, ShareTheLinkInGraphsAsWell) {
  DeviceGraphs graphs;
  const TaskId kernel = reader(graphs, 1000, 4, 0);
  const TaskId before = graphs.kernel(0, 100);
  const TaskId copy = graphs.copy(0, 1, 1000);
  graphs.edge(before, copy);
  Design design = named_design("cuda-graph");
  design.peer_data = PeerData::kRead;
  const Timeline timeline = simulate(graphs.build(), device_machine(2), design).timeline;
  EXPECT_EQ(ended(timeline, copy), 300);
  EXPECT_EQ(ended(timeline, kernel), 310);
}

}  // namespace
}  // namespace tasktwin::sim
