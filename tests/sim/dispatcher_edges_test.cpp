// The edges of time of central-dispatcher: what one nanosecond more or less of each constant changes.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

Timeline run(const TaskGraph& graph, const Machine& machine, const Design& design) { return simulate(graph, machine, design).timeline; }

/// a → b on one core; the dispatcher sweeps every 10 ns. It hands a over at 10 + 5 = 15 and sweeps from 15 on; a's
/// completion is visible at 15 + mailbox_hop 7 + start 3 + body 20 + publish 10 = 55, a sweep's begin.
struct OnTheGrid {
  Machine machine = plain_machine(1);
  TaskGraph graph = small_graph({{"a", 20}, {"b", 20}}, {{0, 1}});
  OnTheGrid() {
    machine.device_control->poll = Nanoseconds{10};
    machine.device_control->dispatch = Nanoseconds{5};
    machine.device_mailboxes->hop = Nanoseconds{7};
    machine.resident_cores->start = Nanoseconds{3};
    machine.device_mailboxes->publish = Nanoseconds{10};
  }
  TimePoint second_ready() const { return run(graph, machine, with_depth("central-dispatcher", 1)).tasks[1].ready; }
};

TEST(CentralDispatcherEdges, CompletionVisibleWhenASweepBeginsIsSeenByIt) {
  const OnTheGrid world;
  const Timeline timeline = run(world.graph, world.machine, with_depth("central-dispatcher", 1));
  EXPECT_EQ(to_ns(timeline.tasks[0].published), 55);
  EXPECT_EQ(to_ns(timeline.tasks[1].ready), 65);  // the sweep of 55 ends
}

class OneNanosecondLater : public testing::TestWithParam<const char*> {};

TEST_P(OneNanosecondLater, MissesTheSweep) {
  OnTheGrid world;
  const ConstantField& constant = *find_constant(GetParam());
  constant.set(world.machine, constant.get(world.machine) + 1);
  EXPECT_EQ(to_ns(world.second_ready()), 75);
}

TEST_P(OneNanosecondLater, OneEarlierIsSeenByTheSameSweep) {
  OnTheGrid world;
  const ConstantField& constant = *find_constant(GetParam());
  constant.set(world.machine, constant.get(world.machine) - 1);
  EXPECT_EQ(to_ns(world.second_ready()), 65);
}

INSTANTIATE_TEST_SUITE_P(Constants, OneNanosecondLater,
                         testing::Values("device_mailboxes.hop_ns", "resident_cores.start_ns", "device_mailboxes.publish_ns"));

TEST(CentralDispatcherEdges, BodyOverheadIsPartOfTheBody) {
  OnTheGrid world;
  world.machine.kernels[static_cast<std::size_t>(Kernel::kSpin)].overhead = Nanoseconds{1};
  EXPECT_EQ(to_ns(world.second_ready()), 75);
}

TEST(CentralDispatcherEdges, PollPerCoreIsPaidForOwnedCoresOnly) {
  Machine machine = plain_machine(4);
  machine.control_cores.count = 2;
  machine.device_control->poll = Nanoseconds{10};
  machine.device_control->poll_per_core = Nanoseconds{3};
  const TaskGraph graph = small_graph({{"a", 20}});
  Design design = with_depth("central-dispatcher", 1);
  design.dispatchers = 2;
  EXPECT_EQ(to_ns(run(graph, machine, design).tasks[0].dispatched), 16);  // 10 + 2 · 3
  machine.control_cores.lanes = 2;
  EXPECT_EQ(to_ns(run(graph, machine, design).tasks[0].dispatched), 13);  // 10 + 1 · 3
}

TEST(CentralDispatcherEdges, CompletionsAndSuccessorsAreTakenInLanesAtATime) {
  // Three roots end together; each has two successors. t1 = T + complete · ⌈3/L⌉, and where a lane works on one successor at a time,
  // resolve · 6.
  Machine machine = plain_machine(3);
  machine.device_control->complete = Nanoseconds{100};
  machine.device_control->resolve = Nanoseconds{10};
  const TaskGraph graph =
      small_graph({{"a", 20}, {"b", 20}, {"c", 20}, {"d", 1}, {"e", 1}}, {{0, 3}, {1, 3}, {2, 3}, {0, 4}, {1, 4}, {2, 4}});
  for (const auto& [lanes, ready] : {std::pair{1, 20 + 300 + 60}, std::pair{2, 20 + 200}, std::pair{4, 20 + 100}}) {
    machine.control_cores.lanes = lanes;
    EXPECT_EQ(to_ns(run(graph, machine, with_depth("central-dispatcher", 1)).tasks[3].ready), ready) << lanes;
  }
}

TEST(CentralDispatcherEdges, SuccessorsBehindTheHeadOfARowTakeRoundsOfTheirOwn) {
  Machine machine = plain_machine(2);
  machine.device_control->complete = Nanoseconds{100};
  machine.device_control->resolve = Nanoseconds{10};
  machine.control_cores.lanes = 4;
  // Two roots with seven successors each that wait for both: four come with each completion, the other six are told 4 at a time.
  std::vector<SmallTask> tasks{{"a", 20}, {"b", 20}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t i = 2; i < 9; ++i) {
    tasks.push_back({"t" + std::to_string(i), 1});
    edges.insert(edges.end(), {{0, i}, {1, i}});
  }
  EXPECT_EQ(to_ns(run(small_graph(tasks, edges), machine, with_depth("central-dispatcher", 1)).tasks[2].ready), 20 + 100 + 2 * 10);
}

TEST(CentralDispatcherEdges, HandOversLeaveInRoundsOfLanes) {
  Machine machine = plain_machine(5);
  machine.device_control->dispatch = Nanoseconds{4};
  machine.control_cores.lanes = 2;
  const TaskGraph graph = small_graph({{"a", 9}, {"b", 9}, {"c", 9}, {"d", 9}, {"e", 9}});
  const Timeline timeline = run(graph, machine, with_depth("central-dispatcher", 1));
  std::vector<std::int64_t> dispatched;
  for (const TaskTimes& task : timeline.tasks) dispatched.push_back(to_ns(task.dispatched));
  EXPECT_EQ(dispatched, (std::vector<std::int64_t>{4, 4, 8, 8, 12}));
  EXPECT_EQ(timeline.dispatchers[0].front(), (Span{at_ns(0), at_ns(12)}));
}

TEST(CentralDispatcherEdges, HandOverIsPreparedOnceForAllTasksHandedOverTogether) {
  Machine machine = plain_machine(3);
  machine.device_control->hand_over = Nanoseconds{7.5};
  machine.device_control->dispatch = Nanoseconds{4};
  const TaskGraph graph = small_graph({{"a", 50}, {"b", 50}, {"c", 50}});
  const Timeline timeline = run(graph, machine, with_depth("central-dispatcher", 1));
  std::vector<std::int64_t> dispatched;
  for (const TaskTimes& task : timeline.tasks) dispatched.push_back(to_ns(task.dispatched));
  EXPECT_EQ(dispatched, (std::vector<std::int64_t>{12, 16, 20}));  // 11.5, 15.5, 19.5, each rounded once
  // Seeing completions without anything to hand over does not pay for it.
  EXPECT_EQ(timeline.dispatchers[0], (std::vector<Span>{{at_ns(0), at_ns(20)}}));
}

TEST(CentralDispatcherEdges, WhatBecomesReadyPassesAnEmptyQueueBy) {
  Machine machine = plain_machine(2);
  machine.device_control->claim = Nanoseconds{30};
  machine.control_cores.lanes = 4;
  // One dispatcher. b is the only one that waits for a, and a's core is idle then; the roots came through the queue.
  const Timeline timeline = run(small_graph({{"a", 100}, {"b", 10}}, {{0, 1}}), machine, with_depth("central-dispatcher", 1));
  EXPECT_EQ(to_ns(timeline.tasks[0].dispatched), 30);
  EXPECT_EQ(to_ns(timeline.tasks[1].ready), 130);
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 130);
  // Of five, two go straight to the idle cores; but the others make the queue be asked.
  const Timeline many =
      run(small_graph({{"a", 100}, {"b", 10}, {"c", 10}, {"d", 10}, {"e", 10}, {"f", 10}}, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}),
          machine, with_depth("central-dispatcher", 1));
  EXPECT_EQ(to_ns(many.tasks[1].ready), 130);
  EXPECT_EQ(to_ns(many.tasks[1].dispatched), 160);
}

TEST(CentralDispatcherEdges, CostsOfAnIterationAreRoundedOnceAsASum) {
  Machine machine = plain_machine(1);
  machine.device_control->poll = Nanoseconds{0.25};
  machine.device_control->poll_per_core = Nanoseconds{0.2};
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}}, {{0, 1}});
  machine.device_control->complete = Nanoseconds{0.3};
  machine.device_control->resolve = Nanoseconds{0.75};
  // The sweep alone is 0.45, so 0; with complete and resolve 1.5, so 2.
  const Timeline timeline = run(graph, machine, with_depth("central-dispatcher", 1));
  EXPECT_EQ(to_ns(timeline.tasks[0].dispatched), 0);
  EXPECT_EQ(to_ns(timeline.tasks[1].ready), 12);
}

TEST(CentralDispatcherEdges, DeeperMailboxTakesASecondTaskBeforeTheFirstEnds) {
  Machine machine = plain_machine(1);
  machine.device_mailboxes->hop = Nanoseconds{5};
  machine.device_mailboxes->publish = Nanoseconds{5};
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}});
  EXPECT_EQ(to_ns(run(graph, machine, with_depth("central-dispatcher", 1)).tasks[1].started), 35);
  EXPECT_EQ(to_ns(run(graph, machine, with_depth("central-dispatcher", 2)).tasks[1].started), 25);
}

TEST(CentralDispatcherEdges, PublishingOverlapsTheNextBody) {
  Machine machine = plain_machine(1);
  machine.device_mailboxes->publish = Nanoseconds{30};
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}});
  const Timeline timeline = run(graph, machine, with_depth("central-dispatcher", 2));
  EXPECT_EQ(to_ns(timeline.tasks[1].started), 20);
  EXPECT_EQ(to_ns(timeline.tasks[0].published), 50);
  EXPECT_EQ(to_ns(timeline.tasks[1].published), 80);  // after the first one's
}

TEST(CentralDispatcherEdges, FillsABusyCoreOnlyWhenNoneIsIdleIfTheDesignSaysSo) {
  // Two dispatchers, a core each, three tasks ready at 0: the first dispatcher hands over before the second.
  Machine machine = plain_machine(2);
  machine.control_cores.count = 2;
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 20}, {"c", 20}});
  Design design = with_depth("central-dispatcher", 2);
  design.dispatchers = 2;
  design.fill = Fill::kAlways;
  Timeline timeline = run(graph, machine, design);
  EXPECT_EQ(index(timeline.tasks[1].core), 0u);
  design.fill = Fill::kWhenNoCoreIdle;
  timeline = run(graph, machine, design);
  EXPECT_EQ(index(timeline.tasks[1].core), 1u);
}

TEST(CentralDispatcherEdges, ParkedDispatcherLooksAtTheQueueAtTheEndOfTheSweepInWhichAnotherPushed) {
  // Dispatcher 0 owns core 0, which runs a; dispatcher 1 owns core 1, idle, and sweeps every 10 ns from 10 on. a ends at
  // 25, seen by the sweep 0 began at 30; its successors b and c are ready at 40, where a sweep of dispatcher 1 ends: both take one at 40.
  // Ready a nanosecond later, which is when dispatcher 0 takes one, the other waits for the end of the next sweep.
  Machine machine = plain_machine(2);
  machine.control_cores.count = 2;
  machine.device_control->poll = Nanoseconds{10};
  const TaskGraph graph = small_graph({{"a", 15}, {"b", 50}, {"c", 5}}, {{0, 1}, {0, 2}});
  Design design = with_depth("central-dispatcher", 1);
  design.dispatchers = 2;
  Timeline timeline = run(graph, machine, design);
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 40);
  EXPECT_EQ(to_ns(timeline.tasks[2].dispatched), 40);
  EXPECT_EQ(index(timeline.tasks[2].dispatcher), 1u);
  machine.device_control->complete = Nanoseconds{1};
  timeline = run(graph, machine, design);
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 41);
  EXPECT_EQ(to_ns(timeline.tasks[2].dispatched), 50);
}

TEST(CentralDispatcherEdges, ParkedDispatcherLooksAtTheQueueBeforeItSeesWhatCompletesMeanwhile) {
  // As above, ready at 41; core 1 runs d until `ends` and so is busy. If d's completion stands at 50, where the idle sweep ends, the next
  // sweep begins an iteration, which wins over the look: it is through at 60, with d taken in at 61. At 51 it comes too late for that: with
  // two places in the mailbox the dispatcher takes c at 50.
  for (const int ends : {50, 51}) {
    Machine machine = plain_machine(2);
    machine.control_cores.count = 2;
    machine.device_control->poll = Nanoseconds{10};
    machine.device_control->complete = Nanoseconds{1};
    const TaskGraph graph =
        small_graph({{"a", 15}, {"d", ends - 10}, {"b", 50}, {"c", 5}, {"e", 5}, {"f", 5}}, {{0, 2}, {0, 3}, {0, 4}, {0, 5}});
    Design design = with_depth("central-dispatcher", 2);
    design.dispatchers = 2;
    design.fill = Fill::kWhenNoCoreIdle;
    const Timeline timeline = run(graph, machine, design);
    std::vector<std::int64_t> by_other;
    for (const TaskTimes& times : timeline.tasks) {
      if (index(times.dispatcher) == 1u) by_other.push_back(to_ns(times.dispatched));
    }
    std::ranges::sort(by_other);
    ASSERT_GE(by_other.size(), 2u);
    EXPECT_EQ(by_other[1], ends == 50 ? 61 : 50);
  }
}

TEST(CentralDispatcher, LeavesCoresIdleWhenItSaturates) {
  // 8 cores, bodies of 10 ns, 5 ns a hand-over: no more than two or three cores can be kept busy.
  Machine machine = plain_machine(8);
  machine.device_control->dispatch = Nanoseconds{5};
  std::vector<SmallTask> tasks;
  for (int i = 0; i < 80; ++i) tasks.push_back({"t" + std::to_string(i), 10});
  const Timeline timeline = run(small_graph(tasks), machine, with_depth("central-dispatcher", 1));
  EXPECT_EQ(timeline.makespan(), Duration{80 * 5 + 10});
  EXPECT_EQ(timeline.dispatchers[0].front(), (Span{at_ns(0), at_ns(80 * 5)}));
}

}  // namespace
}  // namespace tasktwin::sim
