// What is known of runs over several devices without a GPU: refusals, lists, places, shards, threads that launch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/host/launch_threads.hpp"
#include "gpu/peers/plans/peer_layout.hpp"
#include "gpu/peers/plans/peer_lists.hpp"
#include "gpu/supported/supported.hpp"
#include "models/graph/collective_kernels.hpp"
#include "models/program/device_graph.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/peer_cases.hpp"

namespace tasktwin::gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

Design captured_graph() {
  Design design = named_design("cuda-graph");
  design.graph_source = GraphSource::kCapture;
  return design;
}

TaskGraph one_task(const Task& task) {
  TaskGraphBuilder builder;
  builder.add_task("only", task);
  return std::move(builder).build();
}

TEST(PeerSupport, ExecutorsTakeKernelsCopiesAndCollectives) {
  const Machine machine = several_devices(2);
  const TaskGraph copies = random_over_devices(2, 4, 6, 4096, 1);
  const TaskGraph collectives = every_collective(2, 1024, 1);
  EXPECT_EQ(why_unsupported(copies, machine, named_design("cuda-streams")), std::nullopt);
  EXPECT_EQ(why_unsupported(copies, machine, named_design("cuda-graph")), std::nullopt);
  EXPECT_EQ(why_unsupported(collectives, machine, named_design("cuda-streams")), std::nullopt);
  EXPECT_EQ(why_unsupported(collectives, machine, captured_graph()), std::nullopt);
  EXPECT_EQ(why_unsupported(random_over_devices(2, 4, 6, 0, 1), machine, named_design("static-queues")), std::nullopt);
}

/// The machine and the designs of peers_test.cpp, which without GPUs is skipped before it gets to them.
TEST(PeerSupport, WhatIsRunOnGpusIsPossible) {
  const Machine machine = several_devices(2);
  Design threads = named_design("cuda-streams");
  threads.launching = Launching::kThreadPerDevice;
  Design resident = named_design("static-queues");
  resident.placement = Placement::kRoundRobin;
  for (Design design : {named_design("cuda-streams"), threads, named_design("cuda-graph"), captured_graph(), resident}) {
    for (const PeerData data : {PeerData::kCopy, PeerData::kRead}) {
      design.peer_data = data;
      EXPECT_NO_THROW(check_design(design, machine)) << design.name;
    }
  }
}

TEST(PeerSupport, BytesWithinADeviceNeedNoWay) {
  TaskGraphBuilder builder;
  const TaskId here = builder.add_task("here", {.device = 0});
  const TaskId there = builder.add_task("there", {.device = 1});
  const TaskId sum = builder.add_task("sum", {.device = 0});
  builder.add_edge(here, sum, {4096});
  builder.add_edge(there, sum, {4096});
  const TaskGraph graph = std::move(builder).build();
  for (Design design : {named_design("cuda-streams"), named_design("cuda-graph"), captured_graph()}) {
    for (const PeerData data : {PeerData::kCopy, PeerData::kRead}) {
      design.peer_data = data;
      EXPECT_EQ(why_unsupported(graph, several_devices(2), design), std::nullopt) << design.name;
    }
  }
}

TEST(PeerSupport, EachRefusalNamesWhatIsNotRun) {
  const Machine machine = several_devices(2);
  const TaskGraph plain = random_over_devices(2, 4, 6, 0, 1);
  const TaskGraph copies = random_over_devices(2, 4, 6, 4096, 1);
  const TaskGraph collectives = every_collective(2, 1024, 1);
  EXPECT_THAT(why_unsupported(collectives, machine, named_design("cuda-graph")), Optional(HasSubstr("it needs graph_source 'capture'")));
  EXPECT_THAT(why_unsupported(collectives, machine, named_design("static-queues")), Optional(HasSubstr("or driver 'streams'")));
  EXPECT_THAT(why_unsupported(copies, machine, named_design("static-queues")), Optional(HasSubstr("is a copy_p2p")));
  for (const char* other : {"central-dispatcher", "shared-queue", "dynamic-parallelism", "device-graph-launch", "host-dispatcher"})
    EXPECT_THAT(why_unsupported(plain, machine, named_design(other)), Optional(HasSubstr("over several devices"))) << other;
  Design waits = named_design("cuda-streams");
  waits.stream_wait = StreamWait::kDeviceSync;
  EXPECT_THAT(why_unsupported(plain, machine, waits), Optional(HasSubstr("stream_wait 'device_sync'")));
  Design reads = named_design("cuda-streams");
  reads.peer_data = PeerData::kRead;
  EXPECT_EQ(why_unsupported(copies, machine, reads), std::nullopt);
  Design resident = named_design("static-queues");
  resident.peer_data = PeerData::kRead;
  EXPECT_EQ(why_unsupported(copies, machine, resident), std::nullopt);
  EXPECT_EQ(why_unsupported(with_kernels_for_collectives(collectives, {.by = CollectivesBy::kTwoShot}), machine, resident), std::nullopt);
  EXPECT_THAT(why_unsupported(one_task({.operation = Operation::kMemset, .device = 1}), machine, named_design("cuda-streams")),
              Optional(HasSubstr("task 'only' is a memset; executors over several GPUs run kernels, copies")));
  Machine cluster = machine;
  cluster.devices.nodes = 4;
  cluster.devices.nics = 1;
  EXPECT_THAT(why_unsupported(plain, cluster, named_design("cuda-streams")), Optional(HasSubstr("has 4 nodes")));
  Machine many = several_devices(16);
  EXPECT_THAT(why_unsupported(plain, many, named_design("static-queues")), Optional(HasSubstr("at most 15")));
}

TEST(PeerSupport, ADecodeStepThatIsNotSplitIsRefused) {
  const Machine machine = several_devices(2);
  const Design streams = named_design("cuda-streams");
  EXPECT_EQ(why_unsupported(tensor_parallel_decode(small_decode(), 2, 3), machine, streams), std::nullopt);
  TaskGraphBuilder elsewhere;
  elsewhere.set_problem(small_decode());
  elsewhere.add_task("attention", {.args = {0, 2, 0, 96}, .kernel = Kernel::kAttention, .device = 0});
  EXPECT_THAT(why_unsupported(std::move(elsewhere).build(), machine, streams), Optional(HasSubstr("is of KV head 2")));
  DecodeProblem odd = small_decode();
  odd.kv_heads = 1;
  TaskGraphBuilder builder;
  builder.set_problem(odd);
  builder.add_task("norm", {.kernel = Kernel::kRmsNorm, .device = 0});
  EXPECT_THAT(why_unsupported(std::move(builder).build(), machine, streams),
              Optional(HasSubstr("kv_heads 1, which must be a multiple of 2")));
  TaskGraphBuilder without_sums;
  without_sums.set_problem(small_decode());
  without_sums.add_task("norm", {.kernel = Kernel::kRmsNorm, .device = 0});
  EXPECT_THAT(why_unsupported(std::move(without_sums).build(), machine, streams), Optional(HasSubstr("0 ranks of sums of the state")));
}

TEST(DecodeShards, CoverHeadsAndColumnsOnce) {
  const DecodeProblem model = small_decode();
  int kv_heads = 0;
  int attended = 0;
  int activated = 0;
  for (int rank = 0; rank < 4; ++rank) {
    const DecodeShard shard = decode_shard(model, rank, 4);
    EXPECT_EQ(shard.first_kv_head, kv_heads);
    EXPECT_EQ(shard.first_attended, attended);
    EXPECT_EQ(shard.first_activated, activated);
    kv_heads += shard.kv_heads;
    attended += shard.attended;
    activated += shard.activated;
  }
  EXPECT_EQ(kv_heads, model.kv_heads);
  EXPECT_EQ(attended, model.hidden);
  EXPECT_EQ(activated, model.mlp);
}

TEST(PeerLayouts, GiveEveryCopyBytesOfItsOwnOnBothDevices) {
  const tasktwin::DeviceGraph placed = on_devices(random_over_devices(3, 5, 8, 3000, 7), several_devices(3), named_design("cuda-streams"));
  const PeerLayout layout(placed.graph, 3);
  std::vector<std::size_t> given(3, 0);
  std::vector<std::size_t> taken(3, 0);
  int copies = 0;
  for (std::size_t i = placed.tasks; i < placed.graph.size(); ++i, ++copies) {
    const Task& copy = placed.graph[task_id(i)];
    ASSERT_EQ(copy.operation, Operation::kCopyP2p);
    EXPECT_EQ(layout.places[i].to, copy.args[2]);
    EXPECT_EQ(layout.places[i].given, given[static_cast<std::size_t>(copy.device)]);
    EXPECT_EQ(layout.places[i].taken, taken[static_cast<std::size_t>(copy.args[2])]);
    given[static_cast<std::size_t>(copy.device)] += 3072;
    taken[static_cast<std::size_t>(copy.args[2])] += 3072;
  }
  EXPECT_GT(copies, 0);
  EXPECT_EQ(layout.given_bytes, given);
  EXPECT_EQ(layout.taken_bytes, taken);
  EXPECT_TRUE(layout.groups.empty());
}

TEST(PeerLayouts, HaveEachGroupOfDevicesOnce) {
  TaskGraphBuilder builder;
  const std::vector<std::vector<TaskId>> none(3);
  add_collective(builder, Operation::kAllReduce, 1, 64, 3, none);
  add_collective(builder, Operation::kAllGather, 2, 64, 2, none);
  add_collective(builder, Operation::kBroadcast, 3, 64, 3, none, 1);
  const TaskGraph graph = std::move(builder).build();
  const PeerLayout layout(graph, 3);
  EXPECT_THAT(layout.groups, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 1)));
  EXPECT_EQ(layout.places[2].rank, 2);
  EXPECT_EQ(layout.places[3].group, 1);
  EXPECT_EQ(layout.places[7].group, 0);
}

TEST(PeerPlans, RanksOfACollectiveAreOneGroupOfCalls) {
  const TaskGraph graph = every_collective(2, 1024, 2);
  const std::vector<StreamLaunch> plan = plan_streams(graph, named_design("cuda-streams"));
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Task& task = graph[plan[i].task];
    if (!is_collective(task.operation) || task.device != 0) continue;
    ASSERT_LT(i + 1, plan.size());
    EXPECT_EQ(graph[plan[i + 1].task].args[1], task.args[1]);
    EXPECT_EQ(graph[plan[i + 1].task].device, 1);
  }
}

TEST(PeerLists, NameTheDeviceOfSuccessorsThatSeveralDevicesRelease) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task("a", {.device = 0});
  const TaskId b = builder.add_task("b", {.device = 1});
  const TaskId c = builder.add_task("c", {.device = 1});
  const TaskId d = builder.add_task("d", {.device = 1});
  builder.add_edge(a, c);
  builder.add_edge(b, c);
  builder.add_edge(b, d);
  const TaskGraph graph = std::move(builder).build();
  const std::vector<PeerList> lists = peer_lists(graph, {{a}, {}, {b, c}, {d}}, 2);
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_THAT(lists[0].first, ElementsAre(0, 1, 1));
  EXPECT_THAT(lists[1].first, ElementsAre(0, 2, 3));
  EXPECT_THAT(lists[1].counts, ElementsAre(0, 2, 1));
  ASSERT_EQ(lists[0].rows.size(), 1u);
  EXPECT_EQ(peer_place(lists[0].rows[0]), 1u);
  EXPECT_EQ(peer_code(lists[0].rows[0]), 2u);
  // b releases c, which a releases too from another device, and d, which is its device's business alone.
  ASSERT_EQ(lists[1].rows.size(), 2u);
  EXPECT_EQ(peer_code(lists[1].rows[0]), 2u);
  EXPECT_EQ(lists[1].rows[1], 2u);
  EXPECT_THAT(peer_lists(graph, {{a}, {}, {b, c}, {d}}, 2, {{a, c}}, {d})[1].counts, ElementsAre(0, 1, 2));
}

TEST(LaunchThreads, WorkSideBySideInEveryRoundAndThrowWhatOneThrew) {
  std::vector<int> rounds(4, 0);
  int broken = -1;
  LaunchThreads threads(4, [&](int thread) {
    ++rounds[static_cast<std::size_t>(thread)];
    if (thread == broken) throw std::runtime_error("thread " + std::to_string(thread));
  });
  for (int round = 0; round < 20; ++round) {
    if (round % 2 == 0) threads.get_ready();
    threads.run();
  }
  EXPECT_THAT(rounds, testing::Each(20));
  broken = 2;
  EXPECT_THROW(threads.run(), std::runtime_error);
  broken = -1;
  threads.run();
  EXPECT_THAT(rounds, testing::Each(22));
}

}  // namespace
}  // namespace tasktwin::gpu
