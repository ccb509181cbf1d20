// The edges of time of cuda-streams: when the host, other kernels and the hardware queues let a kernel start.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/random_cases.hpp"
#include "tests/sim/small_worlds.hpp"
#include "tests/sim/timeline_text.hpp"
#include "tests/support/counting_axes.hpp"

namespace tasktwin::sim {
namespace {

Timeline run(const TaskGraph& graph, const Machine& machine, int streams) {
  Design design = named_design("cuda-streams");
  design.streams = streams;
  return simulate(graph, machine, design).timeline;
}

Machine launching_machine(int cores) {
  Machine machine = plain_machine(cores);
  machine.host_calls->launch = Nanoseconds{10};
  machine.streams->launch_latency = Nanoseconds{25};
  return machine;
}

TEST(CudaStreamsEdges, KernelStartsAtTheLaterOfItsLaunchAndTheKernelBeforeIt) {
  Machine machine = launching_machine(2);
  // b's launch call begins at 10: 35 at the earliest. a runs from 25 to 31.
  const TaskGraph graph = small_graph({{"a", 6}, {"b", 5}});
  for (const auto& [gap, started] : {std::pair{3, 35}, std::pair{4, 35}, std::pair{5, 36}}) {
    machine.streams->gap = Nanoseconds{static_cast<double>(gap)};
    EXPECT_EQ(to_ns(run(graph, machine, 1).tasks[1].started), started);
  }
}

TEST(CudaStreamsEdges, TheFirstLaunchesOfARunTakeLongerAndThoseOfAReplayDoNot) {
  constexpr std::uint32_t kFirstLaunches = mechanism::HostCalls::kFirstLaunches;
  Machine machine = launching_machine(2);
  machine.host_calls->first_launches = Nanoseconds{7.0 * kFirstLaunches};
  TaskGraphBuilder builder;
  for (std::uint32_t i = 0; i < kFirstLaunches + 3; ++i) builder.add_task("task" + std::to_string(i), {.cost = {.time = Duration{1}}});
  const TaskGraph graph = std::move(builder).build();
  const Timeline once = run(graph, machine, 1);
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    EXPECT_EQ(to_ns(once.tasks[i].dispatched), 10 * (i + 1) + 7 * std::min(i + 1, kFirstLaunches)) << i;
  Design twice = named_design("cuda-streams");
  twice.streams = 1;
  twice.replays = 2;
  const std::vector<TaskTimes> again = simulate(graph, machine, twice).timeline.tasks;
  EXPECT_EQ(again[1].dispatched - again[0].dispatched, Duration{10});
}

TEST(CudaStreamsEdges, KernelStartsAnEventGapAfterTheLastItWaitsFor) {
  Machine machine = launching_machine(2);
  machine.host_calls->event_record = Nanoseconds{2};
  machine.host_calls->stream_wait = Nanoseconds{3};
  // a: launch 0 to 10, record to 12, runs 25 to 37. b: wait to 15, launch 15 to 25, so not before 40.
  const TaskGraph graph = small_graph({{"a", 12}, {"b", 5}}, {{0, 1}});
  for (const auto& [gap, started] : {std::pair{2, 40}, std::pair{3, 40}, std::pair{4, 41}}) {
    machine.streams->event_gap = Nanoseconds{static_cast<double>(gap)};
    const Timeline timeline = run(graph, machine, 2);
    EXPECT_EQ(to_ns(timeline.tasks[1].started), started);
    EXPECT_EQ(to_ns(timeline.tasks[1].ready), 37);
    EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 25);
    EXPECT_EQ(timeline.dispatchers[0], (std::vector<Span>{{at_ns(0), at_ns(25)}}));
    EXPECT_EQ(to_ns(timeline.tasks[1].received), started) << "there is room";
    EXPECT_FALSE(is_present(timeline.tasks[1].published));
  }
}

TEST(CudaStreamsEdges, AnEventIsSeenTheLaterTheMoreQueuesWait) {
  Machine machine = launching_machine(4);
  machine.streams->event_gap = Nanoseconds{5};
  machine.streams->waiting_queue = Nanoseconds{3};
  // Calls of 10 each, so that b to d, in streams of their own, wait for events when a ends, then c and d, then d alone.
  const TaskGraph chain = small_graph({{"a", 100}, {"b", 100}, {"c", 100}, {"d", 100}}, {{0, 1}, {1, 2}, {2, 3}});
  const auto gaps = [&](int streams, Design design = named_design("cuda-streams")) {
    design.streams = streams;
    const std::vector<TaskTimes> tasks = simulate(chain, machine, design).timeline.tasks;
    std::vector<std::int64_t> found;
    for (std::size_t i = 1; i < tasks.size(); ++i) found.push_back((tasks[i].started - tasks[i - 1].ended).count());
    return found;
  };
  EXPECT_EQ(gaps(4), (std::vector<std::int64_t>{5 + 2 * 3, 5 + 3, 5}));
  machine.streams->queue_turns = Nanoseconds{20};
  EXPECT_EQ(gaps(4), (std::vector<std::int64_t>{5 + 2 * 3 + 20, 5 + 3, 5})) << "two queues are looked at side by side";
  EXPECT_EQ(gaps(2), (std::vector<std::int64_t>{5 + 3, 5 + 3, 5})) << "c is behind a and waits for b, d is behind b and waits for c";
  Design one_queue = named_design("cuda-streams");
  one_queue.hardware_queues = 1;
  EXPECT_EQ(gaps(4, one_queue), (std::vector<std::int64_t>{5, 5, 5}));
  machine.host_calls->launch = Nanoseconds{1000};
  EXPECT_EQ(gaps(4).back(), machine.host_calls->launch.count() - 100) << "whose call comes later has not stood in a queue";
}

TEST(CudaStreamsEdges, LooksBehindAKernelThatReadsTakeLonger) {
  Machine machine = launching_machine(4);
  machine.memory->bandwidth = machine.memory->core_bandwidth = 10;
  machine.streams->waiting_queue = Nanoseconds{3};
  machine.streams->loaded_queue = Nanoseconds{8};
  // a runs for 100, for half of which its bytes would take all of the bandwidth.
  TaskGraphBuilder builder;
  builder.add_task("a", {.cost = {.time = Duration{100}, .bytes = {500}}});
  for (const char* name : {"b", "c", "d"}) builder.add_task(name, {.cost = {.time = Duration{100}}});
  for (const std::size_t from : {0, 1, 2}) builder.add_edge(task_id(from), task_id(from + 1));
  Design design = named_design("cuda-streams");
  design.streams = 4;
  const std::vector<TaskTimes> tasks = simulate(std::move(builder).build(), machine, design).timeline.tasks;
  EXPECT_EQ((tasks[1].started - tasks[0].ended).count(), 2 * (3 + 4)) << "c and d wait too";
  EXPECT_EQ((tasks[2].started - tasks[1].ended).count(), 3);
}

TEST(CudaStreamsEdges, WhatAKernelDrewIsOfTheTimeFromItsFirstBodyOn) {
  Machine machine = launching_machine(1);
  machine.memory->bandwidth = machine.memory->core_bandwidth = 10;
  machine.streams->waiting_queue = Nanoseconds{3};
  machine.streams->loaded_queue = Nanoseconds{8};
  // a waits on the device until `first` has left the only core; half of its bytes come with an edge.
  TaskGraphBuilder builder;
  builder.add_task("first", {.cost = {.time = Duration{400}}});
  builder.add_task("root", {});
  builder.add_task("a", {.cost = {.time = Duration{100}, .bytes = {250}}});
  for (const char* name : {"b", "c"}) builder.add_task(name, {.cost = {.time = Duration{100}}});
  builder.add_edge(task_id(1), task_id(2), {250});
  for (const std::size_t from : {2, 3}) builder.add_edge(task_id(from), task_id(from + 1));
  Design design = named_design("cuda-streams");
  design.streams = 5;
  const std::vector<TaskTimes> tasks = simulate(std::move(builder).build(), machine, design).timeline.tasks;
  ASSERT_GE(tasks[2].started, tasks[0].ended);
  EXPECT_EQ((tasks[3].started - tasks[2].ended).count(), 3 + 4) << "c waits too";
}

TEST(CudaStreamsEdges, OneWaitForEachStreamThatHoldsAPredecessor) {
  Machine machine = launching_machine(8);
  machine.host_calls->stream_wait = Nanoseconds{100};
  // Streams 0, 1, 2, 0, 1, 2. The last task, in stream 2, waits for tasks 0 and 3 of stream 0, 1 of stream 1, and 2 of its own.
  const TaskGraph graph = small_graph({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}}, {{0, 5}, {3, 5}, {1, 5}, {2, 5}});
  EXPECT_EQ(to_ns(run(graph, machine, 3).tasks[5].dispatched), 5 * 10 + 2 * 100 + 10);
}

TEST(CudaStreamsEdges, EventIsRecordedOnlyForASuccessorInAnotherStream) {
  Machine machine = launching_machine(8);
  machine.host_calls->event_record = Nanoseconds{100};
  const TaskGraph graph = small_graph({{"a", 1}, {"b", 1}, {"c", 1}}, {{0, 2}});
  EXPECT_EQ(to_ns(run(graph, machine, 2).tasks[2].dispatched), 30);        // a and c share stream 0
  EXPECT_EQ(to_ns(run(graph, machine, 3).tasks[2].dispatched), 30 + 100);  // they do not
}

TEST(CudaStreamsEdges, KernelsBeyondTheCoresWaitFirstComeFirstServed) {
  Machine machine = launching_machine(2);
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 110}, {"c", 50}, {"d", 50}});
  const Timeline timeline = run(graph, machine, 4);
  EXPECT_EQ(to_ns(timeline.tasks[0].started), 25);
  EXPECT_EQ(to_ns(timeline.tasks[1].started), 35);
  EXPECT_EQ(to_ns(timeline.tasks[2].started), 125);  // a ended
  EXPECT_EQ(to_ns(timeline.tasks[3].started), 145);  // b ended
  EXPECT_EQ(timeline.cores.size(), 4u);              // streams
}

Timeline run_queues(const TaskGraph& graph, const Machine& machine, int streams, int queues) {
  Design design = named_design("cuda-streams");
  design.streams = streams;
  design.hardware_queues = queues;
  return simulate(graph, machine, design).timeline;
}

TEST(HardwareQueues, KernelBehindOneThatWaitsForItsStreamWaitsWithIt) {
  // Launch calls begin at 0, 10, 20, 30. Stream 0: a from 25 to 125, then c. Stream 1: b from 35 to 45, then d from 55 on.
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 10}, {"c", 10}, {"d", 10}});
  const Machine machine = launching_machine(4);
  const Timeline two = run_queues(graph, machine, 2, 2);
  EXPECT_EQ(to_ns(two.tasks[2].started), 125);
  EXPECT_EQ(to_ns(two.tasks[3].started), 55);
  const Timeline one = run_queues(graph, machine, 2, 1);  // d stands behind c, which waits for a
  EXPECT_EQ(to_ns(one.tasks[1].started), 35);
  EXPECT_EQ(to_ns(one.tasks[2].started), 125);
  EXPECT_EQ(to_ns(one.tasks[3].started), 125);  // as soon as c has gone, not when it has ended
}

TEST(HardwareQueues, HeadWaitsForTheStreamGapToo) {
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 10}, {"c", 10}, {"d", 10}});
  Machine machine = launching_machine(4);
  machine.streams->gap = Nanoseconds{7};
  EXPECT_EQ(to_ns(run_queues(graph, machine, 2, 1).tasks[3].started), 132);
}

TEST(HardwareQueues, KernelBehindOneThatWaitsForAnEventWaitsWithIt) {
  // Three streams. b awaits a, which ends at 125; c awaits nobody: its launch call begins at 20.
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 10}, {"c", 10}}, {{0, 1}});
  Machine machine = launching_machine(4);
  machine.streams->event_gap = Nanoseconds{5};
  for (const auto& [queues, started] : {std::pair{1, 130}, std::pair{2, 45}, std::pair{3, 45}}) {
    const Timeline timeline = run_queues(graph, machine, 3, queues);
    EXPECT_EQ(to_ns(timeline.tasks[1].started), 130) << queues;
    EXPECT_EQ(to_ns(timeline.tasks[2].started), started) << queues;
  }
}

TEST(HardwareQueues, StreamsShareAQueueModuloTheirNumber) {
  // Streams 0 to 2 on two queues: stream 2 shares with stream 0. d follows a in stream 0 and holds up f, not e.
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}});
  const Timeline timeline = run_queues(graph, launching_machine(8), 3, 2);
  EXPECT_EQ(to_ns(timeline.tasks[3].started), 125);
  EXPECT_EQ(to_ns(timeline.tasks[4].started), 65);   // its launch call begins at 40
  EXPECT_EQ(to_ns(timeline.tasks[5].started), 125);  // not at 75
}

TEST(HardwareQueues, AreTheMachinesWhereTheDesignStatesNone) {
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 10}, {"c", 10}, {"d", 10}});
  Machine machine = launching_machine(4);
  machine.launch_limits.hardware_queues = 1;
  EXPECT_EQ(to_ns(run_queues(graph, machine, 2, 0).tasks[3].started), 125);
  EXPECT_EQ(to_ns(run_queues(graph, machine, 2, 2).tasks[3].started), 55);
}

TEST(HardwareQueues, ChangeNothingWhereEachStreamHasItsOwn) {
  for (std::uint64_t number = 0; number < 200; ++number) {
    RandomCase drawn = random_case(named_design("cuda-streams"), number);
    drawn.machine.launch_limits.hardware_queues = drawn.design.hardware_queues = 0;
    const Timeline unlimited = simulate(drawn.graph, drawn.machine, drawn.design, {.seed = drawn.seed}).timeline;
    drawn.design.hardware_queues = std::max(1, static_cast<int>(unlimited.cores.size()));
    const Timeline own = simulate(drawn.graph, drawn.machine, drawn.design, {.seed = drawn.seed}).timeline;
    ASSERT_EQ(unlimited, own) << drawn.describe() << "\n" << first_differences(unlimited, own);
  }
}

TEST(ResidentKernels, AreNoMoreThanTheLimitAtATime) {
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 110}, {"c", 50}, {"d", 50}});
  Machine machine = plain_machine(8);
  const auto starts_with = [&](int limit) {
    machine.launch_limits.resident_kernels = limit;
    std::vector<std::int64_t> starts;
    for (const TaskTimes& times : run(graph, machine, 4).tasks) starts.push_back(to_ns(times.started));
    return starts;
  };
  EXPECT_EQ(starts_with(0), (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(starts_with(4), (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(starts_with(3), (std::vector<std::int64_t>{0, 0, 0, 50}));
  EXPECT_EQ(starts_with(2), (std::vector<std::int64_t>{0, 0, 100, 110}));  // first come, first served
  EXPECT_EQ(starts_with(1), (std::vector<std::int64_t>{0, 100, 210, 260}));
}

TEST(ResidentKernels, CountWhileTheyWaitForACore) {
  // One core: b is resident behind a, so that c, on a core of another type, is not.
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 10}, {"c", 10, 0, CoreType::kAiv}});
  Machine machine = plain_machine(1);
  machine.compute_cores.push_back({CoreType::kAiv, 1});
  machine.launch_limits.resident_kernels = 2;
  EXPECT_EQ(to_ns(run(graph, machine, 3).tasks[2].started), 100);
  machine.launch_limits.resident_kernels = 3;
  EXPECT_EQ(to_ns(run(graph, machine, 3).tasks[2].started), 0);
}

TEST(StreamGranularity, DecidesWhichKernelsFollowEachOther) {
  // a and c are spins of layers 0 and 3, b is empty-bodied of layer 1 but as long.
  TaskGraphBuilder builder;
  builder.add_task("a", {.cost = {.time = Duration{100}}, .layer = 0, .kernel = Kernel::kSpin});
  builder.add_task("b", {.cost = {.time = Duration{100}}, .layer = 1, .kernel = Kernel::kEmpty});
  builder.add_task("c", {.cost = {.time = Duration{100}}, .layer = 3, .kernel = Kernel::kSpin});
  const TaskGraph graph = std::move(builder).build();
  const auto starts_with = [&graph](StreamGranularity granularity, int streams, std::size_t in_use) {
    Design design = named_design("cuda-streams");
    design.stream_granularity = granularity;
    design.streams = streams;
    const Timeline timeline = simulate(graph, plain_machine(8), with_counting_axes(design)).timeline;
    EXPECT_EQ(timeline.cores.size(), in_use);
    std::vector<std::int64_t> starts;
    for (const TaskTimes& times : timeline.tasks) starts.push_back(to_ns(times.started));
    return starts;
  };
  using enum StreamGranularity;
  EXPECT_EQ(starts_with(kPerCore, 3, 3), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(starts_with(kPerCore, 2, 2), (std::vector<std::int64_t>{0, 0, 100}));
  EXPECT_EQ(starts_with(kPerTaskType, 7, 2), (std::vector<std::int64_t>{0, 0, 100}));
  EXPECT_EQ(starts_with(kPerLayer, 4, 4), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(starts_with(kPerLayer, 3, 3), (std::vector<std::int64_t>{0, 0, 100}));
  EXPECT_EQ(starts_with(kPerLayer, 2, 2), (std::vector<std::int64_t>{0, 0, 100}));
  EXPECT_EQ(starts_with(kSingle, 7, 1), (std::vector<std::int64_t>{0, 100, 200}));
}

TEST(StreamGranularity, EventsAreForOtherStreamsOnly) {
  Machine machine = launching_machine(8);
  machine.host_calls->stream_wait = Nanoseconds{100};
  machine.host_calls->event_record = Nanoseconds{1000};
  const TaskGraph graph = small_graph({{"a", 1}, {"b", 1}}, {{0, 1}});
  Design design = named_design("cuda-streams");
  EXPECT_EQ(to_ns(simulate(graph, machine, design).timeline.tasks[1].dispatched), 10 + 1000 + 100 + 10);
  design.stream_granularity = StreamGranularity::kSingle;
  EXPECT_EQ(to_ns(simulate(graph, machine, design).timeline.tasks[1].dispatched), 20);
}

TEST(CudaStreamsEdges, OnlyTheEventThatIsAwaitedIsRecorded) {
  Machine machine = launching_machine(8);
  machine.host_calls->event_record = Nanoseconds{100};
  // a and c share stream 0, and d, in stream 1, needs both: it awaits c, which ends last.
  const TaskGraph graph = small_graph({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}, {{0, 3}, {2, 3}});
  EXPECT_EQ(to_ns(run(graph, machine, 2).tasks[3].dispatched), 40 + 100);
}

TEST(CudaStreamsEdges, AReplayThatBeginsWhileTheHostIsAtItsLastCallLaunchesEachKernelOnce) {
  Machine machine = plain_machine(4);
  machine.host_calls->launch = Nanoseconds{30};  // kernels come at once, and have ended before their launch returns
  Design design = named_design("cuda-streams");
  design.streams = 3;
  design.stream_wait = StreamWait::kCallback;
  design.replays = 2;
  const Timeline last = simulate(small_graph({{"a", 5}, {"b", 5}, {"c", 5}}), machine, design).timeline;
  EXPECT_EQ(to_ns(last.tasks[0].dispatched), 120);
  EXPECT_EQ(to_ns(last.tasks[1].dispatched), 150);
  EXPECT_EQ(to_ns(last.tasks[2].dispatched), 180);
}

}  // namespace
}  // namespace tasktwin::sim
