// Kernels and graphs launched on the device, and threads of the host as dispatchers, over their axes, on a GPU.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/run/unended_run.hpp"
#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/generators/spawn_tree.hpp"
#include "scenarios/generators/task_bench.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class LaunchingExecutors : public OnTheGpu, public testing::WithParamInterface<std::string> {
 protected:
  void expect_order(const TaskGraph& graph, const Design& design, const std::string& what) const {
    const Measurement measured = run(graph, machine_, design, {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0) << what;
    EXPECT_EQ(stamp_fault(graph, measured.timeline, false), "") << what;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const TaskTimes& times = measured.timeline.tasks[i];
      ASSERT_TRUE(is_present(times.ready)) << what << " " << i;
      if (graph.traits(task_id(i)).blocks > 1) continue;
      ASSERT_TRUE(is_present(times.dispatched) && is_present(times.published)) << what << " " << i;
      ASSERT_LE(times.dispatched, times.started + 1us) << what << " " << i;
      ASSERT_GE(times.published + 64ns, times.ended) << what << " " << i;
    }
  }
};

TEST_P(LaunchingExecutors, RunAStencil) {
  const TaskGraph graph = scenarios::make_task_bench({.width = 64, .steps = 20, .body = {.cost = {.time = 2us}}}, 1);
  expect_order(graph, named_design(GetParam()), "stencil");
}

TEST_P(LaunchingExecutors, RunATreeThatItsTasksSpawn) {
  const TaskGraph tree = scenarios::make_spawn_tree({.tasks = 2'000, .body = {.cost = {.time = 1us}}}, 22);
  expect_order(tree, named_design(GetParam()), "tree");
}

INSTANTIATE_TEST_SUITE_P(Designs, LaunchingExecutors, testing::Values("device-graph-launch", "dynamic-parallelism", "host-dispatcher"),
                         [](const auto& test) { return plain_name(test.param); });

using DeviceGraphLaunch = LaunchingExecutors;
TEST_P(DeviceGraphLaunch, RunsInEachModeWithClaimsOfEachKind) {
  Design design = named_design("device-graph-launch");
  design.launch_mode = *from_word<LaunchMode>(GetParam());
  const TaskGraph graph = random_graph(2'000, 100, 2us, 31);
  for (const auto& [claim, word] : Words<Claim>::entries) {
    design.claim = claim;
    design.claim_size = claim == Claim::kAll ? 1 : 8;
    expect_order(graph, design, std::string(word));
  }
}

TEST_P(DeviceGraphLaunch, LaunchesMoreGraphsThanOneExecutionMay) {
  Design design = named_design("device-graph-launch");
  design.launch_mode = *from_word<LaunchMode>(GetParam());
  design.claim_size = 1;
  TaskGraphBuilder builder;
  for (int i = 0; i < 3 * kMostGraphLaunches; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = 5us}});
  expect_order(std::move(builder).build(), design, "independent");
  expect_order(chain(2 * kMostGraphLaunches + 10), design, "chain");
}

TEST_P(DeviceGraphLaunch, EndsARunThatCannotGetOn) {
  Design design = named_design("device-graph-launch");
  design.launch_mode = *from_word<LaunchMode>(GetParam());
  std::string words;
  try {
    run(chain(20), machine_, design, {.repeats = 1, .watchdog = 300ms, .never_released = {task_id(5)}});
  } catch (const RunError& error) {
    words = error.what();
  }
  EXPECT_THAT(words, HasSubstr("task 'link5' waits for 1 more release(s)"));
  EXPECT_EQ(run(chain(20), machine_, design, {.repeats = 1}).ordering_violations, 0) << "the device is usable afterwards";
}

INSTANTIATE_TEST_SUITE_P(Modes, DeviceGraphLaunch, testing::Values("fire_and_forget", "tail", "sibling"),
                         [](const auto& test) { return test.param; });

class DynamicParallelism : public LaunchingExecutors {};
TEST_P(DynamicParallelism, RunsWhatFindsNoRoomAmongThePendingLaunches) {
  TaskGraphBuilder builder;
  const TaskId root = builder.add_task("root", {});
  for (int i = 0; i < 4'000; ++i) builder.add_edge(root, builder.add_task("t" + std::to_string(i), {.cost = {.time = 20us}}));
  const TaskGraph graph = std::move(builder).build();
  Design design = named_design("dynamic-parallelism");
  for (const int pending : {0, 16, 8192}) {
    design.pending_launches = pending;
    expect_order(graph, design, std::to_string(pending));
  }
}

TEST_P(DynamicParallelism, RunsTasksOfSeveralBlocks) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 200; ++i) {
    Task task{.cost = {.time = 2us}};
    task.traits = builder.add_traits({.blocks = 1 + i % 7});
    builder.add_task("t" + std::to_string(i), task);
    if (i >= 10) builder.add_edge(task_id(static_cast<std::size_t>(i) - 10), task_id(static_cast<std::size_t>(i)));
  }
  const TaskGraph graph = std::move(builder).build();
  EXPECT_EQ(run(graph, machine_, named_design("dynamic-parallelism"), {.repeats = 1}).ordering_violations, 0);
}

TEST_P(DynamicParallelism, SaysWhichTasksNobodyLaunched) {
  std::string words;
  try {
    run(chain(20), machine_, named_design("dynamic-parallelism"), {.repeats = 1, .never_released = {task_id(5)}});
  } catch (const RunError& error) {
    words = error.what();
  }
  EXPECT_THAT(words, HasSubstr("task 'link5' waits for 1 more release(s)"));
}
INSTANTIATE_TEST_SUITE_P(Designs, DynamicParallelism, testing::Values("dynamic-parallelism"),
                         [](const auto& test) { return plain_name(test.param); });

class KernelsByThemselves : public LaunchingExecutors {
 protected:
  /// What was given up still runs, and whatever comes to use the GPU would wait for it.
  void TearDown() override { cudaDeviceSynchronize(); }
};
TEST_P(KernelsByThemselves, AreNotWaitedForWhereTheWatchdogGivesThemUp) {
  TaskGraphBuilder builder;
  builder.add_task("endless", {.cost = {.time = 4s}});  // by the watchdog's measure
  const TaskGraph graph = std::move(builder).build();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(run(graph, machine_, named_design(GetParam()), {.repeats = 1, .watchdog = 100ms}), UnendedRun);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
}
INSTANTIATE_TEST_SUITE_P(Designs, KernelsByThemselves, testing::Values("cuda-graph", "cuda-streams", "dynamic-parallelism"),
                         [](const auto& test) { return plain_name(test.param); });

class HostDispatcher : public LaunchingExecutors {};
TEST_P(HostDispatcher, StampsEveryPhaseOnOneClock) {
  const TaskGraph graph = random_graph(3'000, 150, 5us, 33);
  for (const int dispatchers : {1, 4}) {
    Design design = named_design("host-dispatcher");
    design.dispatchers = dispatchers;
    const Measurement measured = run(graph, machine_, design, {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0);
    EXPECT_EQ(stamp_fault(graph, measured.timeline, true), "") << dispatchers;
    EXPECT_EQ(measured.timeline.dispatchers.size(), static_cast<std::size_t>(dispatchers));
    EXPECT_FALSE(measured.dispatch_rounds.empty());
  }
}

TEST_P(HostDispatcher, RunsUnderEachAxisOfItsLoop) {
  const TaskGraph graph = random_graph(2'000, 100, 2us, 34);
  for (const AxisField& field : axis_fields()) {
    if (field.name != "order" && field.name != "loop" && field.name != "sweep" && field.name != "fill" && field.name != "claim") continue;
    for (const std::string_view word : field.words) {
      Design design = named_design("host-dispatcher");
      field.set_word(design, word);
      if (design.claim != Claim::kAll) design.claim_size = 3;
      EXPECT_EQ(run(graph, machine_, design, {.repeats = 1, .stamps = false}).ordering_violations, 0) << field.name << " " << word;
    }
  }
}

TEST_P(HostDispatcher, EndsARunThatCannotGetOn) {
  std::string words;
  try {
    run(chain(20), machine_, named_design("host-dispatcher"), {.repeats = 1, .watchdog = 300ms, .never_released = {task_id(5)}});
  } catch (const RunError& error) {
    words = error.what();
  }
  EXPECT_THAT(words, HasSubstr("5 of 20 tasks are done"));
  EXPECT_THAT(words, HasSubstr("task 'link5' waits for 1 more release(s)"));
  EXPECT_EQ(run(chain(20), machine_, named_design("host-dispatcher"), {.repeats = 1}).ordering_violations, 0);
}
INSTANTIATE_TEST_SUITE_P(Designs, HostDispatcher, testing::Values("host-dispatcher"),
                         [](const auto& test) { return plain_name(test.param); });

}  // namespace
}  // namespace tasktwin::gpu
