// Kernels in sets of cores of their own, calculated by hand.
#include <gmock/gmock.h>

#include "tests/sim/device_worlds.hpp"
#include "tests/sim/observed_blocks.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

struct SmallKernel {
  Kernel kernel = Kernel::kSpin;
  std::int64_t time_ns = 0;
  TaskTraits traits = {};
  int layer = 0;
};

TaskGraph kernels(const std::vector<SmallKernel>& all) {
  TaskGraphBuilder builder;
  for (const SmallKernel& one : all) {
    Task task{.cost = {.time = Duration{one.time_ns}}, .layer = one.layer, .kernel = one.kernel};
    task.traits = builder.add_traits(one.traits);
    builder.add_task(std::string(1, static_cast<char>('a' + builder.size())), task);
  }
  return std::move(builder).build();
}

Design in_sets(std::vector<NamedCores> sets) {
  Design design = device_streams(Launching::kOneThread);
  design.sets = std::move(sets);
  return design;
}

Machine cores(int count) {
  Machine machine = device_machine(1);
  machine.name = "cores";
  machine.compute_cores = {{.type = CoreType::kSm, .count = count}};
  return machine;
}

/// Stream 1 has cores 4 and 5, stream 2 core 0, and all others the three that are left.
TEST(CoreSets, GiveTheBlocksOfTheirStreamsTheirCoresOnly) {
  const TaskGraph graph = kernels({{.time_ns = 100, .traits = {.blocks = 6}},
                                   {.time_ns = 100, .traits = {.blocks = 4, .stream = 1}},
                                   {.time_ns = 100, .traits = {.blocks = 2, .stream = 2}}});
  const Timeline timeline =
      simulate(graph, cores(6),
               in_sets({{.name = "decode", .cores = {4, 5}, .streams = {1}}, {.name = "few", .cores = {0, 0}, .streams = {2}}}))
          .timeline;
  EXPECT_THAT(cores_of(timeline, 0), ElementsAre(1, 1, 2, 2, 3, 3));
  EXPECT_THAT(cores_of(timeline, 1), ElementsAre(4, 4, 5, 5));
  EXPECT_THAT(cores_of(timeline, 2), ElementsAre(0, 0));
  EXPECT_THAT(starts(timeline), ElementsAre(0, 0, 0));
  for (const TaskTimes& times : timeline.tasks) EXPECT_EQ(to_ns(times.ended), 200);
}

TEST(CoreSets, GoByKindsAndLayersInGraphs) {
  const TaskGraph graph = kernels({{.kernel = Kernel::kFma, .time_ns = 100, .traits = {.blocks = 2}, .layer = 1},
                                   {.kernel = Kernel::kFma, .time_ns = 100, .traits = {.blocks = 2}, .layer = 2},
                                   {.time_ns = 100, .traits = {.blocks = 2}, .layer = 1}});
  Design design = named_design("cuda-graph");
  design.sets = {{.name = "first", .cores = {2, 3}, .kinds = {"fma"}, .layers = {{0, 1}}},
                 {.name = "second", .cores = {1, 1}, .kinds = {"fma"}}};
  const Timeline timeline = simulate(graph, cores(4), design).timeline;
  EXPECT_THAT(cores_of(timeline, 0), ElementsAre(2, 3));
  EXPECT_THAT(cores_of(timeline, 1), ElementsAre(1, 1));
  EXPECT_THAT(cores_of(timeline, 2), ElementsAre(0, 0));
}

TEST(CoreSets, GoByTheStreamsThatAGraphWasCapturedFrom) {
  const TaskGraph graph = kernels({{.time_ns = 100, .traits = {.blocks = 2}}, {.time_ns = 100, .traits = {.blocks = 2, .stream = 1}}});
  Design design = named_design("cuda-graph");
  design.graph_source = GraphSource::kCapture;
  design.stream_granularity = StreamGranularity::kHinted;
  design.streams = 2;
  design.sets = {{.name = "side", .cores = {3, 3}, .streams = {1}}};
  const Timeline timeline = simulate(graph, cores(4), design).timeline;
  EXPECT_THAT(cores_of(timeline, 0), ElementsAre(0, 1));
  EXPECT_THAT(cores_of(timeline, 1), ElementsAre(3, 3));
}

/// All tasks on a part of the device: of six blocks two at a time.
TEST(CoreSets, ThatNameNothingHaveAllTasks) {
  const TaskGraph graph = kernels({{.time_ns = 100, .traits = {.blocks = 6}}});
  EXPECT_EQ(to_ns(simulate(graph, cores(6), in_sets({{.name = "part", .cores = {0, 1}}})).timeline.tasks[0].ended), 300);
  EXPECT_EQ(to_ns(simulate(graph, cores(6), in_sets({{.name = "all", .cores = {0, 5}}})).timeline.tasks[0].ended), 100);
}

/// The memory is one for all: 8 bytes/ns for four blocks that would draw 4 each, whichever set they are in.
TEST(CoreSets, ShareTheMemorysBandwidth) {
  Machine machine = cores(4);
  machine.memory->bandwidth = 8;
  machine.memory->core_bandwidth = 4;
  TaskGraphBuilder builder;
  for (const int stream : {0, 1}) {
    Task task{.cost = {.bytes = {400}}, .kernel = Kernel::kStream};
    task.traits = builder.add_traits({.blocks = 2, .stream = stream});
    builder.add_task(stream == 0 ? "a" : "b", task);
  }
  const TaskGraph graph = std::move(builder).build();
  const Timeline divided = simulate(graph, machine, in_sets({{.name = "side", .cores = {2, 3}, .streams = {1}}})).timeline;
  const Timeline whole = simulate(graph, machine, in_sets({})).timeline;
  EXPECT_EQ(divided.makespan(), whole.makespan());
  EXPECT_EQ(to_ns(divided.tasks[0].ended), to_ns(divided.tasks[1].ended));
}

/// The same division said by partition and by a set of the kinds that it means.
TEST(CoreSets, SayWhatPartitionSays) {
  const TaskGraph graph = kernels({{.kernel = Kernel::kFma, .time_ns = 100, .traits = {.blocks = 9}},
                                   {.time_ns = 30, .traits = {.blocks = 7}},
                                   {.kernel = Kernel::kGemm, .time_ns = 50, .traits = {.blocks = 3}},
                                   {.kernel = Kernel::kStream, .time_ns = 20, .traits = {.blocks = 5}}});
  Design by_percent = named_design("cuda-streams");
  by_percent.stream_granularity = StreamGranularity::kPerTaskType;
  by_percent.partition = 50;
  Design by_set = by_percent;
  by_set.partition = 0;
  by_set.sets = {{.name = "matrix", .cores = {0, 3}, .kinds = {"fma", "gemm"}}};
  Machine machine = cores(6);
  machine.launch_limits.partition_granularity = 4;
  const Timeline one = simulate(graph, machine, by_percent).timeline;
  const Timeline other = simulate(graph, machine, by_set).timeline;
  EXPECT_EQ(starts(one), starts(other));
  for (std::size_t task = 0; task < graph.size(); ++task) EXPECT_EQ(cores_of(one, task), cores_of(other, task)) << task;
}

/// A rank of a collective takes cores of the set of its stream.
TEST(CoreSets, HoldTheRanksOfTheirStreams) {
  Machine machine = device_machine(2);
  machine.collectives->blocks = 3;
  DeviceGraphs graphs;
  const std::vector<TaskId> ranks = graphs.collective(Operation::kAllReduce, {0, 1}, 4000, 0, 1);
  const TaskId kernel = graphs.add({.cost = {.time = Duration{150}}}, {.blocks = 3});
  Design design = device_streams();
  design.sets = {{.name = "sums", .cores = {3, 3}, .streams = {1}}};
  const TaskGraph graph = graphs.build();
  const Timeline timeline = simulate(graph, machine, design).timeline;
  EXPECT_EQ(ended(timeline, ranks[0]), 400) << "what fewer blocks send is not known";
  EXPECT_EQ(ended(timeline, kernel), 150);
  machine.peers->core_read_bandwidth = 2;  // one block of three sends 2 bytes/ns of the link's 10
  EXPECT_EQ(ended(simulate(graph, machine, design).timeline, ranks[0]), 2000);
}

TEST(CoreSets, AreRefusedByNameWhereTheyCannotBe) {
  const TaskGraph graph = kernels({{.time_ns = 100}, {.time_ns = 100, .traits = {.stream = 1}}});
  const auto said = [&](std::vector<NamedCores> sets) { return refusal(graph, cores(8), in_sets(std::move(sets))); };
  EXPECT_THAT(said({{.name = "a", .cores = {0, 4}, .streams = {0}}, {.name = "b", .cores = {3, 7}, .streams = {1}}}),
              HasSubstr("'a' and 'b' overlap: both have core 3 (cores 0 to 4, and cores 3 to 7)"));
  EXPECT_THAT(said({{.name = "a", .cores = {0, 8}}}), HasSubstr("'a' has cores 0 to 8, but machine 'cores' has 8 for tasks, 0 to 7"));
  EXPECT_THAT(said({{.name = "a", .cores = {0, 7}, .streams = {1}}}), HasSubstr("task 'a' is of no set, and the sets leave it no core"));
  EXPECT_THAT(said({{.name = "a", .cores = {0, 3}, .streams = {3}}}), HasSubstr("'a' names no task"));
  EXPECT_THAT(said({{.name = "a", .cores = {0, 3}}, {.name = "b", .cores = {4, 7}, .streams = {1}}}), HasSubstr("'b' names no task"));
  EXPECT_THAT(said({{.name = "a", .cores = {0, 3}, .streams = {4}}}), HasSubstr("names stream 4; the design has streams 0 to 3"));
  EXPECT_THAT(said({{.name = "a", .cores = {0, 3}, .streams = {0}}, {.name = "a", .cores = {4, 7}, .streams = {1}}}),
              HasSubstr("the name 'a' stands twice"));
  Machine machine = cores(8);
  machine.launch_limits.partition_granularity = 4;
  EXPECT_THAT(refusal(graph, machine, in_sets({{.name = "a", .cores = {0, 4}}})),
              HasSubstr("'a' has 5 cores, but machine 'cores' sets multiples of 4 apart: 4 or 8, or all up to the last"));
  EXPECT_THAT(refusal(graph, machine, in_sets({{.name = "a", .cores = {1, 5}}})), HasSubstr("multiples of 4 apart: 4, or all up"));
  EXPECT_THAT(refusal(graph, machine, in_sets({{.name = "a", .cores = {5, 6}}})), HasSubstr("multiples of 4 apart: all up to the last"));
  EXPECT_EQ(refusal(graph, machine, in_sets({{.name = "a", .cores = {3, 7}}})), "");
  Design design = in_sets({{.name = "a", .cores = {0, 3}}});
  design.default_stream = DefaultStream::kLegacy;
  EXPECT_THAT(refusal(graph, cores(8), design), HasSubstr("sets cannot have default_stream 'legacy'"));
  design = named_design("cuda-graph");
  design.sets = {{.name = "a", .cores = {0, 3}, .streams = {1}}};
  EXPECT_THAT(refusal(graph, cores(8), design), HasSubstr("needs graph_source 'capture'"));
  design = named_design("central-dispatcher");
  design.sets = {{.name = "a", .cores = {0, 3}}};
  EXPECT_THAT(refusal(graph, cores(8), design), HasSubstr("they need driver 'streams' or 'cuda_graph', not 'persistent'"));
}

/// Two kernels that meet need room for both in their sets, not on the device.
TEST(CoreSets, CountTheRoomOfKernelsThatMeet) {
  const TaskGraph graph = kernels({{.time_ns = 100, .traits = {.blocks = 2, .co_resident = 1}},
                                   {.time_ns = 100, .traits = {.blocks = 2, .stream = 1, .co_resident = 1}}});
  EXPECT_EQ(refusal(graph, cores(4), in_sets({{.name = "a", .cores = {0, 1}, .streams = {1}}})), "");
  EXPECT_THAT(refusal(graph, cores(4), in_sets({{.name = "a", .cores = {0, 0}, .streams = {1}}})), HasSubstr("of the 2 blocks of"));
}

}  // namespace
}  // namespace tasktwin::sim
