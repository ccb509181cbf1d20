// Kernels that come onto the device while the one before them runs: when, into which room, and when they begin. Worked out by hand: a
// kernel comes 30 - 10 after the trigger of the one before it, and begins at the latest of 10 after that one's end, 30 after its trigger,
// and room.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
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
  std::int64_t prologue = 0;
  std::int64_t prologue_bytes = 0;
};

TaskGraph graph_of(const std::vector<Kernel>& kernels, const std::vector<std::pair<int, int>>& edges = {}) {
  TaskGraphBuilder builder;
  for (const Kernel& kernel : kernels) {
    Task task{.cost = {.time = Duration{kernel.time}}};
    task.traits = builder.add_traits(
        {.blocks = kernel.blocks, .stream = kernel.stream, .prologue = Duration{kernel.prologue}, .prologue_bytes = kernel.prologue_bytes});
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

std::int64_t end_of(const TaskGraph& graph, const Machine& machine, const Design& design) {
  return to_ns(Duration{simulate(graph, machine, design).timeline.makespan()});
}

Design plainly(const char* named) {
  Design design = early(ProgrammaticTrigger::kBegin, named);
  design.programmatic_launch = ProgrammaticLaunch::kOff;
  return design;
}

/// The second kernel, of 50, has work of 40 that needs nothing of the first one's, of 100: it has room from the trigger at 0 on, does that
/// from 10 to 50, and begins its body 10 after the end as one without.
TEST(Prologue, OverlapsThePredecessorWhereThereIsRoom) {
  for (const char* named : {"cuda-streams", "cuda-graph"}) {
    const TaskGraph graph = graph_of({{100}, {50, 1, 0, 40}}, {{0, 1}});
    EXPECT_EQ(start_of(1, graph, early_machine(2), early(ProgrammaticTrigger::kBegin, named)), 110) << named;
    EXPECT_EQ(start_of(1, graph, early_machine(2), early(ProgrammaticTrigger::kThreeQuarters, named)), 75 + 10 + 40) << named;
    EXPECT_EQ(end_of(graph, early_machine(2), early(ProgrammaticTrigger::kBegin, named)), 160) << named;
  }
}

/// One of 89 ends at 99, of 90 at 100 and so on: the body waits for whichever is later.
TEST(Prologue, HoldsUpItsBodyWhereItIsLonger) {
  for (const std::int64_t prologue : {99, 100, 101, 250}) {
    EXPECT_EQ(start_of(1, graph_of({{100}, {50, 1, 0, prologue}}), early_machine(2), early(ProgrammaticTrigger::kBegin)),
              std::max<std::int64_t>(110, 10 + prologue));
  }
}

/// On one core it has room as the first kernel ends, at 100, and its body then could have begun at 110.
TEST(Prologue, RunsBeforeTheBodyWhereThereIsNoRoom) {
  for (const char* named : {"cuda-streams", "cuda-graph"}) {
    const TaskGraph graph = graph_of({{100}, {50, 1, 0, 40}}, {{0, 1}});
    EXPECT_EQ(start_of(1, graph, early_machine(1), early(ProgrammaticTrigger::kBegin, named)), 150) << named;
    EXPECT_EQ(start_of(1, graph, early_machine(2), early(ProgrammaticTrigger::kEnd, named)), 150) << "and where it comes at the end";
  }
}

/// Of two blocks the first has a core beside the predecessor, the second as that one ends.
TEST(Prologue, IsEachBlocksOwn) {
  const TaskGraph graph = graph_of({{100}, {50, 2, 0, 40}});
  const Timeline timeline = simulate(graph, early_machine(2), early(ProgrammaticTrigger::kBegin)).timeline;
  EXPECT_EQ(to_ns(timeline.tasks[1].started), 110);
  EXPECT_EQ(to_ns(timeline.tasks[1].ended), 200);
}

TEST(Prologue, BeginsAsFarBehindTheTriggerAsTheMachineSays) {
  Machine machine = early_machine(2);
  machine.streams->trigger_latency = Nanoseconds{70};
  EXPECT_EQ(start_of(1, graph_of({{100}, {50, 1, 0, 40}}), machine, early(ProgrammaticTrigger::kBegin)), 110);
  EXPECT_EQ(start_of(1, graph_of({{100}, {50, 1, 0, 41}}), machine, early(ProgrammaticTrigger::kBegin)), 111);
  EXPECT_EQ(start_of(1, graph_of({{100}, {50, 1, 0, 40}}), machine, early(ProgrammaticTrigger::kHalf)), 150)
      << "not later than where it waits for nothing";
}

TEST(Prologue, IsPartOfTheBodyWithoutProgrammaticLaunch) {
  for (const char* named : {"cuda-streams", "cuda-graph"}) {
    const TaskGraph graph = graph_of({{100, 1, 0, 7}, {50, 1, 0, 40}}, {{0, 1}});
    EXPECT_EQ(start_of(0, graph, early_machine(2), plainly(named)), 0) << named;
    EXPECT_EQ(start_of(1, graph, early_machine(2), plainly(named)), 137) << named;
    EXPECT_EQ(end_of(graph, early_machine(2), plainly(named)), 227) << named;
  }
}

/// A block reads 10 bytes a nanosecond: its prologue takes 60 in place of 40.
TEST(Prologue, MayReadMemory) {
  Machine machine = early_machine(2);
  machine.memory->bandwidth = 20;
  machine.memory->core_bandwidth = 10;
  const TaskGraph graph = graph_of({{100}, {50, 1, 0, 40, 600}});
  EXPECT_EQ(end_of(graph, machine, plainly("cuda-streams")), 130 + 60 + 50);
  EXPECT_EQ(start_of(1, graph, machine, early(ProgrammaticTrigger::kThreeQuarters)), 75 + 10 + 60);
  EXPECT_EQ(start_of(1, graph, machine, early(ProgrammaticTrigger::kBegin)), 110);
}

TEST(Prologue, IsDoneInEachReplay) {
  for (const char* named : {"cuda-streams", "cuda-graph"}) {
    Design design = early(ProgrammaticTrigger::kBegin, named);
    const TaskGraph graph = graph_of({{100}, {50, 1, 0, 40}}, {{0, 1}});
    const std::int64_t one = end_of(graph, early_machine(1), design);
    design.replays = 3;
    EXPECT_EQ(end_of(graph, early_machine(1), design), 3 * one + (design.driver == Driver::kStreams ? 60 : 0)) << named;
  }
}

/// A worker that waits for another's task does what needs no predecessor meanwhile.
TEST(Prologue, IsDoneByWorkersAsTheyWait) {
  const TaskGraph graph = graph_of({{100}, {50, 1, 0, 40}}, {{0, 1}});
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;
  EXPECT_EQ(end_of(graph, plain_machine(2), design), 190);
  design.prologues = Prologues::kAhead;
  EXPECT_EQ(end_of(graph, plain_machine(2), design), 150);
  EXPECT_EQ(end_of(graph_of({{100}, {50, 1, 0, 130}}, {{0, 1}}), plain_machine(2), design), 180);
  EXPECT_EQ(end_of(graph, plain_machine(1), design), 190) << "whoever does not wait does it in line";
}

TEST(Prologue, IsRefusedWhereADesignReadsNothingBeforeBodies) {
  const TaskGraph graph = graph_of({{100}, {50, 1, 0, 0, 600}}, {{0, 1}});
  Machine machine = plain_machine(2);
  machine.memory->bandwidth = machine.memory->core_bandwidth = 10;
  try {
    simulate(graph, machine, named_design("static-queues"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("task 'k1' has prologue_bytes"));
  }
}

/// The device brings a block each 5: four of 20 on as many cores begin at 0, 5, 10 and 15; of eight the fifth finds room at 20.
TEST(LaunchedBlocks, ComeOneByOne) {
  Machine machine = plain_machine(4);
  machine.launched_kernels->per_block = Nanoseconds{5};
  EXPECT_EQ(end_of(graph_of({{20, 4}}), machine, plainly("cuda-streams")), 35);
  EXPECT_EQ(end_of(graph_of({{20, 8}}), machine, plainly("cuda-streams")), 55);
  EXPECT_EQ(end_of(graph_of({{0, 1000}}), machine, plainly("cuda-graph")), 4995);
}

}  // namespace
}  // namespace tasktwin::sim
