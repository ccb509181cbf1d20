// Captured programs whose calls have the times of a run without device records.
#include <stdexcept>

#include <gmock/gmock.h>

#include "scenarios/scenario_writer/import_scenario.hpp"
#include "tests/scenarios/imports/kineto_text.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const SlowedRun& slowed(const Imported& run) {
  if (!run.slowed) throw std::logic_error("the run was not slowed down");
  return *run.slowed;
}

/// A graph of two nodes of 20 µs in 50, and a wait for it: 90 µs in all. Without device records the wait takes `wait`.
Imported graph_waited_for(const std::string& wait) {
  KinetoText text;
  text.call("cudaGraphLaunch", 1, 100, 10, 1, ",\"undisturbed\":[3,10]").kernel("a", 1, 7, 120, 20).kernel("b", 1, 7, 150, 20);
  text.call("cudaDeviceSynchronize", 2, 115, 75, 1, ",\"undisturbed\":[5," + wait + "]");
  return imported(text.text());
}

TEST(UndisturbedTimes, NodesOfAGraphAreShorterByWhatTheirRecordsMadeTheHostWait) {
  const Imported run = graph_waited_for("50");  // 65 in all: of the nodes' 50 there are 25 left
  EXPECT_EQ(to_ns(run.graph[task_id(0)].cost.time), 10'000);
  EXPECT_EQ(to_ns(run.graph[task_id(1)].cost.time), 10'000);
  EXPECT_EQ(to_ns(slowed(run).graph[task_id(0)].cost.time), 20'000);
  EXPECT_EQ(to_ns(run.captured.tasks[1].ended), 70'000);
  const ReplayedRun replayed = replayed_run(run, "nvidia-h200");
  EXPECT_EQ(replayed.graph, &slowed(run).graph);
}

TEST(UndisturbedTimes, NodesOfAGraphStayAsTheyAreWhereTheRunWithoutRecordsTookAsLong) {
  EXPECT_EQ(to_ns(graph_waited_for("80").graph[task_id(0)].cost.time), 20'000);
}

/// Copies of 100 µs there and back, one behind the other, and a wait for both: 195 µs. Without device records the wait takes `wait`.
Imported copies_waited_for(const std::string& wait, int second_stream) {
  KinetoText text;
  text.call("cudaMemcpyAsync", 1, 0, 5, 1, ",\"undisturbed\":[0,5]").copy("Memcpy HtoD (Pinned -> Device)", 1, 7, 10, 100);
  text.call("cudaMemcpyAsync", 2, 10, 5, 1, ",\"undisturbed\":[5,5]").copy("Memcpy DtoH (Device -> Pinned)", 2, second_stream, 110, 100);
  text.call("cudaDeviceSynchronize", 3, 20, 195, 1, ",\"undisturbed\":[5," + wait + "]");
  return imported(text.text());
}

TEST(UndisturbedTimes, CopiesOfSeveralStreamsAreShorterByWhatTheHostWaitedLongerWithRecords) {
  const Imported run = copies_waited_for("95", 13);  // 100 less, of the 200 in which some copy was under way
  EXPECT_EQ(to_ns(run.graph[task_id(0)].cost.time), 50'000);
  EXPECT_EQ(to_ns(run.graph[task_id(1)].cost.time), 50'000);
  EXPECT_THAT(run.remarks, Contains(HasSubstr("the scenario has them 50 % shorter than captured")));
  EXPECT_EQ(to_ns(slowed(run).graph[task_id(0)].cost.time), 100'000);
}

TEST(UndisturbedTimes, CopiesStayAsTheyAreInOneStreamOrWhereTheHostWaitedAsLongOrDidNotWait) {
  for (const Imported& run : {copies_waited_for("95", 7), copies_waited_for("190", 13), copies_waited_for("1", 13)}) {
    EXPECT_EQ(to_ns(run.graph[task_id(0)].cost.time), 100'000);
    EXPECT_THAT(run.remarks, Not(Contains(HasSubstr("shorter than captured"))));
  }
}

}  // namespace
}  // namespace tasktwin::scenarios
