// Kernels that come onto the device while the one before them runs: when, into which room, and when they begin. Worked out by hand: a
// kernel comes 30 - 10 after the trigger of the one before it, and begins at the latest of 10 after that one's end, 30 after its trigger,
// and room.
#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

Machine early_machine(int cores) {
  Machine machine = plain_machine(cores);
  machine.streams->gap = machine.graph_launch->gap = Nanoseconds{30};
  machine.streams->programmatic_gap = Nanoseconds{10};
  return machine;
}

Design early(ProgrammaticTrigger trigger, const char* named = "cuda-streams") {
  Design design = named_design(named);
  if (design.driver == Driver::kStreams) design.stream_granularity = StreamGranularity::kHinted;
  design.programmatic_launch = ProgrammaticLaunch::kOn;
  design.programmatic_trigger = trigger;
  return design;
}

struct Kernel {
  std::int64_t time;
  int blocks = 1;
  int stream = 0;
};

TaskGraph graph_of(const std::vector<Kernel>& kernels, const std::vector<std::pair<int, int>>& edges = {}) {
  TaskGraphBuilder builder;
  for (const Kernel& kernel : kernels) {
    Task task{.cost = {.time = Duration{kernel.time}}};
    task.traits = builder.add_traits({.blocks = kernel.blocks, .stream = kernel.stream});
    builder.add_task("k" + std::to_string(builder.size()), task);
  }
  for (const auto& [from, to] : edges) builder.add_edge(task_id(static_cast<std::size_t>(from)), task_id(static_cast<std::size_t>(to)));
  return std::move(builder).build();
}

std::int64_t start_of(std::size_t kernel, const TaskGraph& graph, const Machine& machine, const Design& design) {
  const Timeline timeline = simulate(graph, machine, design).timeline;
  const TaskTimes& times = timeline.tasks[kernel];
  EXPECT_LE(times.received, times.started);
  return to_ns(times.started);
}

/// As GPUs were seen to do (docs/folklore.md).
TEST(ProgrammaticTrigger, DoesNotDecideWhenTheNextGoesOn) {
  for (const auto& [trigger, word] : Words<ProgrammaticTrigger>::entries) {
    EXPECT_EQ(start_of(1, graph_of({{100}, {50}}), early_machine(2), early(trigger)), 110) << word;
    EXPECT_EQ(start_of(1, graph_of({{5}, {50}}), early_machine(2), early(trigger)), 15) << word;
    EXPECT_EQ(start_of(1, graph_of({{100, 3}, {50}}), early_machine(2), early(trigger)), 210) << word;
  }
  Design ordinary = early(ProgrammaticTrigger::kBegin);
  ordinary.programmatic_launch = ProgrammaticLaunch::kOff;
  EXPECT_EQ(start_of(1, graph_of({{100}, {50}}), early_machine(2), ordinary), 130);
}

/// Three blocks of 100 on two cores, at 0, 0 and 100; launched behind them in another stream a kernel of 70, which wants the core that is
/// free from 100 on, comes at 120. The last block has done a quarter at 125, and begins at 100.
TEST(ProgrammaticTrigger, IsThatOfTheLastBlock) {
  Machine machine = early_machine(2);
  machine.host_calls->launch = Nanoseconds{60};
  const TaskGraph graph = graph_of({{100, 3}, {50}, {70, 1, 1}});
  EXPECT_EQ(start_of(2, graph, machine, early(ProgrammaticTrigger::kBegin)), 200) << "the waiting kernel came at 100";
  EXPECT_EQ(start_of(2, graph, machine, early(ProgrammaticTrigger::kQuarter)), 120) << "and at 125";
}

TEST(ProgrammaticRoom, OfTheFirstKernelIsTakenAsItEnds) {
  EXPECT_EQ(start_of(1, graph_of({{100}, {50}}), early_machine(1), early(ProgrammaticTrigger::kBegin)), 110);
}

/// The only core is the first kernel's until 100. Launches take the host 25: the second comes at 25, a third in another stream at 50.
TEST(ProgrammaticRoom, IsKeptFromOthersWhileAKernelWaits) {
  Machine machine = early_machine(1);
  machine.host_calls->launch = Nanoseconds{25};
  const TaskGraph graph = graph_of({{100}, {50}, {40, 1, 1}});
  // It stands first for the core, has it from 100 on, and begins at 110; the third has it at 160.
  EXPECT_EQ(start_of(1, graph, machine, early(ProgrammaticTrigger::kBegin)), 110);
  EXPECT_EQ(start_of(2, graph, machine, early(ProgrammaticTrigger::kBegin)), 160);
  // Behind an end it comes at 100, when the third has the core: until 140.
  EXPECT_EQ(start_of(2, graph, machine, early(ProgrammaticTrigger::kEnd)), 100);
  EXPECT_EQ(start_of(1, graph, machine, early(ProgrammaticTrigger::kEnd)), 140);
}

/// Of two blocks a core each the second kernel has room for one beside the first; the other comes as the first kernel ends.
TEST(ProgrammaticRoom, MayBeThereForSomeBlocks) {
  const TaskGraph graph = graph_of({{100}, {50, 2}});
  const Timeline timeline = simulate(graph, early_machine(2), early(ProgrammaticTrigger::kBegin)).timeline;
  EXPECT_EQ(to_ns(timeline.tasks[1].started), 110);
  EXPECT_EQ(to_ns(timeline.tasks[1].ended), 160);
}

TEST(ProgrammaticNodes, WaitForTheTriggersOfAllBeforeThem) {
  const TaskGraph graph = graph_of({{100}, {60}, {50, 2}}, {{0, 2}, {1, 2}});
  for (const auto& [trigger, word] : Words<ProgrammaticTrigger>::entries) {
    EXPECT_EQ(start_of(2, graph, early_machine(3), early(trigger, "cuda-graph")), 110) << word;
  }
}

/// A kernel without a body comes, begins and ends in one nanosecond, and with it the replay: its coming is not the next replay's. In
/// streams the first kernel of a replay begins 30 after the last of the one before.
TEST(ProgrammaticReplays, BeginWithNobodyOnTheDevice) {
  for (const char* named : {"cuda-streams", "cuda-graph"}) {
    for (const auto& [trigger, word] : Words<ProgrammaticTrigger>::entries) {
      Machine machine = early_machine(1);
      machine.streams->programmatic_gap = Nanoseconds{0};
      Design design = early(trigger, named);
      design.replays = 3;
      const TaskGraph graph = graph_of({{100}, {0}}, {{0, 1}});
      EXPECT_EQ(simulate(graph, machine, design).timeline.makespan(), Duration{design.driver == Driver::kStreams ? 360 : 300})
          << named << " " << word;
    }
  }
}

}  // namespace
}  // namespace tasktwin::sim
