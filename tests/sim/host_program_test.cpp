// Programs that were captured, made again: each number is what a hand with a pencil finds.
#include <map>

#include <gmock/gmock.h>

#include "models/base/error.hpp"
#include "models/explain/observed_path.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/models/host_programs.hpp"
#include "tests/sim/operation_programs.hpp"

namespace tasktwin::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = HostCallKind;
using Program = HostProgramBuilder;

/// Kernels of these times, each of a whole core, in these streams.
TaskGraph kernels(const std::vector<std::pair<int, int>>& times_and_streams) {
  OperationGraph graph;
  for (const auto& [time, stream] : times_and_streams) graph.kernel(stream, time);
  return graph.build();
}

Machine machine_with(double latency) {
  Machine machine = plain_machine(4);
  machine.streams->launch_latency = Nanoseconds{latency};
  return machine;
}

std::vector<std::int64_t> starts(const TaskGraph& graph, const Machine& machine, const Design& design, const HostProgram& program) {
  std::vector<std::int64_t> starts;
  for (const TaskTimes& times : simulate(graph, machine, design, {.program = &program}).timeline.tasks)
    starts.push_back(to_ns(times.started));
  return starts;
}

TEST(HostProgram, OwnTimeAndCallsPassBeforeEachLaunch) {
  Program program(1);
  program.launch(0, 0, 100, 10).launch(1, 0, 200, 10);
  // Calls begin at 100 and at 310; a kernel comes 5 later.
  EXPECT_THAT(starts(kernels({{20, 0}, {20, 0}}), machine_with(5), as_captured(1), program.build()), ElementsAre(105, 315));
}

TEST(HostProgram, StreamWaitsForARecordAndTheHostGoesOn) {
  Program program(2);
  program.launch(0, 0, 0, 10);
  const std::uint32_t record = program.record(0);
  program.launch(1, 0, 0, 10).call({.kind = Kind::kWait, .stream = 1, .record = record}, 0, 1).launch(2, 1, 0, 10);
  // The record is behind the first kernel, which ends at 100, and before the second, which ends at 200.
  EXPECT_THAT(starts(kernels({{100, 0}, {100, 0}, {50, 1}}), machine_with(0), as_captured(2), program.build()), ElementsAre(0, 100, 100));
}

TEST(HostProgram, WaitForARecordThatIsNotKnownWaitsForNothing) {
  Program program(2);
  program.launch(0, 0, 0, 10).call({.kind = Kind::kWait, .stream = 1}, 0, 1).launch(1, 1, 0, 10);
  EXPECT_THAT(starts(kernels({{100, 0}, {50, 1}}), machine_with(0), as_captured(2), program.build()), ElementsAre(0, 11));
}

TEST(HostProgram, SynchronisationsReturnAfterWhatTheyWaitFor) {
  for (const auto& [kind, after] : {std::pair{Kind::kStreamSync, 105}, {Kind::kDeviceSync, 305}, {Kind::kEventSync, 105}}) {
    Program program(2);
    program.launch(0, 0, 0, 0);
    const std::uint32_t record = program.record(0);
    program.launch(1, 1, 0, 0).call({.kind = kind, .stream = 0, .record = record}, 0, 5).launch(2, 0, 0, 0);
    EXPECT_EQ(starts(kernels({{100, 0}, {299, 1}, {1, 0}}), machine_with(0), as_captured(2), program.build())[2], after);
  }
}

TEST(HostProgram, SynchronisationWithNothingToWaitForTakesItsOwnTime) {
  Program program(1);
  program.launch(0, 0, 0, 0).call({.kind = Kind::kDeviceSync}, 500, 5).launch(1, 0, 0, 0);
  EXPECT_THAT(starts(kernels({{100, 0}, {1, 0}}), machine_with(0), as_captured(1), program.build()), ElementsAre(0, 505));
}

TEST(HostProgram, BlockingCopyKeepsItsThreadUntilItHasEnded) {
  OperationGraph graph;
  graph.kernel(0, 100);
  graph.transfer(Operation::kCopyD2h, 0, 1000);
  graph.kernel(0, 1);
  Program program(1);
  program.launch(0, 0, 0, 0);
  program.call({.kind = Kind::kLaunch, .first = task_id(1), .tasks = 1, .blocks = true}, 0, 7).launch(2, 0, 0, 0);
  EXPECT_THAT(starts(graph.build(), copy_machine(), as_captured(1), program.build()), ElementsAre(0, 100, 207));
}

TEST(HostProgram, ThreadsRunSideBySide) {
  Program program(2);
  program.launch(0, 0, 100, 10, 0).launch(1, 1, 100, 10, 1).launch(2, 0, 100, 10, 0);
  EXPECT_THAT(starts(kernels({{1, 0}, {1, 1}, {1, 0}}), machine_with(0), as_captured(2), program.build()), ElementsAre(100, 100, 210));
}

TEST(HostProgram, SynchronisationsDoNotWaitForWhatAnotherThreadHasLaunchedAheadOfItsTurn) {
  for (const Kind kind : {Kind::kDeviceSync, Kind::kStreamSync}) {
    Program program(1);
    program.launch(0, 0, 0, 10, 0).call({.kind = kind, .stream = 0}, 100, 5).launch(1, 0, 0, 10, 0).launch(2, 0, 20, 10, 1);
    // The second thread launches at 20, long before its turn in the stream, which is behind what the first launches after its wait.
    EXPECT_THAT(starts(kernels({{200, 0}, {200, 0}, {200, 0}}), machine_with(0), as_captured(1), program.build()),
                ElementsAre(0, 205, 405));
  }
}

TEST(HostProgram, SynchronisationsWaitForWhatWasLaunchedBeforeThemThoughItsThreadIsLate) {
  for (const Kind kind : {Kind::kDeviceSync, Kind::kStreamSync}) {
    Program program(2);
    program.launch(0, 0, 500, 10, 0).call({.kind = kind, .stream = 0}, 100, 5, 1).launch(1, 1, 0, 10, 1);
    EXPECT_THAT(starts(kernels({{200, 0}, {200, 1}}), machine_with(0), as_captured(2), program.build()), ElementsAre(500, 705));
  }
}

TEST(HostProgram, EdgesThatNoCallStandsForAreKept) {
  TaskGraphBuilder builder;
  for (const int stream : {0, 1, 1}) {
    TaskTraits traits;
    traits.stream = stream;
    Task task{.cost = {.time = Duration{100}}};
    task.traits = builder.add_traits(traits);
    builder.add_task("k", task);
  }
  builder.add_edge(task_id(0), task_id(2));
  Program program(2);
  program.launch(0, 0, 0, 10).launch(1, 1, 0, 0).launch(2, 1, 0, 0);
  EXPECT_THAT(starts(std::move(builder).build(), machine_with(0), as_captured(2), program.build()), ElementsAre(0, 10, 110));
  TaskGraphBuilder apart;
  for (int i = 0; i < 2; ++i) {
    TaskTraits traits;
    traits.stream = i;
    Task task{.cost = {.time = Duration{100}}};
    task.traits = apart.add_traits(traits);
    apart.add_task("k", task);
  }
  apart.add_edge(task_id(0), task_id(1));
  Program several(2);
  several.launch(0, 0, 0, 10).launch(1, 1, 0, 0);
  EXPECT_THAT(starts(std::move(apart).build(), machine_with(0), as_captured(2), several.build()), ElementsAre(0, 100));
}

TEST(HostProgram, GraphIsLaunchedWholeAndItsNodesFollowEachOther) {
  Machine machine = machine_with(50);
  machine.graph_launch->latency = Nanoseconds{30};
  machine.graph_launch->gap = Nanoseconds{2};
  machine.streams->gap = Nanoseconds{9};
  Program program(1);
  program.call({.kind = Kind::kLaunch, .first = task_id(0), .tasks = 2, .graph = true}, 0, 10).launch(2, 0, 0, 10);
  EXPECT_THAT(starts(kernels({{100, 0}, {100, 0}, {1, 0}}), machine, as_captured(1), program.build()), ElementsAre(30, 132, 241));
}

TEST(HostProgram, OtherDesignsOfStreamsSpendOwnTimeAndLaunchesAndDropTheRest) {
  Machine machine = machine_with(0);
  machine.host_calls->launch = Nanoseconds{1000};
  Program program(2);
  program.launch(0, 0, 100, 10).call({.kind = Kind::kDeviceSync}, 30, 500).launch(1, 1, 200, 10);
  Design single = named_design("cuda-streams");
  single.stream_granularity = StreamGranularity::kSingle;
  EXPECT_THAT(starts(kernels({{1, 0}, {1, 1}}), machine, single, program.build()), ElementsAre(100, 340));
}

TEST(HostProgram, OwnTimeBeforeRecordsAndWaitsGoesWithThem) {
  Program program(2);
  program.launch(0, 0, 100, 10).call({.kind = Kind::kWait, .stream = 1}, 50, 5).launch(1, 1, 200, 10);
  EXPECT_EQ(host_shares(program.build(), 2)[1].own, Duration{200});
}

TEST(HostProgram, WorkOfTheHostBeforeARecordStays) {
  Program program(2);
  program.launch(0, 0, 100, 10).call({.kind = Kind::kRecord, .stream = 0}, 10'000'000, 5).launch(1, 1, 200, 10);
  EXPECT_EQ(host_shares(program.build(), 2)[1].own, Duration{10'000'200});
}

TEST(HostProgram, GraphOfAllTakesThePlaceOfTheHostsCalls) {
  Program program(1);
  program.launch(0, 0, 100, 10).launch(1, 0, 200, 10);
  EXPECT_THAT(starts(kernels({{1, 0}, {1, 0}}), machine_with(0), named_design("cuda-graph"), program.build()), ElementsAre(0, 0));
}

TEST(HostProgram, TransferThatStatesItsTimeTakesIt) {
  OperationGraph graph;
  graph.transfer(Operation::kCopyH2d, 0, 1000);
  TaskGraphBuilder builder;
  Task copy = graph.build()[task_id(0)];
  copy.cost.time = Duration{77};
  builder.add_task("copy", copy);
  const TaskGraph built = std::move(builder).build();
  Machine machine = copy_machine();
  machine.copies->setup = Nanoseconds{10};
  EXPECT_EQ(to_ns(simulate(built, machine, named_design("cuda-streams")).timeline.makespan()), 77);
}

/// A copy in and one out of `time` each, in streams of their own.
TaskGraph copies_both_ways(std::int64_t time) {
  TaskGraphBuilder builder;
  for (const auto& [operation, stream] : {std::pair{Operation::kCopyH2d, 0}, {Operation::kCopyD2h, 1}}) {
    TaskTraits traits;
    traits.stream = stream;
    Task copy;
    copy.operation = operation;
    copy.kernel = Kernel::kEmpty;
    copy.cost.time = Duration{time};
    copy.cost.bytes = {1};
    copy.traits = builder.add_traits(traits);
    builder.add_task(stream == 0 ? "in" : "out", copy);
  }
  return std::move(builder).build();
}

TEST(HostProgram, CapturedCopiesOfBothDirectionsSlowEachOtherDown) {
  Machine machine = copy_machine();
  machine.links->duplex_bandwidth = 15;
  machine.copies->setup = Nanoseconds{10};
  HostProgram program = Program(2).launch(0, 0, 0, 0).launch(1, 1, 0, 0).build();
  // Each has 7.5 of 10 bytes/ns beside the other.
  EXPECT_EQ(ends(simulate(copies_both_ways(300), machine, as_captured(2), {.program = &program}).timeline),
            (std::vector<std::int64_t>{400, 400}));
  // Captured beside each other, they took that long for it.
  program.beside = {1, 1};
  EXPECT_EQ(ends(simulate(copies_both_ways(400), machine, as_captured(2), {.program = &program}).timeline),
            (std::vector<std::int64_t>{400, 400}));
  Design single = named_design("cuda-streams");
  single.stream_granularity = StreamGranularity::kSingle;
  EXPECT_EQ(ends(simulate(copies_both_ways(400), machine, single, {.program = &program}).timeline), (std::vector<std::int64_t>{300, 600}));
}

TEST(HostProgram, NodeBehindAMemsetOfItsGraphWaitsForAnEngine) {
  TaskGraphBuilder builder;
  Task memset;
  memset.operation = Operation::kMemset;
  memset.kernel = Kernel::kEmpty;
  memset.cost.time = Duration{7};
  builder.add_task("memset", memset);
  for (const char* name : {"a", "b"}) builder.add_task(name, {.cost = {.time = Duration{100}}});
  builder.add_edge(task_id(0), task_id(1));
  builder.add_edge(task_id(1), task_id(2));
  Machine machine = copy_machine();
  machine.graph_launch->gap = Nanoseconds{2};
  machine.copies->engine_gap = Nanoseconds{50};
  EXPECT_EQ(ends(simulate(std::move(builder).build(), machine, named_design("cuda-graph")).timeline),
            (std::vector<std::int64_t>{7, 157, 259}));
}

TEST(HostProgram, HostTwiceAsSlowTakesTwiceAsLong) {
  Program program(1);
  program.launch(0, 0, 100, 10).launch(1, 0, 200, 10);
  const HostProgram slow = scaled(program.build(), 2);
  EXPECT_THAT(starts(kernels({{1, 0}, {1, 0}}), machine_with(0), as_captured(1), slow), ElementsAre(200, 620));
}

/// Two launches with a synchronisation between them: 100 before the first, 200 before the second, of which 150 in "malloc".
HostProgram with_names() {
  Program program(1);
  program.call({.kind = Kind::kLaunch, .first = task_id(0), .tasks = 1, .name = 2}, 100, 10)
      .call({.kind = Kind::kDeviceSync, .name = 1}, 0, 5)
      .call({.kind = Kind::kLaunch, .first = task_id(1), .tasks = 1, .name = 2, .within = {{3, Duration{150}}}}, 200, 10);
  HostProgram built = program.build();
  built.names = {"", "sync", "launch", "malloc"};
  return built;
}

TEST(HostProgram, TellsWhenItsThreadsWereInWhichCall) {
  const HostProgram program = with_names();
  const Timeline timeline = simulate(kernels({{20, 0}, {20, 0}}), machine_with(5), as_captured(1), {.program = &program}).timeline;
  const auto at = [](std::int64_t ns) { return TimePoint{Duration{ns}}; };
  EXPECT_THAT(timeline.host_steps,
              ElementsAre(HostStep{0, 0, at(0), at(100), at(100), at(110)}, HostStep{0, 1, at(110), at(110), at(125), at(130)},
                          HostStep{0, 2, at(130), at(330), at(330), at(340)}));
}

TEST(HostProgram, PathTellsOwnTimeCallsAndSynchronisationsApart) {
  const HostProgram program = with_names();
  const TaskGraph graph = kernels({{20, 0}, {20, 0}});
  const Timeline timeline = simulate(graph, machine_with(5), as_captured(1), {.program = &program}).timeline;
  const ObservedPath path = observed_path(graph, as_captured(1), timeline, {}, &program);
  EXPECT_EQ(path.of(PathCause::kBody), Duration{20});
  EXPECT_EQ(path.of(PathCause::kHostOwn), Duration{100 + 50});
  EXPECT_EQ(path.of(PathCause::kHostCall), Duration{10 + 150 + 5}) << "the second kernel starts 5 into its launch";
  EXPECT_EQ(path.of(PathCause::kHostSync), Duration{15 + 5});
  EXPECT_EQ(timeline.makespan(), Duration{355});
  std::vector<std::uint32_t> names;
  for (const PathSegment& segment : path.segments) {
    if (segment.cause == PathCause::kHostCall || segment.cause == PathCause::kHostSync) names.push_back(segment.call);
  }
  EXPECT_THAT(names, ElementsAre(2, 1, 1, 3, 2)) << "launch, what the synchronisation waits for, its return, malloc, launch";
}

TEST(HostProgram, WithoutAPartOfItsHostTheRestStays) {
  const TaskGraph graph = kernels({{20, 0}, {20, 0}});
  const auto takes = [&graph](const HostProgram& program) {
    return to_ns(simulate(graph, machine_with(5), as_captured(1), {.program = &program}).timeline.makespan());
  };
  const HostProgram program = with_names();
  EXPECT_EQ(takes(program), 355);
  EXPECT_EQ(takes(without(program, HostPart::kOwn)), 355 - 100 - 50);
  EXPECT_EQ(takes(without(program, HostPart::kCall)), 355 - 150);
  EXPECT_EQ(takes(without(program, HostPart::kCall, 3)), 355 - 150);
  EXPECT_EQ(takes(without(program, HostPart::kCall, 2)), 355) << "the launches' own time is hidden";
  EXPECT_EQ(takes(without(program, HostPart::kSync, 1)), 355 - 20);
  EXPECT_EQ(takes(without(program, HostPart::kSync, 2)), 355) << "no synchronisation is called so";
}

TEST(HostProgram, PathTellsRangesOfTheHostsOwnTimeApart) {
  HostProgram program = with_names();
  program.names.resize(6);
  program.names[4] = "forward";
  program.names[5] = "backward";
  HostCall& second = program.threads.at(0).calls.back();
  ASSERT_EQ(second.within.size(), 1u);
  second.ranges = {{.name = 4, .time = Duration{30}}, {.name = 5, .time = Duration{15}}};  // of 50, without the time of calls
  const TaskGraph graph = kernels({{20, 0}, {20, 0}});
  const Timeline timeline = simulate(graph, machine_with(5), as_captured(1), {.program = &program}).timeline;
  const ObservedPath path = observed_path(graph, as_captured(1), timeline, {}, &program);
  EXPECT_EQ(path.of(PathCause::kHostOwn), Duration{100 + 50});
  std::map<std::uint32_t, std::int64_t> times;
  for (const PathSegment& segment : path.segments) {
    if (segment.cause == PathCause::kHostOwn) times[segment.call] += (segment.end - segment.begin).count();
  }
  EXPECT_THAT(times, ElementsAre(testing::Pair(0, 100 + 5), testing::Pair(4, 30), testing::Pair(5, 15)));
  const auto takes = [&graph](const HostProgram& changed) {
    return to_ns(simulate(graph, machine_with(5), as_captured(1), {.program = &changed}).timeline.makespan());
  };
  EXPECT_EQ(takes(without(program, HostPart::kOwn, 4)), 355 - 30);
  EXPECT_EQ(takes(without(program, HostPart::kOwn, 5)), 355 - 15);
  EXPECT_EQ(takes(without(program, HostPart::kOwn, 0)), 355 - 105) << "in no range";
  EXPECT_EQ(takes(without(program, HostPart::kOwn)), 355 - 150);
  EXPECT_EQ(to_ns(scaled(program, 2).threads.at(0).calls.back().ranges.front().time), 60);
}

TEST(HostProgram, SharesOfSeveralThreadsCountEachInstantOnce) {
  Program program(1);
  program.launch(0, 0, 100, 50, 0).launch(1, 0, 120, 50, 1);
  const std::vector<HostShare> shares = host_shares(program.build(), 2);
  EXPECT_EQ(shares[0].own, Duration{100});
  EXPECT_EQ(shares[0].launch, Duration{50});
  EXPECT_EQ(shares[1].own, Duration{0});
  EXPECT_EQ(shares[1].launch, Duration{20});
}

std::string refused(const TaskGraph& graph, const Design& design, const HostProgram* program) {
  try {
    simulate(graph, plain_machine(1), design, {.program = program});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(HostProgram, DesignThatReplaysNeedsTheProgramOfTheGraph) {
  const TaskGraph graph = kernels({{1, 0}, {1, 1}});
  EXPECT_THAT(refused(graph, as_captured(2), nullptr), HasSubstr("the graph has none; import one from a trace"));
  const HostProgram one = Program(1).launch(0, 0, 0, 0).build();
  EXPECT_THAT(refused(graph, as_captured(2), &one), HasSubstr("launches 1 tasks, but the graph has 2"));
  const HostProgram two = Program(2).launch(0, 0, 0, 0).launch(1, 1, 0, 0).build();
  EXPECT_THAT(refused(graph, as_captured(1), &two), HasSubstr("streams is 1, but the host program uses 2"));
  Design single = as_captured(2);
  single.stream_granularity = StreamGranularity::kSingle;
  EXPECT_THAT(refused(graph, single, &two), HasSubstr("needs stream_granularity 'hinted', not 'single'"));
}

}  // namespace
}  // namespace tasktwin::sim
