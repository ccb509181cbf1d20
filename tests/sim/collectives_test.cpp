#include <tuple>

#include <gmock/gmock.h>

#include "models/cost/collective_flows.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/sim/device_worlds.hpp"

namespace tasktwin::sim {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Machine collective_machine(int devices) {
  Machine machine = device_machine(devices);
  machine.peers->link_latency = Nanoseconds{2};
  machine.collectives->step = Nanoseconds{5};
  machine.collectives->latency = Nanoseconds{11};
  return machine;
}

std::vector<int> first_devices(int count) {
  std::vector<int> devices;
  for (int device = 0; device < count; ++device) devices.push_back(device);
  return devices;
}

/// How long an `operation` over the first `count` devices takes from the last rank's start to its end.
std::int64_t time_of(Operation operation, int count, std::int64_t bytes, const Machine& machine,
                     CollectiveAlgorithm algorithm = CollectiveAlgorithm::kRing) {
  DeviceGraphs graphs;
  const std::vector<TaskId> ranks = graphs.collective(operation, first_devices(count), bytes);
  Design design = device_streams();
  design.collective = algorithm;
  const Timeline timeline = simulate(graphs.build(), machine, design).timeline;
  std::int64_t began = 0;
  for (const TaskId rank : ranks) began = std::max(began, started(timeline, rank));
  for (const TaskId rank : ranks) EXPECT_EQ(ended(timeline, rank), ended(timeline, ranks.front()));
  return ended(timeline, ranks.front()) - began;
}

/// Each of four sends 2 · 3/4 of 4000 bytes to the next, 600 ns at 10 bytes/ns, behind 11 ns and 2 · 3 steps of 5 + 2.
TEST(Ring, OfFourTakesWhatAHandCalculationSays) {
  EXPECT_EQ(time_of(Operation::kAllReduce, 4, 4000, collective_machine(4)), 11 + 6 * 7 + 600);
  EXPECT_EQ(time_of(Operation::kAllGather, 4, 4000, collective_machine(4)), 11 + 3 * 7 + 300);
  EXPECT_EQ(time_of(Operation::kReduceScatter, 4, 4000, collective_machine(4)), 11 + 3 * 7 + 300);
  EXPECT_EQ(time_of(Operation::kBroadcast, 4, 4000, collective_machine(4)), 11 + 3 * 7 + 400);
}

/// Two trees of 4000 bytes each, up and down. A rank that has two below it in one tree is a leaf of the other: four flows leave its port
/// and four come in, 2.5 bytes/ns each, 1600 ns. The deepest rank is three steps below the top: 2 · 3 steps of 5 + 2.
TEST(Tree, OfEightTakesWhatAHandCalculationSays) {
  EXPECT_EQ(time_of(Operation::kAllReduce, 8, 8000, collective_machine(8), CollectiveAlgorithm::kTree), 11 + 6 * 7 + 1600);
}

TEST(Tree, IsForAllReduceAlone) {
  EXPECT_EQ(time_of(Operation::kAllGather, 4, 4000, collective_machine(4), CollectiveAlgorithm::kTree), 11 + 3 * 7 + 300);
}

TEST(Tree, EveryRankButTheTwoTopsIsALeafOfOneAndHasTwoBelowItInTheOther) {
  const std::vector<CollectiveFlow> flows = collective_flows(
      {.kind = Operation::kAllReduce, .bytes = 16, .devices = first_devices(8), .algorithm = CollectiveAlgorithm::kTree}, {});
  EXPECT_EQ(flows.size(), 2u * 2 * 7);
  std::vector<int> sent(8, 0);
  for (const CollectiveFlow& flow : flows) ++sent[static_cast<std::size_t>(flow.from)];
  EXPECT_THAT(sent, ElementsAre(2, 4, 4, 4, 4, 4, 4, 2));
}

/// Each device sends a quarter of 4000 bytes to each of three others through one port: 300 ns.
TEST(AllToAll, SendsEachPartSideBySide) {
  EXPECT_EQ(time_of(Operation::kAllToAll, 4, 4000, collective_machine(4)), 11 + 7 + 300);
  EXPECT_EQ(time_of(Operation::kSendRecv, 2, 4000, collective_machine(4)), 11 + 7 + 400);
}

/// 4000 bytes between two at 10 bytes/ns take 400 ns, and three of each device's four cores: a block for 1000 bytes, three at most.
Machine machine_of_ranks() {
  Machine machine = device_machine(2);
  machine.collectives->blocks = 3;
  machine.collectives->block_bytes = 1000;
  return machine;
}

/// Of four blocks of 150 ns three run one after the other, from 10 ns on, on the core that is left; the last has a rank's core from 400 ns
/// on.
TEST(Ranks, LeaveFewerCoresToKernelsBesideThem) {
  DeviceGraphs graphs;
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 4000);
  const TaskId head = graphs.kernel(0, 10, 1);
  const TaskId kernel = graphs.add({.cost = {.time = Duration{150}}}, {.blocks = 4, .stream = 1});
  graphs.edge(head, kernel);
  const TaskGraph graph = graphs.build();
  Machine machine = machine_of_ranks();
  const Timeline timeline = simulate(graph, machine, device_streams()).timeline;
  EXPECT_EQ(ended(timeline, ranks[0]), 400);
  EXPECT_EQ(ended(timeline, kernel), 400 + 150);
  machine.collectives->blocks = 0;
  EXPECT_EQ(ended(simulate(graph, machine, device_streams()).timeline, kernel), 160);
}

/// Alone the first takes 1000 ns for 4000 bytes, as measured, of which messages would take up half of the link; the second, over another
/// pair with one device in common, has 2000 bytes and takes 250. Neither gets more of the link than it has alone.
TEST(Collectives, BesideOthersOfADeviceAreNoFasterThanAlone) {
  constexpr std::int64_t kMiB = 1 << 20;
  Machine machine = device_machine(3);
  machine.collective_times = {
      {.kind = Operation::kAllReduce, .ranks = 2, .in_graph = false, .points = {{8, 1}, {4000, 1000}}},
      {.kind = Operation::kAllGather, .ranks = 2, .in_graph = false, .points = {{8, 1}, {4000, 250}}},
      {.kind = Operation::kSendRecv, .ranks = 2, .in_graph = false, .points = {{16 * kMiB, 2.0 * kMiB}, {32 * kMiB, 4.0 * kMiB}}}};
  DeviceGraphs graphs;
  const std::vector<TaskId> slow = graphs.collective(Operation::kAllReduce, {0, 1}, 4000);
  const std::vector<TaskId> quick = graphs.collective(Operation::kAllGather, {0, 2}, 4000, 0, 1);
  const Timeline timeline = simulate(graphs.build(), machine, device_streams()).timeline;
  EXPECT_GE(ended(timeline, slow[0]), 1000);
  EXPECT_GE(ended(timeline, quick[0]), 250);
}

/// The rank of device 0 has three cores from the beginning, although device 1's comes at 500: of four blocks of 150 ns each runs on the
/// fourth.
TEST(Ranks, HaveTheirCoresWhileTheyWaitForTheOthers) {
  DeviceGraphs graphs;
  const TaskId late = graphs.kernel(1, 500);
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 4000);
  graphs.edge(late, ranks[1]);
  const TaskId head = graphs.kernel(0, 10, 1);
  const TaskId kernel = graphs.add({.cost = {.time = Duration{150}}}, {.blocks = 4, .stream = 1});
  graphs.edge(head, kernel);
  const Timeline timeline = simulate(graphs.build(), machine_of_ranks(), device_streams()).timeline;
  EXPECT_EQ(ended(timeline, kernel), 10 + 4 * 150);
  EXPECT_EQ(ended(timeline, ranks[0]), 500 + 400);
}

/// Behind the first kernel come the second of its stream and a rank of another, at the same time: the second has all cores first, and the
/// collective begins when it has ended.
TEST(Ranks, ComeBehindTheKernelThatFollowsTheOneTheyAwait) {
  DeviceGraphs graphs;
  const TaskId first = graphs.add({.cost = {.time = Duration{100}}}, {.blocks = 4});
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 4000, 0, 1);
  const TaskId second = graphs.add({.cost = {.time = Duration{100}}}, {.blocks = 4});
  graphs.edge(first, ranks[0]);
  graphs.edge(first, second);
  const Timeline timeline = simulate(graphs.build(), machine_of_ranks(), device_streams()).timeline;
  EXPECT_EQ(ended(timeline, second), 200);
  EXPECT_EQ(ended(timeline, ranks[0]), 200 + 400);
}

/// The first kernel has all cores until 100; ranks go before the kernel behind them, which runs on the fourth core: 100 to 500.
TEST(Ranks, WaitForRoom) {
  DeviceGraphs graphs;
  const TaskId first = graphs.add({.cost = {.time = Duration{100}}}, {.blocks = 4});
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 4000, 0, 1);
  const TaskId behind = graphs.add({.cost = {.time = Duration{100}}}, {.blocks = 4});
  graphs.edge(first, behind);
  const Timeline timeline = simulate(graphs.build(), machine_of_ranks(), device_streams()).timeline;
  EXPECT_EQ(ended(timeline, ranks[0]), 500);
  EXPECT_EQ(ended(timeline, ranks[1]), 500);
  EXPECT_EQ(ended(timeline, behind), 500);
}

TEST(Ranks, HaveABlockForSoManyBytes) {
  const Machine machine = machine_of_ranks();
  EXPECT_EQ(rank_blocks(machine, 8), 1);
  EXPECT_EQ(rank_blocks(machine, 1001), 2);
  EXPECT_EQ(rank_blocks(machine, 1 << 20), 3);
}

/// One block of three sends 2 bytes/ns, so that 4000 bytes take 2000 ns in place of 400, and two have their core less long to wait for:
/// three cores are left to the kernel's blocks. Two blocks send 4 bytes/ns.
TEST(Ranks, OfFewerBlocksSendLessAndLeaveMoreCores) {
  DeviceGraphs graphs;
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 4000);
  const TaskId head = graphs.kernel(0, 10, 1);
  const TaskId kernel = graphs.add({.cost = {.time = Duration{150}}}, {.blocks = 3, .stream = 1});
  graphs.edge(head, kernel);
  const TaskGraph graph = graphs.build();
  Machine machine = machine_of_ranks();
  machine.peers->core_read_bandwidth = 2;
  Design design = device_streams();
  for (const auto& [blocks, time, waves] : {std::tuple{0, 400, 3}, {3, 400, 3}, {2, 1000, 2}, {1, 2000, 1}}) {
    design.collective_blocks = blocks;
    const Timeline timeline = simulate(graph, machine, design).timeline;
    EXPECT_EQ(ended(timeline, ranks[0]), time) << blocks;
    EXPECT_EQ(ended(timeline, kernel), 10 + waves * 150) << blocks;
  }
  machine.peers->core_read_bandwidth = 0;  // then it is not known what fewer send
  EXPECT_EQ(ended(simulate(graph, machine, design).timeline, ranks[0]), 400);
}

/// One block sends 2 of the link's 10 bytes/ns and leaves 8 to the copy. A table's time of 400 ns gives way to 2000.
TEST(Ranks, OfFewerBlocksLeaveTheLinkToCopies) {
  DeviceGraphs graphs;
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 4000);
  const TaskId copy = graphs.copy(0, 1, 1600, 1);
  const TaskGraph graph = graphs.build();
  Machine machine = machine_of_ranks();
  machine.peers->core_read_bandwidth = 2;
  Design design = device_streams();
  design.collective_blocks = 1;
  for (const bool measured : {false, true}) {
    design.collective = measured ? CollectiveAlgorithm::kAutomatic : CollectiveAlgorithm::kRing;
    if (measured)
      machine.collective_times = {{.kind = Operation::kAllReduce, .ranks = 2, .in_graph = false, .points = {{8, 2}, {4000, 400}}}};
    const Timeline timeline = simulate(graph, machine, design).timeline;
    EXPECT_EQ(ended(timeline, copy), 200) << measured;
    EXPECT_EQ(ended(timeline, ranks[0]), 2000) << measured;
  }
}

TEST(Ranks, OfFewerBlocksAreRefusedWhereTheyMeanNothing) {
  DeviceGraphs graphs;
  graphs.collective(Operation::kAllReduce, {0, 1}, 4000);
  const TaskGraph graph = graphs.build();
  Machine machine = machine_of_ranks();
  Design design = device_streams();
  design.collective_blocks = 5;
  EXPECT_THAT(refusal(graph, machine, design), HasSubstr("collective_blocks is 5, but a device of machine 'devices' has 4 cores"));
  machine.collectives->blocks = 0;
  design.collective_blocks = 2;
  EXPECT_THAT(refusal(graph, machine, design), HasSubstr("states no collectives.blocks"));
  design = named_design("cuda-streams");
  design.collective_blocks = 2;
  EXPECT_THAT(refusal(graph, device_machine(1), design), HasSubstr("collective_blocks has no effect here"));
}

/// Behind a collective of 11 ns and 2 · 7 of steps and 400 of bytes a kernel waits for 7 + 20, another collective for 7.
TEST(Collectives, HoldUpTheKernelBehindThemInAGraph) {
  Machine machine = collective_machine(2);
  machine.graph_launch->gap = Nanoseconds{7};
  machine.collectives->graph_leave = Nanoseconds{20};
  DeviceGraphs graphs;
  const std::vector<TaskId> first = graphs.collective(Operation::kAllReduce, {0, 1}, 4000);
  const std::vector<TaskId> second = graphs.collective(Operation::kAllReduce, {0, 1}, 4000);
  std::vector<TaskId> kernels;
  for (const std::size_t device : {0u, 1u}) {
    kernels.push_back(graphs.kernel(static_cast<int>(device), 10));
    graphs.edge(first[device], second[device]);
    graphs.edge(second[device], kernels.back());
  }
  Design design = named_design("cuda-graph");
  design.graph_source = GraphSource::kCapture;
  const Timeline timeline = simulate(graphs.build(), machine, design).timeline;
  EXPECT_EQ(started(timeline, second[0]), ended(timeline, first[0]) + 7);
  EXPECT_EQ(ended(timeline, second[0]), started(timeline, second[0]) + 11 + 2 * 7 + 400);
  for (const TaskId kernel : kernels) EXPECT_EQ(started(timeline, kernel), ended(timeline, second[0]) + 27);
}

TEST(Ring, PayloadGetsPartOfALink) {
  Machine machine = collective_machine(4);
  machine.collectives->efficiency = 0.5;
  EXPECT_EQ(time_of(Operation::kAllReduce, 4, 4000, machine), 11 + 6 * 7 + 1200);
}

/// Both leave device 0 at 5 bytes/ns each; the copy is through at 200, and the 1000 bytes left of the ring's go on at 10.
TEST(Ring, SharesALinkWithACopy) {
  Machine machine = device_machine(2);
  DeviceGraphs graphs;
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 2000);
  const TaskId copy = graphs.copy(0, 1, 1000, 1);
  const Timeline timeline = simulate(graphs.build(), machine, device_streams()).timeline;
  EXPECT_EQ(ended(timeline, copy), 200);
  EXPECT_EQ(ended(timeline, ranks[0]), 300);
}

/// Two rings over disjoint pairs do not meet; where both have a device each takes twice as long. Over the same pair, which has one
/// communicator, they follow each other.
TEST(Ring, SharesALinkWithAnotherCollective) {
  Machine machine = device_machine(4);
  for (const auto& [second, first_time, time] :
       {std::tuple{std::vector<int>{2, 3}, 200, 200}, {std::vector<int>{0, 2}, 400, 400}, {std::vector<int>{0, 1}, 200, 200 + 200}}) {
    DeviceGraphs graphs;
    const std::vector<TaskId> one = graphs.collective(Operation::kAllReduce, {0, 1}, 2000);
    const std::vector<TaskId> other = graphs.collective(Operation::kAllReduce, second, 2000, 0, 1);
    const Timeline timeline = simulate(graphs.build(), machine, device_streams()).timeline;
    EXPECT_EQ(ended(timeline, one[0]), first_time);
    EXPECT_EQ(ended(timeline, other[1]), time);
  }
}

/// An all_reduce of 4000 bytes, 400 ns at 10 bytes/ns, was measured at 1000. A byte of a message takes up 1.25 of the link: so of the
/// link's 10 bytes/ns it takes 5, as long as it runs, and a copy beside it gets the others, and all behind it.
TEST(Collectives, LeaveOfALinkWhatMessagesDoNotTakeUp) {
  constexpr std::int64_t kMiB = 1 << 20;
  Machine machine = device_machine(2);
  machine.collective_times = {
      {.kind = Operation::kAllReduce, .ranks = 2, .in_graph = false, .points = {{8, 1}, {4000, 1000}}},
      {.kind = Operation::kSendRecv, .ranks = 2, .in_graph = false, .points = {{16 * kMiB, 2.0 * kMiB}, {32 * kMiB, 4.0 * kMiB}}}};
  DeviceGraphs graphs;
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 4000);
  const TaskId copy = graphs.copy(0, 1, 8000, 1);
  const TaskGraph graph = graphs.build();
  Timeline timeline = simulate(graph, machine, device_streams()).timeline;
  EXPECT_EQ(ended(timeline, ranks[0]), 1000);
  EXPECT_EQ(ended(timeline, copy), 1300);
  machine.collective_times.pop_back();  // then it is taken to fill the link: 10000 bytes of it
  timeline = simulate(graph, machine, device_streams()).timeline;
  EXPECT_EQ(ended(timeline, ranks[0]), 1800);
  EXPECT_EQ(ended(timeline, copy), 1600);
}

TEST(Collectives, WaitForTheLastRank) {
  DeviceGraphs graphs;
  const TaskId late = graphs.kernel(1, 500);
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 2000);
  graphs.edge(late, ranks[1]);
  const TaskId behind = graphs.kernel(0, 10);
  graphs.edge(ranks[0], behind);
  const Timeline timeline = simulate(graphs.build(), device_machine(2), device_streams()).timeline;
  EXPECT_EQ(started(timeline, ranks[0]), 0);
  EXPECT_EQ(started(timeline, ranks[1]), 500);
  EXPECT_EQ(ended(timeline, ranks[0]), 700);
  EXPECT_EQ(started(timeline, behind), 700);
}

/// Nodes of two devices; a ring of four crosses between them twice, 6000 bytes each way at 2 bytes/ns through the one card of a node,
/// behind 6 steps of which a ring's round has two within nodes (2 ns), two between them (2 · 20 + 2 · 3 ns), and 5 ns each.
TEST(Ring, BetweenNodesGoesThroughCardsAndTree) {
  Machine machine = collective_machine(2);
  machine.devices.nodes = 2;
  machine.devices.nics = 1;
  machine.network->nic_bandwidth = 2;
  machine.network->nic_latency = Nanoseconds{20};
  machine.network->tree_latency = Nanoseconds{3};
  EXPECT_EQ(time_of(Operation::kAllReduce, 4, 4000, machine), 11 + 6 * (5 + (2 * 2 + 2 * 46) / 4) + 3000);
}

/// Two nodes of four ranks: with a card a node its one ring crosses, with one a rank four rings of a quarter of the bytes do, each from
/// another rank.
TEST(Ring, OverNodesLeavesThemByAllOfTheirNetworkCards) {
  Machine machine = device_machine(4);
  machine.devices.nodes = 2;
  machine.network->nic_bandwidth = machine.network->tree_bandwidth = 1;  // a tenth of a link
  machine.network->nic_latency = machine.network->tree_latency = Nanoseconds{0};
  machine.network->tree_bandwidth = 100;
  std::vector<std::int64_t> times;
  for (const int cards : {1, 2, 4}) {
    machine.devices.nics = cards;
    times.push_back(time_of(Operation::kAllGather, 8, 8000, machine));
  }
  EXPECT_THAT(times, ElementsAre(7000, 3500, 1750));
}

TEST(Tree, OverNodesLeavesThemByAllOfTheirNetworkCards) {
  Machine machine = device_machine(4);
  machine.devices.nodes = 2;
  machine.network->nic_bandwidth = 1;
  machine.network->tree_bandwidth = 100;
  machine.network->nic_latency = machine.network->tree_latency = Nanoseconds{0};
  std::vector<std::int64_t> times;
  for (const int cards : {1, 2, 4}) {
    machine.devices.nics = cards;
    times.push_back(time_of(Operation::kAllReduce, 8, 8000, machine, CollectiveAlgorithm::kTree));
  }
  EXPECT_LE(10 * times[1], 6 * times[0]);
  EXPECT_LE(10 * times[2], 3 * times[0]);
}

/// Four nodes under two leaf switches; from node 1 to node 2 it is four links of the tree, and two within a leaf.
TEST(FatTree, RoutesClimbToWhereBothNodesMeet) {
  Machine machine = device_machine(1);
  machine.devices = {.per_node = 1, .nodes = 4, .nics = 1, .tree_down = {2, 2}, .tree_up = {1, 2}};
  machine.network->tree_latency = Nanoseconds{100};
  machine.network->tree_bandwidth = 4;
  DeviceGraphs graphs;
  const TaskId near = graphs.copy(0, 1, 1000);
  const TaskId far = graphs.copy(2, 1, 1000);
  const Timeline timeline = simulate(graphs.build(), machine, device_streams()).timeline;
  // They meet on the link into node 1: the near one begins 200 ns earlier and has sent 800 bytes when the far one comes.
  EXPECT_EQ(ended(timeline, near), 200 + 200 + 100);
  EXPECT_EQ(ended(timeline, far), 400 + 100 + 200);
}

TEST(MeasuredCollectives, AreLinearBetweenSizesAndGoOnAsTheLastTwo) {
  Machine machine = collective_machine(2);
  machine.collective_times = {{.kind = Operation::kAllReduce, .ranks = 2, .points = {{100, 50}, {1000, 500}, {2000, 700}}}};
  for (const auto& [bytes, time] : {std::pair{8, 50}, {100, 50}, {550, 275}, {1500, 600}, {4000, 1100}})
    EXPECT_EQ(time_of(Operation::kAllReduce, 2, bytes, machine, CollectiveAlgorithm::kAutomatic), time) << bytes;
  // Others, fewer ranks and a chosen algorithm go by flows.
  EXPECT_EQ(time_of(Operation::kAllGather, 2, 2000, machine, CollectiveAlgorithm::kAutomatic), 11 + 7 + 100);
  EXPECT_EQ(time_of(Operation::kAllReduce, 2, 2000, machine), 11 + 2 * 7 + 200);
}

/// Of small sizes, or where chance makes the last time the lesser, further bytes take what the links need, and never less time.
TEST(MeasuredCollectives, OfMoreBytesThanWereMeasuredTakeNoLessThanTheLinksNeed) {
  Machine machine = collective_machine(2);
  machine.collective_times = {{.kind = Operation::kAllReduce, .ranks = 2, .points = {{8, 101}, {64, 100}, {400, 99}}}};
  for (const auto& [bytes, time] : {std::pair{64, 100}, {400, 99}, {800, 99}, {2000, 200}, {1'000'000, 100'000}})
    EXPECT_EQ(time_of(Operation::kAllReduce, 2, bytes, machine, CollectiveAlgorithm::kAutomatic), time) << bytes;
  machine.collective_times.front().points = {{8, 100}};
  EXPECT_EQ(time_of(Operation::kAllReduce, 2, 1'000'000, machine, CollectiveAlgorithm::kAutomatic), 100'000);
}

/// Alone one of 2000 bytes takes 700 as measured, without a latency all of it bytes in flight. Two that have a device in common share its
/// port from beginning to end; a copy of 1000 bytes has half of one until it is through at 200, and the 600 that are left of the
/// collective's go on alone.
TEST(MeasuredCollectives, ShareLinksWithEachOtherAndWithCopies) {
  Machine machine = device_machine(3);
  machine.collective_times = {{.kind = Operation::kAllReduce, .ranks = 2, .points = {{1000, 500}, {2000, 700}}}};
  Design design = device_streams();
  design.collective = CollectiveAlgorithm::kAutomatic;
  DeviceGraphs two;
  const std::vector<TaskId> first = two.collective(Operation::kAllReduce, {0, 1}, 2000);
  const std::vector<TaskId> second = two.collective(Operation::kAllReduce, {0, 2}, 2000, 0, 1);
  const Timeline both = simulate(two.build(), machine, design).timeline;
  EXPECT_EQ(ended(both, first[0]), 1400);
  EXPECT_EQ(ended(both, second[0]), 1400);
  DeviceGraphs mixed;
  const std::vector<TaskId> ranks = mixed.collective(Operation::kAllReduce, {0, 1}, 2000);
  const TaskId copy = mixed.copy(0, 1, 1000, 1);
  const Timeline beside = simulate(mixed.build(), machine, design).timeline;
  EXPECT_EQ(ended(beside, copy), 200);
  EXPECT_EQ(ended(beside, ranks[0]), 800);
}

/// Two thousand bytes each way take 200 ns alone. Four kernels that could read 160 bytes/ns share the 20 that are left until 200, an eighth
/// of what they could: the gather moves at 0.125 / 0.45 of its pace, and makes up for 144.4 ns of that.
TEST(MemoryOfCollectives, IsScarceAmongManyReaders) {
  Machine machine = device_machine(2);
  machine.memory->bandwidth = machine.memory->core_bandwidth = 40;
  DeviceGraphs graphs;
  std::vector<TaskId> kernels;
  for (int stream = 0; stream < 4; ++stream) kernels.push_back(graphs.add({.cost = {.bytes = {1000}}, .device = 0}, {.stream = stream}));
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllGather, {0, 1}, 4000, 0, 4);
  Design design = device_streams();
  design.streams = 5;
  const Timeline timeline = simulate(graphs.build(), machine, design).timeline;
  for (const TaskId kernel : kernels) EXPECT_EQ(ended(timeline, kernel), 200);
  for (const TaskId rank : ranks) EXPECT_EQ(ended(timeline, rank), 345);
}

/// Each rank sends 2000 bytes and receives as many in 200 ns: half of 40 bytes/ns is left for four kernels, which alone take 100 ns.
TEST(MemoryOfCollectives, IsNotThereForKernels) {
  Machine machine = device_machine(2);
  machine.memory->bandwidth = 40;
  machine.memory->core_bandwidth = 10;
  const auto last_kernel = [&](bool beside) {
    DeviceGraphs graphs;
    std::vector<TaskId> kernels;
    for (int stream = 0; stream < 4; ++stream) kernels.push_back(graphs.add({.cost = {.bytes = {1000}}, .device = 0}, {.stream = stream}));
    if (beside) graphs.collective(Operation::kAllGather, {0, 1}, 4000, 0, 4);
    Design design = device_streams();
    design.streams = 5;
    const Timeline timeline = simulate(graphs.build(), machine, design).timeline;
    std::int64_t last = 0;
    for (const TaskId kernel : kernels) last = std::max(last, ended(timeline, kernel));
    return last;
  };
  EXPECT_EQ(last_kernel(false), 100);
  EXPECT_EQ(last_kernel(true), 200);
}

/// By one table: four further steps of 7 ns, and of S bytes (6 · 0.1 + 0.045) / 4 in place of (2 · 0.1 + 0.045) / 2 ns each. Three ranks'
/// table adds steps of 200 ns, by its small sizes; a step with parts of 200 bytes takes (540 - 200) / 2 ns, which makes 880 ns of the 800
/// bytes.
TEST(MeasuredCollectives, OfMoreRanksFollowFromTheTablesOfFewer) {
  Machine machine = collective_machine(4);
  machine.collective_times = {{.kind = Operation::kAllReduce, .ranks = 2, .points = {{100, 50}, {1000, 500}, {2000, 700}}}};
  for (const auto& [bytes, time] : {std::pair{8, 50 + 28 + 1}, {400, 200 + 28 + 16}, {800, 400 + 28 + 31}})
    EXPECT_EQ(time_of(Operation::kAllReduce, 4, bytes, machine, CollectiveAlgorithm::kAutomatic), time) << bytes;
  machine.collective_times.push_back({.kind = Operation::kAllReduce, .ranks = 3, .points = {{100, 90}, {1000, 900}}});
  EXPECT_EQ(time_of(Operation::kAllReduce, 4, 800, machine, CollectiveAlgorithm::kAutomatic), 880);
  EXPECT_EQ(time_of(Operation::kAllReduce, 3, 1000, machine, CollectiveAlgorithm::kAutomatic), 900);
}

/// Of three ranks two thirds between two and four in rounds of all_gather: 1, 2 and 3.
TEST(MeasuredCollectives, OfRanksBetweenTwoTablesAreBetweenTheirTimes) {
  Machine machine = collective_machine(4);
  machine.collective_times = {{.kind = Operation::kAllGather, .ranks = 4, .points = {{1000, 700}}},
                              {.kind = Operation::kAllGather, .ranks = 2, .points = {{1000, 500}}}};
  EXPECT_EQ(time_of(Operation::kAllGather, 3, 1000, machine, CollectiveAlgorithm::kAutomatic), 600);
}

/// Parts of 250 bytes go to one further rank by each of two steps of 0.1 ns a byte: what two ranks took for 500 bytes, and 50 ns.
TEST(MeasuredCollectives, OfPairsGoByTheBytesOfAPair) {
  Machine machine = collective_machine(4);
  machine.collective_times = {{.kind = Operation::kAllToAll, .ranks = 2, .points = {{100, 50}, {1000, 500}}}};
  EXPECT_EQ(time_of(Operation::kAllToAll, 4, 1000, machine, CollectiveAlgorithm::kAutomatic), 250 + 50);
}

/// Where the switch adds up and multiplies, 4 MB of four ranks pass each port once and a quarter of them again, at 0.85 of 10 bytes/ns.
TEST(Multicast, IsTakenWhereItIsQuicker) {
  Machine machine = collective_machine(4);
  const auto time = [&machine](std::int64_t bytes, CollectiveAlgorithm algorithm = CollectiveAlgorithm::kAutomatic) {
    return time_of(Operation::kAllReduce, 4, bytes, machine, algorithm);
  };
  EXPECT_EQ(time(4000), 11 + 6 * 7 + 600);
  EXPECT_EQ(time(4'000'000), 11 + 6 * 7 + 600'000);
  machine.devices.multicast = true;
  EXPECT_EQ(time(4000), 11 + 6 * 7 + 600);
  EXPECT_EQ(time(4'000'000), 11 + 6 * 7 + 600'000);  // 25 us and 588 of bytes are longer
  EXPECT_EQ(time(40'000'000), 11 + 25'000 + 5'882'353);
  EXPECT_EQ(time(40'000'000, CollectiveAlgorithm::kRing), 11 + 6 * 7 + 6'000'000);
}

TEST(CollectivesInGraphs, ComeByCaptureAndSaveWhatTheMachineSays) {
  Machine machine = collective_machine(2);
  machine.collectives->graph_saving = Nanoseconds{4};
  DeviceGraphs graphs;
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 2000);
  const TaskGraph graph = graphs.build();
  Design design = named_design("cuda-graph");
  EXPECT_THAT(refusal(graph, machine, design), HasSubstr("it needs graph_source 'capture'"));
  design.graph_source = GraphSource::kCapture;
  const Timeline timeline = simulate(graph, machine, design).timeline;
  EXPECT_EQ(ended(timeline, ranks[0]) - started(timeline, ranks[0]), 11 + 2 * 7 + 200 - 4);
}

/// One thread opens one group for both ranks; a thread a device opens one each.
TEST(CollectiveCalls, TakeTheHostItsTime) {
  Machine machine = collective_machine(2);
  machine.collectives->group = Nanoseconds{100};
  machine.collectives->call = Nanoseconds{30};
  DeviceGraphs graphs;
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 2000);
  const TaskGraph graph = graphs.build();
  const auto dispatched = [&](Launching launching) {
    const Timeline timeline = simulate(graph, machine, device_streams(launching)).timeline;
    return std::vector{to_ns(timeline.tasks[index(ranks[0])].dispatched), to_ns(timeline.tasks[index(ranks[1])].dispatched)};
  };
  EXPECT_THAT(dispatched(Launching::kOneThread), ElementsAre(130, 160));
  EXPECT_THAT(dispatched(Launching::kThreadPerDevice), Each(130));
}

TEST(LaunchOrder, HasRanksOneBehindTheOther) {
  DeviceGraphs graphs;
  const TaskId before = graphs.kernel(1, 1);
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {1, 0}, 8);
  const TaskId other = graphs.kernel(0, 1);
  graphs.edge(before, ranks[0]);
  EXPECT_THAT(launch_order(graphs.build()), ElementsAre(before, ranks[1], ranks[0], other));
}

TEST(Collectives, WhatMakesNoSenseIsRefusedByName) {
  const Machine machine = collective_machine(4);
  const auto of = [&](auto make) {
    DeviceGraphs graphs;
    make(graphs);
    return refusal(graphs.build(), machine, device_streams());
  };
  EXPECT_THAT(of([](DeviceGraphs& g) { g.collective(Operation::kAllReduce, {0}, 8); }), HasSubstr("only rank of its collective"));
  EXPECT_THAT(of([](DeviceGraphs& g) { g.collective(Operation::kAllReduce, {0, 0}, 8); }), HasSubstr("both on device 0"));
  EXPECT_THAT(of([](DeviceGraphs& g) { g.collective(Operation::kBroadcast, {0, 1}, 8, 3); }), HasSubstr("its root is device 3"));
  EXPECT_THAT(of([](DeviceGraphs& g) { g.collective(Operation::kSendRecv, {0, 1, 2}, 8); }), HasSubstr("a send_recv has two ranks"));
  EXPECT_THAT(of([](DeviceGraphs& g) {
                const auto one = g.collective(Operation::kAllReduce, {0, 1}, 8);
                const auto other = g.collective(Operation::kAllReduce, {0, 1}, 8);
                g.edge(one[0], other[0]);
                g.edge(other[1], one[1]);
              }),
              HasSubstr("waits for itself, or for another that waits for it"));
  EXPECT_THAT(of([](DeviceGraphs& g) {
                const Task rank{.args = {0, 1}, .kernel = Kernel::kEmpty, .operation = Operation::kAllReduce};
                for (int device = 0; device < 2; ++device) {
                  Task one = rank;
                  one.device = device;
                  one.cost.bytes = {device + 1};
                  g.add(one);
                }
              }),
              HasSubstr("state different bytes"));
}

}  // namespace
}  // namespace tasktwin::sim
