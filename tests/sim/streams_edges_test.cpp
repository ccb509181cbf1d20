// The edges of time of cuda-streams: a kernel starts at the latest of three moments.
#include <gtest/gtest.h>

#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

Timeline run(const TaskGraph& graph, const Machine& machine, int streams) {
  Design design = named_design("cuda-streams");
  design.streams = streams;
  return simulate(graph, machine, design).timeline;
}

Machine launching_machine(int cores) {
  Machine machine = plain_machine(cores);
  machine.constants.launch = Nanoseconds{10};
  machine.constants.launch_latency = Nanoseconds{25};
  return machine;
}

TEST(CudaStreamsEdges, KernelStartsAtTheLaterOfItsLaunchAndTheKernelBeforeIt) {
  Machine machine = launching_machine(2);
  // b's launch call begins at 10: 35 at the earliest. a runs from 25 to 31.
  const TaskGraph graph = small_graph({{"a", 6}, {"b", 5}});
  for (const auto& [gap, started] : {std::pair{3, 35}, std::pair{4, 35}, std::pair{5, 36}}) {
    machine.constants.stream_gap = Nanoseconds{static_cast<double>(gap)};
    EXPECT_EQ(to_ns(run(graph, machine, 1).tasks[1].started), started);
  }
}

TEST(CudaStreamsEdges, KernelStartsAnEventGapAfterTheLastItWaitsFor) {
  Machine machine = launching_machine(2);
  machine.constants.event_record = Nanoseconds{2};
  machine.constants.stream_wait = Nanoseconds{3};
  // a: launch 0 to 10, record to 12, runs 25 to 37. b: wait to 15, launch 15 to 25, so not before 40.
  const TaskGraph graph = small_graph({{"a", 12}, {"b", 5}}, {{0, 1}});
  for (const auto& [gap, started] : {std::pair{2, 40}, std::pair{3, 40}, std::pair{4, 41}}) {
    machine.constants.event_gap = Nanoseconds{static_cast<double>(gap)};
    const Timeline timeline = run(graph, machine, 2);
    EXPECT_EQ(to_ns(timeline.tasks[1].started), started);
    EXPECT_EQ(to_ns(timeline.tasks[1].ready), 37);
    EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 25);
    EXPECT_EQ(timeline.dispatchers[0], (std::vector<Span>{{at_ns(0), at_ns(25)}}));
    EXPECT_FALSE(is_present(timeline.tasks[1].received));
    EXPECT_FALSE(is_present(timeline.tasks[1].published));
  }
}

TEST(CudaStreamsEdges, OneWaitForEachStreamThatHoldsAPredecessor) {
  Machine machine = launching_machine(8);
  machine.constants.stream_wait = Nanoseconds{100};
  // Streams 0, 1, 2, 0, 1, 2. The last task, in stream 2, waits for tasks 0 and 3 of stream 0, 1 of stream 1, and 2 of its own.
  const TaskGraph graph = small_graph({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"f", 1}}, {{0, 5}, {3, 5}, {1, 5}, {2, 5}});
  EXPECT_EQ(to_ns(run(graph, machine, 3).tasks[5].dispatched), 5 * 10 + 2 * 100 + 10);
}

TEST(CudaStreamsEdges, EventIsRecordedOnlyForASuccessorInAnotherStream) {
  Machine machine = launching_machine(8);
  machine.constants.event_record = Nanoseconds{100};
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

}  // namespace
}  // namespace tasktwin::sim
