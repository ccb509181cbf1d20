#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/executor.hpp"
#include "models/body_cost.hpp"
#include "models/error.hpp"
#include "models/random.hpp"
#include "scenarios/scenario.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TaskGraph random_graph(int tasks, int width, std::uint64_t seed) {
  Random random(seed);
  TaskGraphBuilder builder;
  for (int i = 0; i < tasks; ++i) {
    Task task;
    task.cost.time = Duration{random.between(0, 2000)};
    builder.add_task("t" + std::to_string(i), task);
    for (int before = 0; i >= width && before < 3; ++before) {
      builder.add_edge(task_id(static_cast<std::size_t>(random.between(std::max(0, i - 2 * width), i - width))),
                       task_id(static_cast<std::size_t>(i)));
    }
  }
  return std::move(builder).build();
}

TaskGraph chain(int length) {
  TaskGraphBuilder builder;
  for (int i = 0; i < length; ++i) {
    Task task;
    task.cost.time = 1us;
    builder.add_task("link" + std::to_string(i), task);
    if (i > 0) builder.add_edge(task_id(static_cast<std::size_t>(i - 1)), task_id(static_cast<std::size_t>(i)));
  }
  return std::move(builder).build();
}

class Executors : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
    machine_ = scenarios::load_machine("nvidia-h200");
  }

  const Design& design() const { return named_design(GetParam()); }
  bool persistent() const { return design().driver == Driver::kPersistent; }

  Machine machine_;
};

TEST_P(Executors, RunEveryTaskAfterItsPredecessors) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const TaskGraph graph = random_graph(persistent() ? 20'000 : 2'000, 300, seed);
    const Measurement measured = run(graph, machine_, design(), {.repeats = 2});
    EXPECT_EQ(measured.ordering_violations, 0);
    EXPECT_EQ(measured.makespans.size(), 2u);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const TaskTimes& times = measured.timeline.tasks[i];
      ASSERT_TRUE(is_present(times.started) && is_present(times.ended)) << i;
      ASSERT_LE(times.started, times.ended) << i;
      for (const TaskId before : graph.predecessors(task_id(i))) {
        ASSERT_GE(times.started + 64ns, measured.timeline.tasks[index(before)].ended) << i;  // two steps of the timer
      }
    }
  }
}

TEST_P(Executors, GetRealNumbersRight) {
  for (const char* scenario : {"cholesky", "llama-1b-decode"}) {
    const scenarios::Scenario loaded = scenarios::load_scenario(scenario);
    const Measurement measured = run(loaded.graph, loaded.machine, design(), {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0) << scenario;
    ASSERT_TRUE(measured.residual.has_value()) << scenario;
    EXPECT_LE(*measured.residual, measured.residual_limit) << scenario;
  }
}

TEST_P(Executors, OrderCheckNoticesAnEdgeThatNobodyWaitsFor) {
  // The second task outlasts the first unless somebody waits: both start at once on different cores or streams.
  TaskGraphBuilder builder;
  Task slow;
  slow.cost.time = 200us;
  builder.add_task("slow", slow);
  builder.add_task("hasty", Task{});
  builder.add_edge(task_id(0), task_id(1));
  const TaskGraph graph = std::move(builder).build();
  Design apart = design();
  if (is_static(apart.placement)) apart.placement = Placement::kRoundRobin;
  EXPECT_EQ(run(graph, machine_, apart, {.repeats = 1}).ordering_violations, 0);
  EXPECT_EQ(run(graph, machine_, apart, {.repeats = 1, .ignored_edges = {{task_id(0), task_id(1)}}}).ordering_violations, 1);
}

TEST_P(Executors, WatchdogEndsARunThatCannotGetOnAndSaysWhoWaits) {
  if (!persistent()) GTEST_SKIP() << "streams cannot be made to wait for a release that never comes";
  const TaskGraph graph = chain(100);
  try {
    run(graph, machine_, design(), {.repeats = 1, .watchdog = 300ms, .never_released = {task_id(50)}});
    FAIL() << "the run ended by itself";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("50 of 100 tasks are done"));
    EXPECT_THAT(error.what(), HasSubstr("task 'link50' waits for 1 more release(s)"));
  }
  EXPECT_EQ(run(graph, machine_, design(), {.repeats = 1}).ordering_violations, 0) << "the device is usable afterwards";
}

TEST_P(Executors, AGraphOfOneTaskRuns) { EXPECT_GT(run(chain(1), machine_, design(), {.repeats = 1}).makespans.front(), 1us); }

INSTANTIATE_TEST_SUITE_P(Designs, Executors, testing::Values("cuda-streams", "central-dispatcher", "static-queues", "shared-queue"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(ExecutorRefusals, NameTheAxisBeforeAnythingStarts) {
  if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  const Machine machine = scenarios::load_machine("nvidia-h200");
  Design design = named_design("shared-queue");
  design.order = TaskOrder::kLifo;
  try {
    run(chain(2), machine, design, {});
    FAIL() << "it ran";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("order 'lifo'"));
  }
  TaskGraphBuilder builder;
  Task varying;
  varying.cost.sigma_ns = 5;
  builder.add_task("varying", varying);
  EXPECT_THROW(run(std::move(builder).build(), machine, named_design("static-queues"), {}), InputError);
  Machine larger = machine;
  larger.compute_cores = {{CoreType::kSm, 4096}};
  EXPECT_THROW(run(chain(2), larger, named_design("static-queues"), {}), InputError);
}

}  // namespace
}  // namespace tasktwin::gpu
