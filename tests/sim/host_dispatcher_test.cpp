// Threads of the host as dispatchers, against the central dispatcher and times worked out by hand.
#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

TEST(HostDispatcher, IsTheCentralDispatcherWithTheHostsConstants) {
  Machine host = plain_machine(3);
  host.control_cores = {.count = 2, .lanes = 8, .occupied_cores = 1, .code_scale = 0.5};
  host.resident_cores->start = Nanoseconds{11};
  host.host_mailboxes->hop = Nanoseconds{1400};
  host.host_mailboxes->publish = Nanoseconds{1700};
  host.host_control->poll = Nanoseconds{20};
  host.host_control->poll_per_core = Nanoseconds{2};
  host.host_control->complete = Nanoseconds{100};
  host.host_control->resolve = Nanoseconds{50};
  host.host_control->hand_over = Nanoseconds{13};
  host.host_control->dispatch = Nanoseconds{70};
  Machine device = plain_machine(3);
  device.control_cores.count = 2;
  device.resident_cores->start = Nanoseconds{11};
  device.device_mailboxes->hop = Nanoseconds{1400};
  device.device_mailboxes->publish = Nanoseconds{1700};
  device.device_control->poll = Nanoseconds{20};
  device.device_control->poll_per_core = Nanoseconds{2};
  device.device_control->complete = Nanoseconds{100};
  device.device_control->resolve = Nanoseconds{50};
  device.device_control->hop = Nanoseconds{50};
  device.device_control->hand_over = Nanoseconds{13};
  device.device_control->dispatch = Nanoseconds{70};
  Design design = named_design("host-dispatcher");
  design.dispatchers = 2;
  design.placement = Placement::kLeastLoaded;  // on the device too all tasks then go through the queue
  Design central = design;
  central.driver = Driver::kPersistent;
  const TaskGraph graph = star(9);
  const Timeline timeline = simulate(graph, host, design).timeline;
  EXPECT_EQ(timeline.cores.size(), 3u);
  // That the workers are there is published and crosses the bus. The dispatcher of one core is through its sweep first; then come
  // the hand-over, the hop and the start.
  const std::int64_t opened = 1700;
  EXPECT_EQ(to_ns(timeline.tasks[0].started), opened + 22 + 13 + 70 + 1400 + 11);
  const Timeline on_device = simulate(graph, device, central).timeline;
  for (const auto phase : {&TaskTimes::dispatched, &TaskTimes::started, &TaskTimes::published}) {
    std::vector<std::int64_t> later = times(on_device, phase);
    for (std::int64_t& time : later) time += opened;
    EXPECT_EQ(times(timeline, phase), later);
  }
}

/// Two threads with a core each, that sweep for 20 ns and hold the lock for 100, or 107 if they had to wait for it.
Machine two_threads() {
  Machine machine = plain_machine(2);
  machine.control_cores.count = 2;
  machine.host_control->poll = Nanoseconds{20};
  machine.host_control->locked_queue = Nanoseconds{100};
  machine.host_control->queue_contention = Nanoseconds{7};
  return machine;
}

/// Of a task of 10 ns and its successor.
std::vector<TaskTimes> under_two_threads(const Machine& machine) {
  Design design = named_design("host-dispatcher");
  design.dispatchers = 2;
  return simulate(star(1), machine, design).timeline.tasks;
}

TEST(HostDispatcher, WhoComesLateToTheQueueHasItsLockAllTheSame) {
  // Both look at 20. One has the task at 120; the other finds none, from 120 to 227. The end of the task at 130 is seen by the sweep from
  // 140 to 160; then its successor waits for the lock, and is in the queue at 334.
  const std::vector<TaskTimes> tasks = under_two_threads(two_threads());
  EXPECT_EQ(to_ns(tasks[0].dispatched), 120);
  EXPECT_EQ(to_ns(tasks[1].ready), 334);
  EXPECT_EQ(to_ns(tasks[1].dispatched), 434);
  EXPECT_EQ(tasks[1].dispatcher, tasks[0].dispatcher);
}

TEST(HostDispatcher, AnIdleThreadIsThereFirstWhileTheOtherCounts) {
  Machine machine = two_threads();
  machine.host_control->count = Nanoseconds{30};
  machine.host_control->queue_fetch = Nanoseconds{50};
  // The idle one's sweeps begin at 227; that from 327 on ends at 347, where it finds what the other has pushed, and fetches that.
  const std::vector<TaskTimes> tasks = under_two_threads(machine);
  EXPECT_EQ(to_ns(tasks[1].ready), 334);
  EXPECT_EQ(to_ns(tasks[1].dispatched), 347 + 150);
  EXPECT_NE(tasks[1].dispatcher, tasks[0].dispatcher);
}

TEST(HostDispatcher, WhatAWaitingThreadFetchesIsPartOfTheContention) {
  Design design = named_design("host-dispatcher");
  design.dispatchers = 2;
  // Both look at 20, and take a task each. The second comes behind the first, which is at the queue until 120.
  for (const auto& [contention, takes] : {std::pair{7, 150}, std::pair{70, 170}}) {
    Machine machine = two_threads();
    machine.host_control->queue_contention = Nanoseconds(contention);
    machine.host_control->queue_fetch = Nanoseconds{50};
    const Timeline timeline = simulate(independent(2, 1000), machine, design).timeline;
    EXPECT_EQ(times(timeline, &TaskTimes::dispatched), (std::vector<std::int64_t>{120, 120 + takes}));
  }
}

TEST(HostDispatcher, TheFirstCompletionOfASweepTakesLonger) {
  Machine machine = plain_machine(3);
  machine.control_cores.count = 2;
  machine.host_control->poll = Nanoseconds{20};
  machine.host_control->complete = Nanoseconds{5};
  const auto last_ready = [&machine](std::uint32_t roots, double first) {
    machine.host_control->first_complete = Nanoseconds{first};
    Design design = named_design("host-dispatcher");
    design.dispatchers = 1;
    std::vector<SmallTask> tasks(roots, {"root", 10});
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t root = 0; root < roots; ++root) edges.emplace_back(root, roots);
    tasks.push_back({"last", 10});
    return to_ns(simulate(small_graph(tasks, edges), machine, design).timeline.tasks.back().ready);
  };
  EXPECT_EQ(last_ready(1, 70) - last_ready(1, 0), 70);
  EXPECT_EQ(last_ready(3, 70) - last_ready(3, 0), 70) << "seen by one sweep";
}

TEST(HostDispatcher, OneThreadSharesNothing) {
  Machine host = plain_machine(3);
  host.control_cores.count = 2;
  Design design = named_design("host-dispatcher");
  design.dispatchers = 1;
  const Duration alone = simulate(star(9), host, design).timeline.makespan();
  host.host_control->count = host.host_control->locked_queue = host.host_control->resolve_line = Nanoseconds{50};
  EXPECT_EQ(simulate(star(9), host, design).timeline.makespan(), alone);
  design.dispatchers = 2;
  EXPECT_GT(simulate(star(9), host, design).timeline.makespan(), alone);
}

}  // namespace
}  // namespace tasktwin::sim
