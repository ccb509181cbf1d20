// What frozen lists have beyond counters: flags, semaphores, back-off, other placements, a graph built on the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "models/base/error.hpp"
#include "models/policies/policies.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

Timeline run(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed = 1) {
  return simulate(graph, machine, design, {.seed = seed}).timeline;
}

Design notified(Notification notification) {
  Design design = with_depth("static-queues", 1);
  design.placement = Placement::kRoundRobin;
  design.notification = notification;
  return design;
}

/// a on core 0 and b on core 1, published at the given times; c on core 2 waits for both, its fetch beginning at 0.
TimePoint received_after(Notification notification, std::int64_t a, std::int64_t b) {
  Machine machine = plain_machine(3);
  machine.resident_cores->list_read = Nanoseconds{10};
  machine.memory->read_latency = Nanoseconds{5};  // of which a look takes two
  machine.resident_cores->counter_hop = Nanoseconds{notification == Notification::kSemaphore ? 6.0 : 4.0};
  return run(small_graph({{"a", a - 10}, {"b", b - 10}, {"c", 10}}, {{0, 2}, {1, 2}}), machine, notified(notification)).tasks[2].received;
}

TEST(StaticQueuesFlags, AreReadSideBySide) {
  EXPECT_EQ(to_ns(received_after(Notification::kFlag, 12, 12)), 20);  // the entry, then a and b
  EXPECT_EQ(to_ns(received_after(Notification::kFlag, 16, 12)), 20);  // just in time: 16 + 4
  EXPECT_EQ(to_ns(received_after(Notification::kFlag, 17, 12)), 21);  // waits for a
  EXPECT_EQ(to_ns(received_after(Notification::kFlag, 12, 26)), 30);  // waits for b
}

TEST(StaticQueuesFlags, AreSeenSoonerThanCountersWhereTheMachineSaysSo) {
  Machine machine = plain_machine(2);
  machine.resident_cores->counter_hop = Nanoseconds{40};
  const auto received = [&](Notification notification) {
    return to_ns(run(small_graph({{"a", 10}, {"b", 10}}, {{0, 1}}), machine, notified(notification)).tasks[1].received);
  };
  EXPECT_EQ(received(Notification::kFlag), received(Notification::kCounter));
  machine.resident_cores->flag_gain = Nanoseconds{15};
  EXPECT_EQ(received(Notification::kCounter), 50);
  EXPECT_EQ(received(Notification::kFlag), 35);
  machine.resident_cores->flag_gain = Nanoseconds{60};
  EXPECT_EQ(received(Notification::kFlag), 10) << "never before it is written";
}

/// a on core 0 and b on core 1 behind it, told by a message; `bytes` come with the edge.
TaskTimes behind_message(const Machine& machine, std::int64_t bytes) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task("a", {.cost = {.time = Duration{10}}});
  const TaskId b = builder.add_task("b", {.cost = {.time = Duration{10}}});
  builder.add_edge(a, b, Bytes{bytes});
  return run(std::move(builder).build(), machine, notified(Notification::kMessage)).tasks[1];
}

TEST(StaticQueuesMessages, AreSeenSoonerThanFlagsWhereTheyHaveTheResult) {
  Machine machine = plain_machine(2);
  machine.resident_cores->counter_hop = Nanoseconds{40};
  machine.resident_cores->flag_gain = Nanoseconds{5};
  machine.resident_cores->release = Nanoseconds{20};
  EXPECT_EQ(to_ns(behind_message(machine, 0).received), 65) << "the machine does not say that they are";
  machine.resident_cores->message_gain = Nanoseconds{15};
  EXPECT_EQ(to_ns(behind_message(machine, 0).received), 50) << "off the release";
  machine.resident_cores->message_gain = Nanoseconds{30};
  EXPECT_EQ(to_ns(behind_message(machine, 0).received), 35) << "and then off the hop";
  machine.resident_cores->message_gain = Nanoseconds{200};
  EXPECT_EQ(to_ns(behind_message(machine, 0).received), 10) << "never before it is written";
}

TEST(StaticQueuesMessages, AreFlagsBehindAFenceWhereTheResultStaysInMemory) {
  Machine machine = plain_machine(2);
  machine.resident_cores->release = Nanoseconds{20};
  machine.resident_cores->message_gain = Nanoseconds{20};
  EXPECT_EQ(to_ns(behind_message(machine, 384).received), 10);
  EXPECT_EQ(to_ns(behind_message(machine, 385).received), 30);
}

TEST(StaticQueuesMessages, ArePiecesOfTwelveBytesThirtyTwoOfWhichAreReadAtOnce) {
  Machine machine = plain_machine(3);
  machine.memory->read_latency = Nanoseconds{5};  // of which a look takes two
  const auto received = [&](std::int64_t bytes) {
    TaskGraphBuilder builder;
    for (const char* const name : {"a", "b", "c"}) builder.add_task(name, {.cost = {.time = Duration{1}}});
    for (const std::size_t before : {0u, 1u}) builder.add_edge(task_id(before), task_id(2), Bytes{bytes});
    return to_ns(run(std::move(builder).build(), machine, notified(Notification::kMessage)).tasks[2].received);
  };
  EXPECT_EQ(received(0), 10);
  EXPECT_EQ(received(192), 10);  // twice 16 pieces
  EXPECT_EQ(received(193), 20);
}

TEST(StaticQueuesFlags, AreReadThirtyTwoAtOnce) {
  Machine machine = plain_machine(41);
  machine.memory->read_latency = Nanoseconds{5};
  machine.resident_cores->counter_hop = Nanoseconds{4};
  const auto received = [&](std::int64_t first) {
    TaskGraphBuilder builder;
    for (int i = 0; i < 40; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{i == 0 ? first : 1}}});
    const TaskId last = builder.add_task("last", {.cost = {.time = Duration{10}}});
    for (int i = 0; i < 40; ++i) builder.add_edge(task_id(static_cast<std::size_t>(i)), last);
    return to_ns(run(std::move(builder).build(), machine, notified(Notification::kFlag)).tasks[40].received);
  };
  EXPECT_EQ(received(1), 20);
  EXPECT_EQ(received(6), 20);   // the first 32 have been seen at 10
  EXPECT_EQ(received(30), 44);  // 34, and then the other eight
}

TEST(StaticQueuesSemaphores, AreSeenAHopAfterTheLastPredecessor) {
  EXPECT_EQ(to_ns(received_after(Notification::kSemaphore, 12, 12)), 18);
  EXPECT_EQ(to_ns(received_after(Notification::kSemaphore, 40, 12)), 46);
}

TEST(StaticQueuesSemaphores, EntryIsReadAllTheSame) {
  Machine machine = plain_machine(1);
  machine.resident_cores->list_read = Nanoseconds{10};
  machine.resident_cores->counter_hop = Nanoseconds{6};
  const Timeline timeline = run(small_graph({{"a", 5}, {"b", 5}}, {{0, 1}}), machine, notified(Notification::kSemaphore));
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 15);
  EXPECT_EQ(to_ns(timeline.tasks[1].received), 25);  // 15 + 10 > 15 + 6
}

TEST(StaticQueuesNotification, OneFlagOrSemaphoreIsWrittenHoweverManyWait) {
  Machine machine = plain_machine(1);
  machine.resident_cores->release = Nanoseconds{4};
  machine.memory->read_latency = Nanoseconds{2};
  const TaskGraph graph = star(200);
  const auto published = [&](Notification notification) { return to_ns(run(graph, machine, notified(notification)).tasks[0].published); };
  EXPECT_EQ(published(Notification::kCounter), 14 + 3 * 2);
  EXPECT_EQ(published(Notification::kFlag), 14);
  EXPECT_EQ(published(Notification::kSemaphore), 14);
}

/// a, b, c and d in one list: b waits for a, and d for c and for e, which is on another core and waits for a.
Timeline of_one_list(OwnList own_list, Notification notification) {
  Machine machine = plain_machine(2);
  machine.resident_cores->list_read = Nanoseconds{3};
  machine.memory->read_latency = Nanoseconds{5};  // of which a look takes two
  machine.resident_cores->counter_hop = Nanoseconds{4};
  machine.resident_cores->release = Nanoseconds{7};
  Design design = notified(notification);
  design.placement = Placement::kReplay;
  design.replay = "lists";
  design.own_list = own_list;
  Timeline replayed;
  for (const auto& [core, started] : {std::pair{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 1}}) {
    replayed.tasks.emplace_back();
    replayed.tasks.back().core = core_id(static_cast<std::size_t>(core));
    replayed.tasks.back().started = at_ns(started);
  }
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}, {"c", 10}, {"d", 10}, {"e", 40}}, {{0, 1}, {0, 4}, {2, 3}, {4, 3}});
  return simulate(graph, machine, design, {.replayed = &replayed}).timeline;
}

TEST(StaticQueuesOwnList, OrderStandsForEdgesOfOneList) {
  for (const Notification notification : {Notification::kCounter, Notification::kFlag, Notification::kSemaphore}) {
    const Timeline order = of_one_list(OwnList::kOrder, notification);
    EXPECT_EQ(times(order, &TaskTimes::published), (std::vector<std::int64_t>{20, 33, 46, 85, 71})) << to_word(notification);
    EXPECT_EQ(times(order, &TaskTimes::ready), (std::vector<std::int64_t>{0, 20, 0, 71, 20}));
    EXPECT_EQ(to_ns(order.tasks[1].received), 23);  // the entry alone
    EXPECT_EQ(to_ns(order.tasks[3].received), 75);  // e, a hop later
  }
}

TEST(StaticQueuesOwnList, SignalsAreGivenAndAwaitedInOneListToo) {
  const Timeline counters = of_one_list(OwnList::kSignal, Notification::kCounter);
  EXPECT_EQ(to_ns(counters.tasks[1].received), 33);  // the entry and a look
  EXPECT_EQ(to_ns(counters.tasks[2].published), 63);
  EXPECT_EQ(to_ns(counters.tasks[3].published), 86);
}

TEST(StaticQueuesBackoff, WhoHasToWaitNoticesLateByADrawUpToIt) {
  Machine machine = plain_machine(2);
  machine.resident_cores->counter_hop = Nanoseconds{5};
  const TaskGraph graph = small_graph({{"a", 30}, {"b", 10}}, {{0, 1}});
  Design design = notified(Notification::kCounter);
  design.backoff_ns = 3;
  std::set<std::int64_t> received;
  for (std::uint64_t seed = 0; seed < 100; ++seed) received.insert(to_ns(run(graph, machine, design, seed).tasks[1].received));
  EXPECT_EQ(received, (std::set<std::int64_t>{35, 36, 37, 38}));
}

TEST(StaticQueuesBackoff, WhoFindsItDoneIsNotLate) {
  Machine machine = plain_machine(2);
  machine.resident_cores->counter_hop = Nanoseconds{5};
  machine.resident_cores->list_read = Nanoseconds{20}, machine.memory->read_latency = Nanoseconds{10};
  Design design = notified(Notification::kCounter);
  design.backoff_ns = 1000;
  const auto received = [&](std::int64_t a, std::uint64_t seed) {
    return to_ns(run(small_graph({{"a", a}, {"b", 10}}, {{0, 1}}), machine, design, seed).tasks[1].received);
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(received(15, seed), 40);  // a is published at 35, seen at 40
  int late = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) late += received(16, seed) > 41 ? 1 : 0;
  EXPECT_GT(late, 15);
}

TEST(StaticQueuesPlacement, EveryFrozenPlacementIsFollowed) {
  const TaskGraph graph = small_graph({{"a", 30}, {"b", 10}, {"c", 20}, {"d", 25}, {"e", 5}}, {{0, 2}, {0, 3}, {1, 3}, {2, 4}, {3, 4}});
  Machine machine = plain_machine(2);
  machine.resident_cores->counter_hop = Nanoseconds{8};
  Timeline replayed;
  replayed.tasks.resize(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    replayed.tasks[i].core = core_id(i % 2);
    replayed.tasks[i].started = at_ns(static_cast<std::int64_t>(10 * i));
  }
  for (const auto& [placement, word] : Words<Placement>::entries) {
    if (!is_static(placement)) continue;
    Design design = with_depth("static-queues", 2);
    design.placement = placement;
    if (placement == Placement::kReplay) design.replay = "drawn";
    const FrozenSchedule lists = frozen_schedule(graph, machine, design, &replayed);
    const Timeline timeline = simulate(graph, machine, design, {.replayed = &replayed}).timeline;
    for (std::size_t core = 0; core < lists.size(); ++core) {
      for (std::size_t k = 0; k < lists[core].size(); ++k) {
        const TaskTimes& times = timeline.tasks[index(lists[core][k])];
        EXPECT_EQ(times.core, core_id(core)) << word;
        if (k > 0) {
          EXPECT_GE(times.started, timeline.tasks[index(lists[core][k - 1])].ended) << word;
        }
      }
    }
    if (placement != Placement::kReplay) continue;
    for (std::size_t i = 0; i < graph.size(); ++i) EXPECT_EQ(timeline.tasks[i].core, core_id(i % 2));
  }
}

TEST(StaticQueuesOrchestrated, TaskWaitsUntilItIsKnownAsForOneMorePredecessor) {
  Machine machine = plain_machine(2);
  machine.device_control->submit = Nanoseconds{20};
  machine.resident_cores->list_read = Nanoseconds{3}, machine.memory->read_latency = Nanoseconds{1.5};
  machine.resident_cores->counter_hop = Nanoseconds{5};
  const TaskGraph graph = small_graph({{"a", 4}, {"b", 10}}, {{0, 1}});
  Design design = notified(Notification::kCounter);
  design.graph_build = GraphBuild::kDevice;
  Timeline timeline = run(graph, machine, design);
  EXPECT_EQ(to_ns(timeline.tasks[0].ready), 20);
  EXPECT_EQ(to_ns(timeline.tasks[0].received), 25);
  EXPECT_EQ(to_ns(timeline.tasks[0].published), 29);
  EXPECT_EQ(to_ns(timeline.tasks[1].ready), 40);  // known after its predecessor is done
  EXPECT_EQ(to_ns(timeline.tasks[1].received), 45);
  ASSERT_EQ(timeline.roles, std::vector<ControlRole>{ControlRole::kOrchestrator});
  EXPECT_EQ(timeline.dispatchers[0], (std::vector<Span>{{at_ns(0), at_ns(40)}}));

  design.notification = Notification::kFlag;
  timeline = run(graph, machine, design);
  EXPECT_EQ(to_ns(timeline.tasks[0].received), 25);
  EXPECT_EQ(to_ns(timeline.tasks[1].received), 48);  // its own flag at 45, then a's
}

TEST(StaticQueuesOrchestrated, WindowHoldsTheNextTaskUntilOneIsRetired) {
  Machine machine = plain_machine(1);
  machine.device_control->submit = Nanoseconds{1};
  machine.device_control->hop = Nanoseconds{6};
  const TaskGraph graph = small_graph({{"a", 50}, {"b", 50}});
  Design design = notified(Notification::kCounter);
  design.graph_build = GraphBuild::kDevice;
  EXPECT_EQ(to_ns(run(graph, machine, design).tasks[1].ready), 2);
  design.window = 1;
  EXPECT_EQ(to_ns(run(graph, machine, design).tasks[1].ready), 51 + 6 + 1);
}

TEST(StaticQueuesOrchestrated, WindowTooSmallForTheListsIsRefusedWithTheSmallestThatWorks) {
  // Worker 0 has c before a, in which order a timeline had them: a window of 2 submits a and b, and a waits behind c for ever.
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 10}, {"c", 10}});
  Timeline replayed;
  replayed.tasks.resize(3);
  for (std::size_t i = 0; i < 3; ++i) replayed.tasks[i].core = core_id(i % 2);
  replayed.tasks[0].started = at_ns(10);
  replayed.tasks[1].started = replayed.tasks[2].started = at_ns(0);
  Design design = notified(Notification::kCounter);
  design.placement = Placement::kReplay;
  design.replay = "drawn";
  design.graph_build = GraphBuild::kDevice;
  design.window = 2;
  EXPECT_THAT([&] { simulate(graph, plain_machine(2), design, {.replayed = &replayed}); },
              testing::ThrowsMessage<RunError>(testing::AllOf(testing::HasSubstr("'c' waits to be submitted until 'a' is retired"),
                                                              testing::HasSubstr("smallest window that works is 3"))));
  design.window = 3;
  EXPECT_EQ(simulate(graph, plain_machine(2), design, {.replayed = &replayed}).timeline.makespan(), Duration{20});
}

TEST(StaticQueues, ReadFasterWhereFewAreInAMemoryQueue) {
  Machine machine = plain_machine(4);
  machine.compute_cores.front().memory_queues = {3, 3, 3, 8};
  machine.memory->bandwidth = machine.memory->core_bandwidth = machine.memory->queue_bandwidth = 10;
  Design design = with_depth("static-queues", 1);
  design.placement = Placement::kRoundRobin;
  const TaskGraph readers = small_graph({{"a", 0, 1000}, {"b", 0, 1000}, {"c", 0, 1000}, {"d", 0, 1000}});
  // Each queue has 5 of the 10; then the three that are left have all of it, for the 667 that each is still to read.
  const Timeline timeline = run(readers, machine, design);
  EXPECT_EQ(to_ns(timeline.tasks[3].ended), 200);
  for (const std::size_t behind : {0, 1, 2}) EXPECT_EQ(to_ns(timeline.tasks[behind].ended), 400);
  // Where blocks of kernels stand the queues do not tell.
  EXPECT_EQ(to_ns(run(readers, machine, named_design("cuda-streams")).tasks[3].ended), 400);
}

}  // namespace
}  // namespace tasktwin::sim
