// The axes of designs and the kinds of tasks that some executors have, on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "models/cost/body_cost.hpp"
#include "models/policies/policies.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/generators/spawn_tree.hpp"
#include "tests/gpu/executor_cases.hpp"
#include "tests/gpu/wide_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class ExecutorAxes : public OnTheGpu {
 protected:
  /// That `design` is run, in order.
  void expect_order(const TaskGraph& graph, const Machine& machine, const Design& design, const std::string& what) const {
    if (const auto why = why_unsupported(graph, machine, design)) {
      ADD_FAILURE() << what << ": " << *why;
      return;
    }
    EXPECT_EQ(run(graph, machine, design, {.repeats = 1, .stamps = false}).ordering_violations, 0) << what;
  }
};

TEST_F(ExecutorAxes, CentralDispatcherKeepsUpWithEachMailboxOrderAndFill) {
  const TaskGraph graph = random_graph(2'000, 150, 1us, 11);
  Design design = named_design("central-dispatcher");
  for (const int depth : {1, 2, 5, kMaxMailboxDepth}) {
    for (const auto& [order, order_word] : Words<TaskOrder>::entries) {
      for (const auto& [fill, fill_word] : Words<Fill>::entries) {
        design.mailbox_depth = depth;
        design.order = order;
        design.fill = fill;
        expect_order(graph, machine_, design, std::to_string(depth) + " " + std::string(order_word) + " " + std::string(fill_word));
      }
    }
  }
}

TEST_F(ExecutorAxes, StaticQueuesAreToldByCountersFlagsOrMessages) {
  TaskGraphBuilder joins;  // more predecessors than are looked at together
  for (int i = 0; i < 300; ++i) joins.add_task("t" + std::to_string(i), {.cost = {.time = 1us}});
  for (std::uint32_t to = 200; to < 300; ++to) {
    for (std::uint32_t from = 0; from < to - 199 + (to == 299 ? 99 : 0); ++from) joins.add_edge(TaskId{from}, TaskId{to});
  }
  const TaskGraph wide = std::move(joins).build();
  for (const Notification notification : {Notification::kCounter, Notification::kFlag, Notification::kMessage}) {
    for (const OwnList own_list : {OwnList::kSignal, OwnList::kOrder}) {
      Design design = named_design("static-queues");
      design.placement = Placement::kRoundRobin;
      design.notification = notification;
      design.own_list = own_list;
      const std::string what = std::string(to_word(notification)) + ", own list by " + std::string(to_word(own_list));
      expect_order(random_graph(5'000, 150, 1us, 14), machine_, design, what);
      expect_order(wide, machine_, design, what + ", joins");
      design.placement = Placement::kHeft;  // chains stay on one worker
      expect_order(random_graph(5'000, 150, 1us, 15), machine_, design, what + ", by HEFT");
    }
  }
}

/// Sixty kernels one after the other, or on two workers, of 20 us behind 10 us that need no predecessor.
TEST_F(ExecutorAxes, ProloguesGoOnBesideThePredecessorWhereTheDesignHasThemAhead) {
  constexpr int kTasks = 60;
  TaskGraphBuilder builder;
  const std::uint32_t traits = builder.add_traits({.prologue = 10us});
  for (int i = 0; i < kTasks; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = 20us}, .traits = traits});
  for (std::uint32_t i = 1; i < kTasks; ++i) builder.add_edge(TaskId{i - 1}, TaskId{i});
  const TaskGraph graph = std::move(builder).build();
  const auto takes = [&](const Design& design) {
    expect_order(graph, machine_, design, design.name);
    return run(graph, machine_, design, {.repeats = 5}).makespans.front();
  };
  for (const char* named : {"cuda-streams", "cuda-graph"}) {
    Design design = named_design(named);
    EXPECT_GT(takes(design), kTasks * 30us) << named;
    design.programmatic_launch = ProgrammaticLaunch::kOn;
    if (design.driver == Driver::kStreams) design.stream_granularity = StreamGranularity::kSingle;
    EXPECT_LT(takes(design), kTasks * 24us) << named;
  }
  Design lists = named_design("static-queues");
  lists.placement = Placement::kRoundRobin;
  EXPECT_GT(takes(lists), kTasks * 30us);
  lists.prologues = Prologues::kAhead;
  EXPECT_LT(takes(lists), kTasks * 24us);
}

TEST_F(ExecutorAxes, AFlagThatIsNeverRaisedIsWaitedForUntilTheWatchdogEndsTheRun) {
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;
  design.notification = Notification::kFlag;
  std::string words;
  try {
    run(chain(20), machine_, design, {.repeats = 1, .watchdog = 300ms, .never_released = {task_id(5)}});
  } catch (const RunError& error) {
    words = error.what();
  }
  EXPECT_THAT(words, HasSubstr("link5"));
  EXPECT_EQ(run(chain(20), machine_, design, {.repeats = 1}).ordering_violations, 0) << "the device is usable afterwards";
}

TEST_F(ExecutorAxes, MessagesCarryBytesInSeveralPieces) {
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;
  design.notification = Notification::kMessage;
  for (const std::int64_t bytes : {1, 12, 13, 384}) {
    TaskGraphBuilder builder;
    for (std::uint32_t i = 0; i < 2'000; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = 500ns}});
    for (std::uint32_t i = 0; i < 2'000; ++i) {
      for (const std::uint32_t after : {i + 1, i + 17, i + 150}) {
        if (after < 2'000) builder.add_edge(TaskId{i}, TaskId{after}, Bytes{bytes});
      }
    }
    expect_order(std::move(builder).build(), machine_, design, std::to_string(bytes) + " bytes");
  }
}

TEST_F(ExecutorAxes, CentralDispatcherHandsOverEarlyToWorkersThatWaitForADoorbell) {
  Design design = named_design("central-dispatcher");
  design.dispatchers = 1;
  design.mailbox_depth = 1;
  design.early_dispatch = EarlyDispatch::kOn;
  for (const int limit : {1, 8, kNoEarlyLimit}) {
    design.early_limit = limit;
    expect_order(random_graph(2'000, 150, 1us, 21), machine_, design, "limit " + std::to_string(limit));
    expect_order(random_graph(20'000, 600, 500ns, 22), machine_, design, "limit " + std::to_string(limit) + ", tables in memory");
    expect_order(chain(300), machine_, design, "limit " + std::to_string(limit) + ", chain");
  }
}

TEST_F(ExecutorAxes, CentralDispatcherRunsWithAnyNumberOfDispatchersThatOwnOrShareCores) {
  const TaskGraph graph = random_graph(2'000, 150, 1us, 12);
  for (const int dispatchers : {1, 2, 3, 8}) {
    for (const Ownership ownership : {Ownership::kOwned, Ownership::kShared}) {
      Design design = named_design("central-dispatcher");
      design.dispatchers = dispatchers;
      design.ownership = ownership;
      if (ownership == Ownership::kShared && why_unsupported(graph, machine_, design)) continue;  // said by name, and tested there
      expect_order(graph, machine_, design, std::to_string(dispatchers) + " " + std::string(to_word(ownership)));
    }
  }
}

/// With one dispatcher and one worker that holds one task, all of which are ready from the beginning, the order is the policy's.
TEST_F(ExecutorAxes, CentralDispatcherHandsOutInTheOrderOfTheDesign) {
  Random random(13);
  TaskGraphBuilder builder;
  for (int i = 0; i < 60; ++i) {
    Task task;
    task.cost.time = Duration{random.between(1, 50) * 100};
    task.priority = static_cast<std::int32_t>(random.between(-5, 5));
    builder.add_task("t" + std::to_string(i), task);
  }
  const TaskGraph graph = std::move(builder).build();
  Design design = named_design("central-dispatcher");
  design.mailbox_depth = 1;
  design.fill = Fill::kAlways;
  design.dispatchers = 1;
  const Machine machine = machine_of(1, design);
  const std::vector<Duration> durations = expected_durations(graph, machine);
  for (const auto& [order, word] : Words<TaskOrder>::entries) {
    if (order == TaskOrder::kRandom) continue;  // drawn anew by each executor
    design.order = order;
    const auto policy = make_task_order(order, {graph, durations});
    std::vector<TaskId> expected = graph.topological_order();
    std::ranges::stable_sort(expected, {}, [&](TaskId task) { return policy->key(task, index(task)); });
    const Timeline timeline = run(graph, machine, design, {.repeats = 1}).timeline;
    std::vector<TaskId> ran = graph.topological_order();
    std::ranges::stable_sort(ran, {}, [&](TaskId task) { return timeline.tasks[index(task)].started; });
    EXPECT_EQ(ran, expected) << word;
  }
}

class SpawnedTrees : public ExecutorAxes, public testing::WithParamInterface<std::tuple<const char*, Termination>> {};

TEST_P(SpawnedTrees, EndUnderEachTerminationScheme) {
  const TaskGraph graph = scenarios::make_spawn_tree({.tasks = 20'000, .body = {.cost = {.time = 500ns}}}, 14);
  Design design = quickly_placed(design_for(std::get<0>(GetParam())));
  design.termination = std::get<1>(GetParam());
  if (const auto why = why_unsupported(graph, machine_, design)) GTEST_SKIP() << *why;
  const Measurement measured = run(graph, machine_, design, {.repeats = 1});
  EXPECT_EQ(measured.ordering_violations, 0);
  EXPECT_EQ(stamp_fault(graph, measured.timeline, true), "");
}

INSTANTIATE_TEST_SUITE_P(Designs, SpawnedTrees,
                         testing::Combine(testing::Values("central-dispatcher", "shared-queue", "work-stealing", "hybrid"),
                                          testing::Values(Termination::kCounter, Termination::kVote, Termination::kSentinels)),
                         [](const auto& test) {
                           return plain_name(std::get<0>(test.param)) + "_" + std::string(to_word(std::get<1>(test.param)));
                         });

TEST_F(ExecutorAxes, SharedQueueRunsTheBlocksOfATaskApart) {
  const TaskGraph graph = wide_and_narrow();
  for (const int workers : {3, 132}) {  // fewer than some tasks have blocks
    Design design = named_design("shared-queue");
    design.gang = Gang::kApart;
    const Machine machine = machine_of(workers, design);
    if (const auto why = why_unsupported(graph, machine, design)) GTEST_SKIP() << *why;
    const Measurement measured = run(graph, machine, design, {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0);
    expect_blocks(graph, measured.timeline, "apart");
  }
}

TEST_F(ExecutorAxes, KernelsHaveAsManyBlocksAsTheirTask) {
  const TaskGraph graph = wide_and_narrow();
  for (const char* executor : {"cuda-streams", "cuda-graph"}) {
    const Measurement measured = run(graph, machine_, design_for(executor), {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0) << executor;
    expect_blocks(graph, measured.timeline, executor);
  }
}

}  // namespace
}  // namespace tasktwin::gpu
