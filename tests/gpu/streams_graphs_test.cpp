// Every way in which kernels are launched into streams and graphs, on a GPU: each keeps the order of a Cholesky and a stencil, and
// the Cholesky's numbers are right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/hardware_queues.hpp"
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
