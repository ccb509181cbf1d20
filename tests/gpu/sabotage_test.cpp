// Runs that are made to go wrong, on a GPU: the checks must notice, and the device must be usable afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

class Sabotage : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
    machine_ = scenarios::load_machine("nvidia-h200");
  }

  Design design() const { return design_for(GetParam()); }

  /// What the run's RunError says, and that a run after it is right.
  std::string end_of(const TaskGraph& graph, const Design& design, const RunOptions& options) {
    std::string words = "the run ended by itself";
    const auto begin = std::chrono::steady_clock::now();
    try {
      run(graph, machine_, design, options);
    } catch (const RunError& error) {
      words = error.what();
    }
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    RecordProperty("ended_after_ms", static_cast<int>(took.count()));
    EXPECT_EQ(run(chain(20), machine_, design, {.repeats = 1}).ordering_violations, 0) << "the device is usable afterwards";
    return words;
  }

  Machine machine_;
};

TEST_P(Sabotage, AnEdgeThatNobodyWaitsForIsNoticed) {
  // The hasty ones do not outlast the slow ones unless they wait: all start at once, on cores or in streams enough for all.
  constexpr std::size_t kPairs = 12;
  TaskGraphBuilder builder;
  RunOptions broken{.repeats = 1};
  for (std::size_t i = 0; i < kPairs; ++i) {
    const TaskId slow = builder.add_task("slow" + std::to_string(i), {.cost = {.time = 200us}});
    const TaskId hasty = builder.add_task("hasty" + std::to_string(i), {});
    builder.add_edge(slow, hasty);
    broken.ignored_edges.emplace_back(slow, hasty);
  }
  const TaskGraph graph = std::move(builder).build();
  Design apart = quickly_placed(design());
  if (apart.driver == Driver::kPersistent) apart.mailbox_depth = 1;
  EXPECT_EQ(run(graph, machine_, apart, {.repeats = 1}).ordering_violations, 0);
  const std::int64_t violations = run(graph, machine_, apart, broken).ordering_violations;
  EXPECT_GT(violations, 0);
  EXPECT_LE(violations, static_cast<std::int64_t>(kPairs));
}

TEST_P(Sabotage, WatchdogEndsARunThatCannotGetOnAndSaysWhoWaits) {
  if (design().driver != Driver::kPersistent) GTEST_SKIP() << "kernels cannot be made to wait for a release that never comes";
  const std::string words = end_of(chain(100), design(), {.repeats = 1, .watchdog = 300ms, .never_released = {task_id(50)}});
  EXPECT_THAT(words, HasSubstr("50 of 100 tasks are done"));
  if (design().release == Release::kBarrier) {
    EXPECT_THAT(words, AllOf(HasSubstr("waits for task 'link50'"), HasSubstr("layer 50 of 0 to 99 has not opened"),
                             HasSubstr("132 of 132 workers are through with the one before it")));
  } else {
    EXPECT_THAT(words, HasSubstr("task 'link50' waits for 1 more release(s)"));
  }
}

INSTANTIATE_TEST_SUITE_P(Designs, Sabotage, testing::ValuesIn(kExecutors), [](const auto& test) { return plain_name(test.param); });

/// b waits for a, d for c; core 0 has b before c, core 1 has d before a.
struct Deadlock {
  Deadlock() {
    TaskGraphBuilder builder;
    for (const char* name : {"a", "b", "c", "d"}) builder.add_task(name, {});
    builder.add_edge(TaskId{0}, TaskId{1});
    builder.add_edge(TaskId{2}, TaskId{3});
    graph = std::move(builder).build();
  }
  TaskGraph graph;
  FrozenSchedule lists{{TaskId{1}, TaskId{2}}, {TaskId{3}, TaskId{0}}};
};

class DeadlockedLists : public Sabotage {};

TEST_P(DeadlockedLists, AreRefusedBeforeLaunchWithTheCycle) {
  const Deadlock deadlock;
  try {
    run(deadlock.graph, machine_, design(), {.repeats = 1, .lists = &deadlock.lists});
    FAIL() << "they were run";
  } catch (const InputError& error) {
    EXPECT_THAT(
        error.what(),
        AllOf(HasSubstr("'b' waits for 'a' (an edge)"), HasSubstr("'a' waits for 'd' (which stands before it in the list of core 1)"),
              HasSubstr("'d' waits for 'c' (an edge)"), HasSubstr("'c' waits for 'b' (which stands before it in the list of core 0)")));
  }
}

TEST_P(DeadlockedLists, AreEndedByTheWatchdogWhereTheyAreForced) {
  const Deadlock deadlock;
  const std::string words =
      end_of(deadlock.graph, design(), {.repeats = 1, .watchdog = 500ms, .lists = &deadlock.lists, .unproved_lists = true});
  EXPECT_THAT(words,
              AllOf(HasSubstr("0 of 4 tasks are done"), HasSubstr("core 0 waits for task 'b'"), HasSubstr("core 1 waits for task 'd'")));
}

TEST_P(DeadlockedLists, AreNotThoseInAnOrderThatWorks) {
  const Deadlock graph;
  const FrozenSchedule lists{{TaskId{2}, TaskId{1}}, {TaskId{0}, TaskId{3}}};
  const Measurement measured = run(graph.graph, machine_, design(), {.repeats = 1, .lists = &lists});
  EXPECT_EQ(measured.ordering_violations, 0);
  EXPECT_EQ(index(measured.timeline.tasks[1].core), 0u);
  EXPECT_EQ(index(measured.timeline.tasks[3].core), 1u);
}

INSTANTIATE_TEST_SUITE_P(Designs, DeadlockedLists, testing::Values("static-queues"),
                         [](const auto& test) { return plain_name(test.param); });

TEST(LayeredLists, CannotDeadlockInWhateverOrderTheyAreGiven) {
  if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
  const Deadlock deadlock;
  const Machine machine = scenarios::load_machine("nvidia-h200");
  EXPECT_EQ(run(deadlock.graph, machine, named_design("layer-barrier"), {.repeats = 1, .lists = &deadlock.lists}).ordering_violations, 0);
  const FrozenSchedule short_of_one{{TaskId{0}, TaskId{1}}, {TaskId{2}}};
  EXPECT_THROW(run(deadlock.graph, machine, named_design("layer-barrier"), {.repeats = 1, .lists = &short_of_one}), InputError);
}

}  // namespace
}  // namespace tasktwin::gpu
