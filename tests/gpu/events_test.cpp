// Joins as counters that many watch (Operation::kEvent), on a GPU: counted by workers with lists and queues, edges for all others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/graph/events.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

const std::string kWithEvents[] = {"static-queues", "shared-queue", "work-stealing", "hybrid",
                                   "layer-barrier", "cuda-streams", "cuda-graph",    "device-graph-launch"};

Task event() { return {.kernel = Kernel::kEmpty, .operation = Operation::kEvent}; }

/// `stages` of `width` tasks of up to `longest` each, every one behind all of the stage before, by an event.
TaskGraph stages(std::size_t stages, std::size_t width, Duration longest) {
  Random random(7);
  TaskGraphBuilder builder;
  std::vector<TaskId> before;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    std::vector<TaskId> tasks;
    std::optional<TaskId> joined;
    if (stage > 0) joined = builder.add_task("joined" + std::to_string(stage), event());
    for (const TaskId from : before) builder.add_edge(from, *joined);
    for (std::size_t i = 0; i < width; ++i) {
      tasks.push_back(builder.add_task("t" + std::to_string(stage) + "." + std::to_string(i),
                                       {.cost = {.time = Duration{random.between(0, longest.count())}}}));
      if (joined) builder.add_edge(*joined, tasks.back());
    }
    before = tasks;
  }
  return std::move(builder).build();
}

/// A third of 3 000 nodes are events; each node waits for up to four of the 60 before it, an event for at least one.
TaskGraph random_joins(std::uint64_t seed) {
  Random random(seed);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < 3'000; ++i) {
    const bool is = i > 20 && random.between(0, 2) == 0;
    const TaskId id =
        builder.add_task((is ? "e" : "t") + std::to_string(i), is ? event() : Task{.cost = {.time = Duration{random.between(0, 1'000)}}});
    const auto earliest = std::max<std::int64_t>(0, static_cast<std::int64_t>(i) - 60);
    for (auto count = random.between(is ? 1 : 0, 4); i > 0 && count > 0; --count)
      builder.add_edge(task_id(static_cast<std::size_t>(random.between(earliest, static_cast<std::int64_t>(i) - 1))), id);
  }
  return std::move(builder).build();
}

class Joins : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
    machine_ = scenarios::load_machine("nvidia-h200");
  }

  Design design() const { return quickly_placed(design_for(GetParam())); }

  Machine machine_;
};

TEST_P(Joins, HoldTheirSuccessorsBackAndHaveTheirTimes) {
  for (const auto& [count, width] : {std::pair<std::size_t, std::size_t>{6, 40}, {3, 300}}) {
    const TaskGraph graph = stages(count, width, 2us);
    const Measurement measured = run(graph, machine_, design(), {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0) << width;
    ASSERT_EQ(measured.timeline.tasks.size(), graph.size());
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const TaskTimes& times = measured.timeline.tasks[i];
      EXPECT_TRUE(is_present(times.ended)) << graph.name(task_id(i));
      EXPECT_EQ(times.core == kNoCore, is_event(graph[task_id(i)])) << graph.name(task_id(i));
      for (const TaskId before : graph.predecessors(task_id(i)))
        EXPECT_GE(times.started + Duration{64}, measured.timeline.tasks[index(before)].ended) << graph.name(task_id(i));
    }
  }
}

TEST_P(Joins, MayFollowEachOther) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const TaskGraph graph = random_joins(seed);
    for (const int queue_places : {0, 50})
      EXPECT_EQ(run(graph, machine_, design(), {.repeats = 1, .stamps = false, .queue_places = queue_places}).ordering_violations, 0)
          << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Designs, Joins, testing::ValuesIn(kWithEvents), [](const auto& test) { return plain_name(test.param); });

class CountedJoins : public OnTheGpu {};

TEST_F(CountedJoins, AreFlagsWhereWorkersRaiseThem) {
  Design design = quickly_placed(named_design("static-queues"));
  design.notification = Notification::kFlag;
  EXPECT_EQ(run(stages(6, 200, 2us), machine_, design, {.repeats = 1, .stamps = false}).ordering_violations, 0);
  for (const std::uint64_t seed : {1, 2, 3})
    EXPECT_EQ(run(random_joins(seed), machine_, design, {.repeats = 1, .stamps = false}).ordering_violations, 0) << seed;
}

TEST_F(CountedJoins, AreLookedThroughByTheOrderCheck) {
  for (const char* const name : {"static-queues", "shared-queue"}) {
    TaskGraphBuilder builder;
    const TaskId slow = builder.add_task("slow", {.cost = {.time = 200us}});
    const TaskId quick = builder.add_task("quick", {});
    const TaskId joined = builder.add_task("joined", event());
    builder.add_edge(slow, joined);
    builder.add_edge(quick, joined);
    for (int i = 0; i < 8; ++i) builder.add_edge(joined, builder.add_task("hasty" + std::to_string(i), {}));
    const TaskGraph graph = std::move(builder).build();
    Design design = quickly_placed(named_design(name));
    design.mailbox_depth = 1;
    EXPECT_EQ(run(graph, machine_, design, {.repeats = 1, .stamps = false}).ordering_violations, 0) << name;
    EXPECT_GT(run(graph, machine_, design, {.repeats = 1, .stamps = false, .ignored_edges = {{slow, joined}}}).ordering_violations, 0)
        << name;
  }
}

TEST_F(CountedJoins, ThatNeverComeToZeroAreExplained) {
  for (const char* const name : {"static-queues", "shared-queue", "work-stealing"}) {
    const TaskGraph graph = stages(2, 4, 1us);
    const auto joined = static_cast<std::size_t>(std::ranges::find_if(graph.tasks(), is_event) - graph.tasks().begin());
    try {
      run(graph, machine_, quickly_placed(named_design(name)), {.repeats = 1, .watchdog = 300ms, .never_released = {task_id(joined)}});
      ADD_FAILURE() << name;
    } catch (const RunError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("4 of 8 tasks are done"), HasSubstr("task 'joined1' waits for 1 more release(s)"))) << name;
    }
  }
}

}  // namespace
}  // namespace tasktwin::gpu
