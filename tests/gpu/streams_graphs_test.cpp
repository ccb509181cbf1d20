// Every way in which kernels are launched into streams and graphs, on a GPU: each keeps the order of a Cholesky and a stencil, and
// the Cholesky's numbers are right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "gpu/cuda/green_context.hpp"
#include "gpu/device/hardware_queues.hpp"
#include "models/design/core_shares.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/generators/task_bench.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;

struct Way {
  const char* name;
  const char* base;
  void (*change)(Design& design);
};

/// Half of the SMs for matrix kernels.
void divide(Design& design) {
  design.stream_granularity = StreamGranularity::kPerTaskType;
  design.partition = 50;
}

const Way kWays[] = {
    {"PerTaskType", "cuda-streams", [](Design& d) { d.stream_granularity = StreamGranularity::kPerTaskType; }},
    {"PerLayer", "cuda-streams", [](Design& d) { d.stream_granularity = StreamGranularity::kPerLayer; }},
    {"Single", "cuda-streams", [](Design& d) { d.stream_granularity = StreamGranularity::kSingle; }},
    {"ListScheduled", "cuda-streams", [](Design& d) { d.stream_granularity = StreamGranularity::kListScheduled; }},
    {"EventSync", "cuda-streams", [](Design& d) { d.stream_wait = StreamWait::kEventSync; }},
    {"EventQuery", "cuda-streams", [](Design& d) { d.stream_wait = StreamWait::kEventQuery; }},
    {"StreamSync", "cuda-streams", [](Design& d) { d.stream_wait = StreamWait::kStreamSync; }},
    {"DeviceSync", "cuda-streams", [](Design& d) { d.stream_wait = StreamWait::kDeviceSync; }},
    {"Callback", "cuda-streams", [](Design& d) { d.stream_wait = StreamWait::kCallback; }},
    {"LegacyDefaultStream", "cuda-streams", [](Design& d) { d.default_stream = DefaultStream::kLegacy; }},
    {"PerThreadDefaultStream", "cuda-streams", [](Design& d) { d.default_stream = DefaultStream::kPerThread; }},
    {"TaskPriorities", "cuda-streams", [](Design& d) { d.stream_priorities = StreamPriorities::kTask; }},
    {"CriticalPathPriorities", "cuda-streams", [](Design& d) { d.stream_priorities = StreamPriorities::kCriticalPath; }},
    {"StreamReplays", "cuda-streams", [](Design& d) { d.replays = 3; }},
    {"SyncedReplays", "cuda-streams",
     [](Design& d) {
       d.replays = 3;
       d.stream_wait = StreamWait::kCallback;
     }},
    {"ProgrammaticStreams", "cuda-streams",
     [](Design& d) {
       d.programmatic_launch = ProgrammaticLaunch::kOn;
       d.stream_granularity = StreamGranularity::kListScheduled;
     }},
    {"ProgrammaticSingleStream", "cuda-streams",
     [](Design& d) {
       d.programmatic_launch = ProgrammaticLaunch::kOn;
       d.stream_granularity = StreamGranularity::kSingle;
     }},
    {"Partition", "cuda-streams", divide},
    {"PartitionReplays", "cuda-streams",
     [](Design& d) {
       divide(d);
       d.replays = 3;
     }},
    {"PartitionEventQuery", "cuda-streams",
     [](Design& d) {
       divide(d);
       d.stream_wait = StreamWait::kEventQuery;
     }},
    {"PartitionCallback", "cuda-streams",
     [](Design& d) {
       divide(d);
       d.stream_wait = StreamWait::kCallback;
     }},
    {"PartitionPriorities", "cuda-streams",
     [](Design& d) {
       divide(d);
       d.stream_priorities = StreamPriorities::kCriticalPath;
     }},
    {"PartitionProgrammatic", "cuda-streams",
     [](Design& d) {
       divide(d);
       d.programmatic_launch = ProgrammaticLaunch::kOn;
     }},
    {"GraphNodes", "cuda-graph", [](Design&) {}},
    {"GraphCapture", "cuda-graph", [](Design& d) { d.graph_source = GraphSource::kCapture; }},
    {"GraphCaptureListScheduled", "cuda-graph",
     [](Design& d) {
       d.graph_source = GraphSource::kCapture;
       d.stream_granularity = StreamGranularity::kListScheduled;
       d.streams = 8;
     }},
    {"GraphReplays", "cuda-graph", [](Design& d) { d.replays = 3; }},
    {"GraphNodeParams", "cuda-graph",
     [](Design& d) {
       d.replays = 3;
       d.graph_update = GraphUpdate::kNodeParams;
     }},
    {"CapturedGraphNodeParams", "cuda-graph",
     [](Design& d) {
       d.replays = 3;
       d.graph_update = GraphUpdate::kNodeParams;
       d.graph_source = GraphSource::kCapture;
     }},
    {"GraphWholeUpdate", "cuda-graph",
     [](Design& d) {
       d.replays = 3;
       d.graph_update = GraphUpdate::kWholeGraph;
     }},
    {"GraphReinstantiated", "cuda-graph",
     [](Design& d) {
       d.replays = 3;
       d.graph_update = GraphUpdate::kReinstantiate;
     }},
    {"ProgrammaticGraph", "cuda-graph", [](Design& d) { d.programmatic_launch = ProgrammaticLaunch::kOn; }},
    {"ProgrammaticCapture", "cuda-graph",
     [](Design& d) {
       d.programmatic_launch = ProgrammaticLaunch::kOn;
       d.graph_source = GraphSource::kCapture;
       d.stream_granularity = StreamGranularity::kSingle;
     }},
};

Design design_of(const Way& way) {
  Design design = named_design(way.base);
  way.change(design);
  design.name = way.name;
  return design;
}

class LaunchingWays : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  }
};

TEST_P(LaunchingWays, KeepTheOrderOfAStencil) {
  const TaskGraph graph =
      scenarios::make_task_bench({.pattern = scenarios::Pattern::kStencil, .width = 40, .steps = 12, .body = {.cost = {.time = 5us}}}, 1);
  const Design design = design_of(GetParam());
  const Measurement measured = run(graph, scenarios::load_machine("nvidia-h200"), design, {.repeats = 2});
  EXPECT_EQ(measured.ordering_violations, 0);
  EXPECT_EQ(stamp_fault(graph, measured.timeline, false), "");
}

TEST_P(LaunchingWays, GetACholeskyRight) {
  const scenarios::Scenario loaded = scenarios::load_scenario("cholesky");
  const Measurement measured = run(loaded.graph, loaded.machine, design_of(GetParam()), {.repeats = 1});
  EXPECT_EQ(measured.ordering_violations, 0);
  ASSERT_TRUE(measured.residual.has_value());
  EXPECT_LE(*measured.residual, measured.residual_limit);
  EXPECT_EQ(stamp_fault(loaded.graph, measured.timeline, false), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, LaunchingWays, testing::ValuesIn(kWays), [](const auto& test) { return std::string(test.param.name); });

/// The SMs on which blocks of matrix kernels ran, or those of the others.
std::set<std::size_t> multiprocessors(const TaskGraph& graph, const Timeline& timeline, bool matrix) {
  std::set<std::size_t> met;
  for (const BlockTimes& block : timeline.blocks) {
    if (is_matrix_kernel(graph[block.task].kernel) == matrix) met.insert(index(block.core));
  }
  return met;
}

TEST(Partition, GivesMatrixKernelsAndOthersMultiprocessorsOfTheirOwn) {
  if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  const Machine machine = scenarios::load_machine("nvidia-h200");
  Design design = named_design("cuda-streams");
  divide(design);
  if (const auto why = why_not_here(TaskGraph{}, machine, design)) GTEST_SKIP() << *why;
  TaskGraphBuilder builder;
  const std::uint32_t wide = builder.add_traits({.blocks = 400});
  Task matrix_task;
  matrix_task.kernel = Kernel::kFma;
  matrix_task.cost.flops = {1'000'000};
  matrix_task.traits = wide;
  Task other_task;
  other_task.cost.time = 10us;
  other_task.traits = wide;
  for (int i = 0; i < 10; ++i) {
    builder.add_task("matrix " + std::to_string(i), matrix_task);
    builder.add_task("other " + std::to_string(i), other_task);
  }
  const TaskGraph graph = std::move(builder).build();
  const auto all = static_cast<std::size_t>(device_info().multiprocessors);
  const auto first = static_cast<std::size_t>(first_share(static_cast<int>(all), design, machine));
  const std::size_t more = 2;  // that kernels in green contexts may share once kernels that launch kernels have been loaded (cuda.h)

  const Timeline divided = run(graph, machine, design, {.repeats = 1}).timeline;
  const std::set<std::size_t> matrix = multiprocessors(graph, divided, true);
  const std::set<std::size_t> others = multiprocessors(graph, divided, false);
  EXPECT_GE(matrix.size(), first);
  EXPECT_LE(matrix.size(), first + more);
  EXPECT_GE(others.size(), all - first);
  EXPECT_LE(others.size(), all - first + more);
  std::vector<std::size_t> both;
  std::ranges::set_intersection(matrix, others, std::back_inserter(both));
  EXPECT_LE(both.size(), 2 * more);

  design.partition = 0;
  EXPECT_GT(multiprocessors(graph, run(graph, machine, design, {.repeats = 1}).timeline, true).size(), first + more);
}

TEST(Partition, IsDividedAsTheMachineFileSaysAndRefusedWhereItCannotBe) {
  if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  const Machine machine = scenarios::load_machine("nvidia-h200");
  Design design = named_design("cuda-streams");
  divide(design);
  if (const auto why = why_not_here(TaskGraph{}, machine, design)) GTEST_SKIP() << *why;
  const int all = device_info().multiprocessors;
  for (const int percent : {1, 25, 50, 75, 90}) {
    design.partition = percent;
    const SmPartition partition(percent);
    EXPECT_EQ(partition.multiprocessors(0), first_share(all, design, machine)) << percent;
    EXPECT_EQ(partition.multiprocessors(1), all - first_share(all, design, machine)) << percent;
  }
  design.partition = 99;
  EXPECT_THAT(why_not_here(TaskGraph{}, machine, design), testing::Optional(testing::HasSubstr("the driver cannot divide")));
}

/// Wide tasks by turns in three streams, as many layers: two have sets of cores, which together leave some to the third.
class CoreSets : public testing::TestWithParam<const char*> {
 protected:
  static constexpr int kStreams = 3;

  static TaskGraph graph() {
    TaskGraphBuilder builder;
    for (int i = 0; i < 12; ++i) {
      Task task{.cost = {.time = 10us}, .layer = i % kStreams};
      task.traits = builder.add_traits({.blocks = 400, .stream = i % kStreams});
      const TaskId id = builder.add_task("t" + std::to_string(i), task);
      if (i > kStreams) builder.add_edge(task_id(static_cast<std::size_t>(i - kStreams - 1)), id);
    }
    return std::move(builder).build();
  }

  Design design() const {
    const std::string way = GetParam();
    Design design = named_design(way == "streams" ? "cuda-streams" : "cuda-graph");
    if (way == "captured") design.graph_source = GraphSource::kCapture;
    if (way != "nodes") {
      design.stream_granularity = StreamGranularity::kHinted;
      design.streams = kStreams;
    }
    NamedCores small{.name = "small", .cores = {0, 15}, .streams = {}, .kinds = {}, .layers = {}};
    NamedCores large{.name = "large", .cores = {16, 79}, .streams = {}, .kinds = {}, .layers = {}};
    if (way == "nodes") {
      small.layers = {{1, 1}};
      large.layers = {{2, 2}};
    } else {
      small.streams = {1};
      large.streams = {2};
    }
    design.sets = {small, large};
    return design;
  }
};

TEST_P(CoreSets, HaveAsManyMultiprocessorsAsTheyStateAndShareNone) {
  if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  const Machine machine = scenarios::load_machine("nvidia-h200");
  const TaskGraph tasks = graph();
  if (const auto why = why_not_here(tasks, machine, design())) GTEST_SKIP() << *why;
  const Measurement measured = run(tasks, machine, design(), {.repeats = 1});
  EXPECT_EQ(measured.ordering_violations, 0);
  std::vector<std::set<std::size_t>> met(kStreams);
  for (const BlockTimes& block : measured.timeline.blocks) met[index(block.task) % kStreams].insert(index(block.core));
  const std::size_t more = 2;  // as for shares
  const auto all = static_cast<std::size_t>(device_info().multiprocessors);
  const std::size_t own[] = {all - 80, 16, 64};
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    EXPECT_GE(met[stream].size(), own[stream]) << stream;
    EXPECT_LE(met[stream].size(), own[stream] + more) << stream;
    std::vector<std::size_t> both;
    std::ranges::set_intersection(met[stream], met[(stream + 1) % kStreams], std::back_inserter(both));
    EXPECT_LE(both.size(), 2 * more) << stream;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, CoreSets, testing::Values("streams", "captured", "nodes"),
                         [](const auto& test) { return std::string(test.param); });

TEST(HardwareQueues, AsManyAsTheDesignStatesAreAskedForOnce) {
  ask_for_hardware_queues(8);
  Design design = named_design("cuda-streams");
  design.hardware_queues = 8;
  if (const auto why = why_no_hardware_queues(8)) GTEST_SKIP() << "asked for others before, in another test: " << *why;
  if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  const Machine machine = scenarios::load_machine("nvidia-h200");
  EXPECT_EQ(run(random_graph(500, 100, 2us, 5), machine, design, {.repeats = 1}).ordering_violations, 0);
  design.hardware_queues = 4;
  EXPECT_THAT(why_unsupported(chain(2), machine, design), testing::Optional(testing::HasSubstr("asked the GPU for 8")));
}

TEST(LaunchingWaysSabotaged, BrokenEdgeIsSeenInEveryReplay) {
  if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  // Two kernels of which the second does not wait: the first is long enough that nobody needs to be quick.
  TaskGraphBuilder builder;
  builder.add_task("long", {.cost = {.time = 2ms}});
  builder.add_task("hasty", {.cost = {.time = 1us}});
  builder.add_edge(TaskId{0}, TaskId{1});
  const TaskGraph graph = std::move(builder).build();
  for (const char* name : {"cuda-streams", "cuda-graph"}) {
    Design design = named_design(name);
    design.replays = 2;
    RunOptions options{.repeats = 1, .stamps = false};
    options.ignored_edges = {{TaskId{0}, TaskId{1}}};
    EXPECT_EQ(run(graph, scenarios::load_machine("nvidia-h200"), design, options).ordering_violations, 2) << name;
  }
}

}  // namespace
}  // namespace tasktwin::gpu
