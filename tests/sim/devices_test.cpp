#include <ctime>

#include <gmock/gmock.h>

#include "models/base/error.hpp"
#include "models/graph/collective_kernels.hpp"
#include "models/program/device_graph.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/sim/device_worlds.hpp"

namespace tasktwin::sim {

std::string refusal(const TaskGraph& graph, const Machine& machine, const Design& design) {
  try {
    simulate(graph, machine, design);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Devices, AnEdgeBetweenTwoCostsTheHopOfAnEvent) {
  Machine machine = device_machine(2);
  machine.streams->event_gap = Nanoseconds{7};
  machine.peers->event_hop = Nanoseconds{50};
  DeviceGraphs graphs;
  const TaskId first = graphs.kernel(0, 100);
  const TaskId beside = graphs.kernel(0, 100, 1);
  const TaskId across = graphs.kernel(1, 100);
  graphs.edge(first, beside);
  graphs.edge(first, across);
  const Timeline timeline = simulate(graphs.build(), machine, device_streams()).timeline;
  EXPECT_EQ(started(timeline, beside), 107);
  EXPECT_EQ(started(timeline, across), 150);
}

/// 8 blocks fill both devices' four cores each: the second kernel of a device waits for the first, not for the other device's.
TEST(Devices, EachHasCoresOfItsOwn) {
  DeviceGraphs graphs;
  std::vector<TaskId> kernels;
  for (int i = 0; i < 4; ++i) kernels.push_back(graphs.add({.cost = {.time = Duration{100}}, .device = i % 2}, {.blocks = 4, .stream = i}));
  const Timeline timeline = simulate(graphs.build(), device_machine(2), device_streams()).timeline;
  EXPECT_EQ(ended(timeline, kernels[0]), 100);
  EXPECT_EQ(ended(timeline, kernels[1]), 100);
  EXPECT_EQ(ended(timeline, kernels[2]), 200);
  EXPECT_EQ(ended(timeline, kernels[3]), 200);
  ASSERT_EQ(timeline.compute_cores.size(), 8u);
  for (const BlockTimes& block : timeline.blocks)
    EXPECT_EQ(timeline.compute_core_devices[index(block.core)], index(block.task) % 2) << index(block.task);
  EXPECT_THAT(timeline.core_devices, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

/// A kernel a device, each of which fills its device and waits for the other.
TEST(Devices, KernelsMeetAcrossThem) {
  DeviceGraphs graphs;
  const TaskId late = graphs.add({.cost = {.time = Duration{300}}, .device = 1}, {.blocks = 4});
  const TaskId first = graphs.add({.cost = {.time = Duration{100}}, .device = 0}, {.blocks = 4, .co_resident = 1});
  const TaskId second = graphs.add({.cost = {.time = Duration{100}}, .device = 1}, {.blocks = 4, .stream = 1, .co_resident = 1});
  const TaskGraph graph = graphs.build();
  const Timeline timeline = simulate(graph, device_machine(2), device_streams()).timeline;
  EXPECT_EQ(ended(timeline, late), 300);
  EXPECT_EQ(ended(timeline, first), 400) << "it waits for the other";
  EXPECT_EQ(ended(timeline, second), 400);
  DeviceGraphs crowded;
  crowded.add({.cost = {.time = Duration{100}}, .device = 1}, {.blocks = 4, .co_resident = 1});
  crowded.add({.cost = {.time = Duration{100}}, .device = 1}, {.blocks = 1, .stream = 1, .co_resident = 1});
  EXPECT_THAT(refusal(crowded.build(), device_machine(2), device_streams()),
              HasSubstr("find room beside the blocks of the others on device 1"));
}

/// The first waits, on its device, for a task that comes after a collective for which it leaves no core.
TEST(Devices, AStandstillNamesWhomAKernelIsToMeet) {
  Machine machine = device_machine(2);
  machine.collectives->blocks = 1;
  DeviceGraphs graphs;
  graphs.add({.cost = {.time = Duration{100}}, .device = 0}, {.blocks = 4, .co_resident = 1});
  const TaskId rank = graphs.collective(Operation::kAllReduce, {0, 1}, 1024, 0, 1).back();
  const TaskId second = graphs.add({.cost = {.time = Duration{100}}, .device = 1}, {.blocks = 4, .stream = 2, .co_resident = 1});
  graphs.edge(rank, second);
  try {
    simulate(graphs.build(), machine, device_streams());
    FAIL() << "it ran";
  } catch (const RunError& stands) {
    EXPECT_THAT(stands.what(), HasSubstr("'t0' waits for 't3', which it meets (meets)"));
  }
}

TEST(Devices, OneThreadMakesAnotherDeviceTheCurrentOne) {
  Machine machine = device_machine(2);
  machine.host_calls->launch = Nanoseconds{10};
  machine.peers->set_device = Nanoseconds{5};
  DeviceGraphs graphs;
  std::vector<TaskId> kernels;
  for (const int device : {0, 0, 1, 0}) kernels.push_back(graphs.kernel(device, 1));
  const TaskGraph graph = graphs.build();
  const auto dispatched = [&](Launching launching) {
    const Timeline timeline = simulate(graph, machine, device_streams(launching)).timeline;
    std::vector<std::int64_t> times;
    for (const TaskId kernel : kernels) times.push_back(to_ns(timeline.tasks[index(kernel)].dispatched));
    return times;
  };
  EXPECT_THAT(dispatched(Launching::kOneThread), ElementsAre(10, 20, 35, 50));
  EXPECT_THAT(dispatched(Launching::kThreadPerDevice), ElementsAre(10, 20, 10, 30));
}

/// 1000 bytes at 10 a nanosecond behind 5 of set-up and 3 of latency; two successors there have one copy between them.
TEST(PeerData, ACopyBringsTheBytesOfAnEdge) {
  Machine machine = device_machine(2);
  machine.peers->copy_setup = Nanoseconds{5};
  machine.peers->link_latency = Nanoseconds{3};
  DeviceGraphs graphs;
  const TaskId first = graphs.kernel(0, 100);
  const TaskId one = graphs.kernel(1, 10);
  const TaskId other = graphs.kernel(1, 10, 1);
  graphs.edge(first, one, 1000);
  graphs.edge(first, other, 400);
  const Timeline timeline = simulate(graphs.build(), machine, device_streams()).timeline;
  EXPECT_EQ(timeline.tasks.size(), 3u);
  EXPECT_EQ(started(timeline, one), 208);
  EXPECT_EQ(started(timeline, other), 208);
  EXPECT_THAT(timeline.transfers,
              ElementsAre(PeerTransfer{.from = 0, .to = 1, .of = first, .bytes = 1000, .began = at_ns(100), .ended = at_ns(208)}));
}

/// One block draws 2 bytes/ns at most, four of one kernel 5 together, each a quarter of the bytes. Of eight on four cores four at a time
/// read an eighth each.
TEST(PeerData, ABodyReadsTheBytesWhereTheyAre) {
  Machine machine = device_machine(2);
  machine.peers->read_latency = Nanoseconds{3};
  machine.peers->core_read_bandwidth = 2;
  machine.peers->read_bandwidth = 5;
  DeviceGraphs graphs;
  const TaskId first = graphs.kernel(0, 100);
  const TaskId narrow = graphs.kernel(1, 10);
  const TaskId wide = graphs.add({.cost = {.time = Duration{10}}, .device = 1}, {.blocks = 4});
  const TaskId wider = graphs.add({.cost = {.time = Duration{10}}, .device = 1}, {.blocks = 8});
  graphs.edge(first, narrow, 1000);
  graphs.edge(narrow, wide);
  graphs.edge(first, wide, 1000);
  graphs.edge(wide, wider);
  graphs.edge(first, wider, 1000);
  Design design = device_streams();
  design.peer_data = PeerData::kRead;
  const Timeline timeline = simulate(graphs.build(), machine, design).timeline;
  EXPECT_EQ(ended(timeline, narrow) - started(timeline, narrow), 10 + 3 + 500);
  EXPECT_EQ(ended(timeline, wide) - started(timeline, wide), 10 + 3 + 1000 / 5);
  EXPECT_EQ(ended(timeline, wider) - started(timeline, wider), 2 * (10 + 3 + 500 / 5));
  EXPECT_TRUE(timeline.transfers.empty());
}

/// On one device a block reads the bytes of its task's edges; on several they are what has to get there, and a copy brings them.
TEST(PeerData, BytesThatAreThereCostNothing) {
  const auto body = [](int devices, int from) {
    Machine machine = device_machine(devices);
    machine.memory->bandwidth = machine.memory->core_bandwidth = 20;
    DeviceGraphs graphs;
    const TaskId first = graphs.kernel(from, 100);
    const TaskId then = graphs.kernel(0, 10);
    graphs.edge(first, then, 1000);
    const Timeline timeline = simulate(graphs.build(), machine, device_streams(Launching::kOneThread)).timeline;
    return ended(timeline, then) - started(timeline, then);
  };
  EXPECT_EQ(body(1, 0), 1000 / 20);
  EXPECT_EQ(body(2, 0), 10);
  EXPECT_EQ(body(2, 1), 10);
}

/// Both copies leave device 0 and share its port; the third comes from another and has the other way to itself.
TEST(PeerCopies, ShareTheLinksOnTheirWay) {
  Machine machine = device_machine(3);
  machine.memory_limits.copy_engines = 0;
  DeviceGraphs graphs;
  const TaskId one = graphs.copy(0, 1, 1000);
  const TaskId other = graphs.copy(0, 2, 500, 1);
  const TaskId back = graphs.copy(1, 0, 1000);
  const TaskGraph graph = graphs.build();
  Timeline timeline = simulate(graph, machine, device_streams()).timeline;
  EXPECT_EQ(ended(timeline, other), 100);
  EXPECT_EQ(ended(timeline, one), 150);
  EXPECT_EQ(ended(timeline, back), 100);
  machine.devices.links = PeerLinks::kAllToAll;
  timeline = simulate(graph, machine, device_streams()).timeline;
  EXPECT_EQ(ended(timeline, other), 50);
  EXPECT_EQ(ended(timeline, one), 100);
}

TEST(PeerCopies, ComeToAnEngineLaterThanOthers) {
  Machine machine = device_machine(2);
  machine.copies->latency = Nanoseconds{20};
  machine.peers->copy_latency = Nanoseconds{30};
  DeviceGraphs graphs;
  const TaskId copy = graphs.copy(0, 1, 1000);
  EXPECT_EQ(ended(simulate(graphs.build(), machine, device_streams()).timeline, copy), 130);
}

/// What is between two of them is in copy_setup.
TEST(PeerCopies, FollowEachOtherWithoutAGap) {
  Machine machine = device_machine(2);
  machine.copies->gap = Nanoseconds{40};
  machine.graph_launch->gap = Nanoseconds{7};
  machine.peers->copy_setup = Nanoseconds{5};
  DeviceGraphs graphs;
  const TaskId first = graphs.copy(0, 1, 1000);
  const TaskId second = graphs.copy(0, 1, 1000);
  const TaskId kernel = graphs.kernel(0, 10);
  graphs.edge(first, second);
  graphs.edge(second, kernel);
  const TaskGraph graph = graphs.build();
  EXPECT_EQ(ended(simulate(graph, machine, device_streams()).timeline, second), 210);
  const Timeline timeline = simulate(graph, machine, named_design("cuda-graph")).timeline;
  EXPECT_EQ(ended(timeline, second), 210);
  EXPECT_EQ(started(timeline, kernel), 217);
}

/// 1000 bytes at 10 a nanosecond, and the hop of a copy in place of that of a kernel.
TEST(PeerCopies, TellTheOtherDeviceLaterThanKernelsDo) {
  Machine machine = device_machine(2);
  machine.peers->event_hop = Nanoseconds{30};
  machine.peers->copy_hop = Nanoseconds{40};
  DeviceGraphs graphs;
  const TaskId first = graphs.kernel(0, 100);
  const TaskId copy = graphs.copy(0, 1, 1000);
  const TaskId behind_copy = graphs.kernel(1, 10);
  const TaskId behind_kernel = graphs.kernel(1, 10, 1);
  graphs.edge(first, copy);
  graphs.edge(copy, behind_copy);
  graphs.edge(first, behind_kernel);
  const Timeline timeline = simulate(graphs.build(), machine, device_streams()).timeline;
  EXPECT_EQ(started(timeline, behind_copy), 100 + 100 + 40);
  EXPECT_EQ(started(timeline, behind_kernel), 100 + 30);
}

/// That of a machine of one device goes by links.
TEST(PeerCopies, NeedNoLinkOfOneDevice) {
  const auto refused = [](int devices) {
    Machine machine = device_machine(devices);
    machine.unstated.insert("links.p2p_bandwidth_gb_per_s");
    DeviceGraphs graphs;
    graphs.copy(0, devices - 1, 1000);
    return refusal(graphs.build(), machine, device_streams(Launching::kOneThread));
  };
  EXPECT_EQ(refused(2), "");
  EXPECT_THAT(refused(1), HasSubstr("does not state links.p2p_bandwidth_gb_per_s"));
}

TEST(DeviceGraphLaunch, BeginsLaterWhereNodesAreOfSeveralDevices) {
  Machine machine = device_machine(2);
  machine.graph_launch->latency = Nanoseconds{50};
  machine.peers->graph_begin = Nanoseconds{90};
  DeviceGraphs one;
  const TaskId alone = one.kernel(0, 100);
  EXPECT_EQ(started(simulate(one.build(), machine, named_design("cuda-graph")).timeline, alone), 50);
  DeviceGraphs two;
  const TaskId first = two.kernel(0, 100);
  const TaskId second = two.kernel(1, 100);
  const Timeline timeline = simulate(two.build(), machine, named_design("cuda-graph")).timeline;
  EXPECT_EQ(started(timeline, first), 140);
  EXPECT_EQ(started(timeline, second), 140);
}

TEST(DeviceGraphLaunch, ANodeOfAnotherDeviceWaitsForTheHopOfAGraph) {
  Machine machine = device_machine(2);
  machine.graph_launch->gap = Nanoseconds{7};
  machine.peers->graph_hop = Nanoseconds{30};
  DeviceGraphs graphs;
  const TaskId first = graphs.kernel(0, 100);
  const TaskId beside = graphs.kernel(0, 100);
  const TaskId across = graphs.kernel(1, 100);
  graphs.edge(first, beside);
  graphs.edge(first, across);
  const Timeline timeline = simulate(graphs.build(), machine, named_design("cuda-graph")).timeline;
  EXPECT_EQ(started(timeline, beside), 107);
  EXPECT_EQ(started(timeline, across), 130);
}

std::vector<std::int32_t> placed(const TaskGraph& graph, const Machine& machine, DevicePlacement placement) {
  Design design = device_streams();
  design.device_placement = placement;
  const DeviceGraph on = on_devices(graph, machine, design);
  std::vector<std::int32_t> devices;
  for (const Task& task : on.graph.tasks()) devices.push_back(task.device);
  return devices;
}

TEST(DevicePlacement, GoesByOrderLayersOrShards) {
  DeviceGraphs graphs;
  for (int i = 0; i < 4; ++i) graphs.add({.cost = {.time = Duration{10}}, .layer = i}, {.shard = i == 3 ? -1 : 2 - i});
  graphs.edge(task_id(1), task_id(3));
  const TaskGraph graph = graphs.build();
  const Machine machine = device_machine(2);
  EXPECT_THAT(placed(graph, machine, DevicePlacement::kGiven), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(placed(graph, machine, DevicePlacement::kRoundRobin), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(placed(graph, machine, DevicePlacement::kByLayer), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(placed(graph, machine, DevicePlacement::kHinted), ElementsAre(0, 1, 0, 1));
}

/// Two chains of whole devices, of 100 each link, and 500 for an edge across: each chain stays where it began.
TEST(DevicePlacement, HeftKeepsAChainWhereCrossingCostsMoreThanWaiting) {
  Machine machine = device_machine(2);
  machine.peers->event_hop = Nanoseconds{500};
  DeviceGraphs graphs;
  for (int i = 0; i < 6; ++i) graphs.add({.cost = {.time = Duration{100}}}, {.blocks = 4});
  for (const int first : {0, 1}) {
    graphs.edge(task_id(static_cast<std::size_t>(first)), task_id(static_cast<std::size_t>(first) + 2));
    graphs.edge(task_id(static_cast<std::size_t>(first) + 2), task_id(static_cast<std::size_t>(first) + 4));
  }
  EXPECT_THAT(placed(graphs.build(), machine, DevicePlacement::kHeft), ElementsAre(0, 1, 0, 1, 0, 1));
}

/// Four tasks of whole devices, a hop of 5 and 10 bytes a nanosecond between the two. Upward ranks, with half of what an edge costs across:
/// t3 50; t1 80 + 15/2 + 50; t2 60 + 105/2 + 50; t0 100 + 305/2 + 162.5. So the order is t0, t2, t1, t3:
///   t2 would start at 100 beside t0, and behind its 3000 bytes at 405 across: beside it, until 160;
///   t1 would start there at 160, and behind its 400 bytes at 145 across: across, until 225;
///   t3 would start beside t2 behind 100 bytes at 240, and beside t1 behind 1000 bytes at 265: beside t2, until 290.
TEST(DevicePlacement, HeftWithCommunicationDoesWhatItsPaperSays) {
  Machine machine = device_machine(2);
  machine.peers->event_hop = machine.peers->copy_hop = Nanoseconds{5};
  DeviceGraphs graphs;
  for (int stream = 0; const int time : {100, 80, 60, 50})
    graphs.add({.cost = {.time = Duration{time}}}, {.blocks = 4, .stream = stream++});
  graphs.edge(task_id(0), task_id(1), 400);
  graphs.edge(task_id(0), task_id(2), 3000);
  graphs.edge(task_id(1), task_id(3), 100);
  graphs.edge(task_id(2), task_id(3), 1000);
  const TaskGraph graph = graphs.build();
  // Behind the tasks come the copies: of 400 bytes from device 0 and of 100 back.
  EXPECT_THAT(placed(graph, machine, DevicePlacement::kHeft), ElementsAre(0, 1, 0, 0, 0, 1));
  Design design = device_streams();
  design.device_placement = DevicePlacement::kHeft;
  EXPECT_EQ(simulate(graph, machine, design).timeline.makespan(), Duration{290});
  design.device_placement = DevicePlacement::kGiven;
  EXPECT_EQ(simulate(graph, machine, design).timeline.makespan(), Duration{100 + 80 + 60 + 50});
}

/// Across, 600 bytes take a copy 60 ns and 4 blocks that read them 600 / 5 = 120; the other task has the first device for 100.
TEST(DevicePlacement, HeftPricesReadsAsReads) {
  Machine machine = device_machine(2);
  machine.peers->core_read_bandwidth = 2;
  machine.peers->read_bandwidth = 5;
  DeviceGraphs graphs;
  graphs.kernel(0, 10);
  graphs.add({.cost = {.time = Duration{100}}, .device = 0}, {.blocks = 4});
  graphs.add({.cost = {.time = Duration{20}}}, {.blocks = 4});
  graphs.edge(task_id(0), task_id(1));
  graphs.edge(task_id(0), task_id(2), 600);
  const TaskGraph graph = graphs.build();
  const auto device = [&](PeerData data) {
    Design design = device_streams();
    design.device_placement = DevicePlacement::kHeft;
    design.peer_data = data;
    return on_devices(graph, machine, design).graph[task_id(2)].device;
  };
  EXPECT_EQ(device(PeerData::kCopy), 1);
  EXPECT_EQ(device(PeerData::kRead), 0);
}

TEST(DevicePlacement, NamedDevicesStay) {
  DeviceGraphs graphs;
  graphs.kernel(1, 10);
  graphs.kernel(kAnyDevice, 10);
  const TaskGraph graph = graphs.build();
  for (const DevicePlacement placement : {DevicePlacement::kGiven, DevicePlacement::kRoundRobin, DevicePlacement::kHeft})
    EXPECT_THAT(placed(graph, device_machine(2), placement), ElementsAre(1, 0)) << to_word(placement);
}

/// 128 hosts of eight, a chain of a thousand kernels of 1 us on each device, which every hundredth time also waits for its neighbour's. Of
/// the time, by the processor's clock, most is the run.
TEST(Devices, AThousandAndTwentyFourOfAThousandTasksTakeSeconds) {
  constexpr int kDevices = 1024;
  constexpr int kSteps = 1000;
  Machine machine = device_machine(8);
  machine.devices.nodes = kDevices / 8;
  machine.devices.nics = 8;
  machine.peers->event_hop = Nanoseconds{7};
  DeviceGraphs graphs;
  for (int step = 0; step < kSteps; ++step) {
    for (int device = 0; device < kDevices; ++device) graphs.kernel(device, 1000);
  }
  const auto at = [](int step, int device) { return task_id(static_cast<std::size_t>(step * kDevices + device % kDevices)); };
  for (int step = 1; step < kSteps; ++step) {
    for (int device = 0; device < kDevices; ++device) {
      graphs.edge(at(step - 1, device), at(step, device));
      if (step % 100 == 0) graphs.edge(at(step - 1, device + 1), at(step, device));
    }
  }
  const TaskGraph graph = graphs.build();
  const std::clock_t began = std::clock();
  const Timeline timeline = simulate(graph, machine, device_streams()).timeline;
  const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  EXPECT_EQ(timeline.makespan(), Duration{kSteps * 1000 + 9 * 7});
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(seconds, 10);
#endif
  RecordProperty("cpu_seconds", std::to_string(seconds));
}

TEST(Devices, WhatMakesNoSenseIsRefusedByName) {
  const Machine two = device_machine(2);
  const auto of = [&](auto make) {
    DeviceGraphs graphs;
    make(graphs);
    return refusal(graphs.build(), two, device_streams());
  };
  EXPECT_THAT(of([](DeviceGraphs& g) { g.kernel(2, 1); }),
              HasSubstr("task 't0' is for device 2, but machine 'devices' has devices 0 to 1"));
  EXPECT_THAT(of([](DeviceGraphs& g) { g.copy(1, 1, 10); }), HasSubstr("copies from device 1 to device 1"));
  EXPECT_THAT(of([](DeviceGraphs& g) {
                g.add({.cost = {.bytes = {8}}, .args = {1}, .kernel = Kernel::kEmpty, .operation = Operation::kAlloc, .device = 0});
              }),
              HasSubstr("allocations are simulated on machines of one device"));
  const Design persistent = named_design("work-stealing");
  DeviceGraphs graphs;
  graphs.kernel(0, 1);
  const TaskGraph graph = graphs.build();
  EXPECT_THAT(refusal(graph, two, persistent), HasSubstr("driver 'streams' or 'cuda_graph'"));
  EXPECT_THAT(refusal(graph, device_machine(1), device_streams()),
              HasSubstr("launching has no effect here: machine 'devices' has one device"));
  Machine cluster = two;
  cluster.devices.nodes = 2;
  cluster.devices.nics = 1;
  EXPECT_THAT(refusal(graph, cluster, device_streams(Launching::kOneThread)), HasSubstr("launching 'thread_per_device'"));
  Machine closed = two;
  closed.peers->link_bandwidth = 0;
  EXPECT_THAT(refusal(graph, closed, device_streams()), HasSubstr("peers.link_bandwidth_gb_per_s is 0"));
  Machine lacking = two;
  lacking.peers.reset();
  EXPECT_THAT(refusal(graph, lacking, device_streams()), HasSubstr("needs 'peers'"));
}

/// Of three devices each brings the others' 30 000 bytes into its port at 10 a nanosecond, whatever it makes them with. Copies follow each
/// other in an order in which two meet at a port, so that they take longer than reads.
TEST(Devices, PiecesOfACollectiveBringAllOfItsBytes) {
  for (const PeerData way : {PeerData::kCopy, PeerData::kRead}) {
    std::vector<double> makespans;
    for (const int pieces : {1, 2, 4}) {
      DeviceGraphs graphs;
      std::vector<TaskId> before;
      for (int device = 0; device < 3; ++device) before.push_back(graphs.kernel(device, 1000));
      const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1, 2}, 30'000);
      for (std::size_t i = 0; i < ranks.size(); ++i) graphs.edge(before[i], ranks[i]);
      const TaskGraph graph = with_kernels_for_collectives(graphs.build(), {.by = CollectivesBy::kOneShot, .pieces = pieces});
      Design design = named_design("cuda-streams");
      design.launching = Launching::kThreadPerDevice;
      design.peer_data = way;
      makespans.push_back(static_cast<double>(to_ns(simulate(graph, device_machine(3), design).timeline.makespan())));
    }
    EXPECT_GE(makespans.front(), 7000) << to_word(way);
    for (const double makespan : makespans) EXPECT_NEAR(makespan, makespans.front(), 3) << to_word(way);
    if (way == PeerData::kRead) {
      EXPECT_NEAR(makespans.front(), 7000, 3);
    }
  }
}

/// Blocks that are tasks of their own read the parts that blocks of the grid read, launched or by workers, and a copy brings all of it
/// once.
TEST(Devices, ASplitGridGetsTheBytesOfTheGrid) {
  for (const bool split : {false, true}) {
    for (const PeerData way : {PeerData::kCopy, PeerData::kRead}) {
      for (const bool resident : {false, true}) {
        if (resident && (!split || way == PeerData::kCopy)) continue;  // no workers run these
        DeviceGraphs graphs;
        const TaskId from = graphs.kernel(0, 1000);
        for (int i = 0; i < (split ? 4 : 1); ++i)
          graphs.edge(from,
                      graphs.add({.cost = {.time = Duration{1000}}, .device = 1},
                                 {.blocks = split ? 1 : 4, .stream = i, .split_of = split ? 4 : 0}),
                      40'000);
        Design design = resident ? named_design("static-queues") : device_streams();
        design.peer_data = way;
        const Timeline timeline = simulate(graphs.build(), device_machine(2), design).timeline;
        EXPECT_NEAR(static_cast<double>(to_ns(timeline.makespan())), 6000, 3) << to_word(way) << split << resident;
      }
    }
  }
}

}  // namespace
}  // namespace tasktwin::sim
