#include "models/explain/observed_path.hpp"

#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "tests/models/graphs.hpp"
#include "tests/models/path_worlds.hpp"

namespace tasktwin {
namespace {

using testing_graphs::graph_of;
using testing_graphs::path_text;
using testing_graphs::times_of;

constexpr DispatcherId kFirst{0};

Timeline on_cores(std::size_t cores, std::vector<TaskTimes> tasks, std::vector<std::vector<Span>> dispatchers = {}) {
  Timeline timeline;
  timeline.tasks = std::move(tasks);
  timeline.cores.assign(cores, CoreType::kSm);
  timeline.dispatchers = std::move(dispatchers);
  timeline.roles.assign(timeline.dispatchers.size(), ControlRole::kScheduler);
  return timeline;
}

Timeline on_streams(std::size_t streams, std::vector<TaskTimes> tasks, std::vector<Span> host) {
  Timeline timeline = on_cores(streams, std::move(tasks), {std::move(host)});
  timeline.roles = {ControlRole::kHost};
  timeline.on_streams = true;
  timeline.compute_cores.assign(4, CoreType::kSm);
  return timeline;
}

BlockTimes block_of(std::uint32_t task, std::uint32_t core, std::int64_t started, std::int64_t ended) {
  return {TaskId{task}, CoreId{core}, at_ns(started), at_ns(ended), kAbsent};
}

Span span(std::int64_t begin, std::int64_t end) { return {at_ns(begin), at_ns(end)}; }

std::string path_of(const TaskGraph& graph, const Design& design, const Timeline& timeline, const std::vector<Duration>& alone = {}) {
  return path_text(graph, observed_path(graph, design, timeline, alone));
}

Design dispatcher_of_depth(int depth) {
  Design design;
  design.mailbox_depth = depth;
  return design;
}

TEST(ObservedPath, GoesThroughTheDispatcherThatSawTheLastPredecessor) {
  const TaskGraph graph = graph_of({100, 100}, {{0, 1}});
  const Timeline timeline =
      on_cores(2, {times_of({0, 10, 15, 20, 120, 130}, 0, kFirst), times_of({150, 160, 165, 170, 270, 280}, 1, kFirst)},
               {{span(0, 10), span(138, 160)}});
  EXPECT_EQ(path_of(graph, dispatcher_of_depth(1), timeline),
            "0-10 dispatch t0, 10-15 notification t0, 15-20 start t0, 20-120 body t0, 120-130 publish t0, "
            "130-138 notification t1, 138-160 dispatch t1, 160-165 notification t1, 165-170 start t1, 170-270 body t1, 270-280 publish t1");
}

TEST(ObservedPath, WaitsForTheCoreWhoseMailboxHadNoRoom) {
  const TaskGraph graph = graph_of({100, 100}, {});
  const Timeline timeline = on_cores(1, {times_of({0, 10, 15, 20, 120, 130}, 0, kFirst), times_of({0, 160, 165, 170, 270, 280}, 0, kFirst)},
                                     {{span(0, 10), span(138, 160)}});
  EXPECT_EQ(path_of(graph, dispatcher_of_depth(1), timeline),
            "0-10 dispatch t0, 10-15 notification t0, 15-20 start t0, 20-120 wait_for_core t0, 120-130 publish t0, "
            "130-138 notification t1, 138-160 dispatch t1, 160-165 notification t1, 165-170 start t1, 170-270 body t1, 270-280 publish t1");
}

TEST(ObservedPath, CountsABusyDispatcherAsDispatchFromReadinessOn) {
  const TaskGraph graph = graph_of({100, 100}, {});
  const Timeline timeline = on_cores(2, {times_of({0, 10, 15, 20, 120, 130}, 0, kFirst), times_of({0, 160, 165, 170, 270, 280}, 1, kFirst)},
                                     {{span(0, 10), span(40, 160)}});
  EXPECT_EQ(path_of(graph, dispatcher_of_depth(1), timeline),
            "0-10 dispatch t1, 10-40 notification t1, 40-160 dispatch t1, 160-165 notification t1, 165-170 start t1, 170-270 body t1, "
            "270-280 publish t1");
}

TEST(ObservedPath, WaitsForTheTaskBeforeInTheMailbox) {
  const TaskGraph graph = graph_of({100, 100}, {});
  const Timeline timeline =
      on_cores(1, {times_of({0, 10, 15, 20, 120, 130}, 0, kFirst), times_of({0, 20, 25, 125, 225, 235}, 0, kFirst)}, {{span(0, 20)}});
  EXPECT_EQ(path_of(graph, dispatcher_of_depth(2), timeline),
            "0-10 dispatch t0, 10-15 notification t0, 15-20 start t0, 20-120 wait_for_core t0, 120-125 start t1, 125-225 body t1, "
            "225-235 publish t1");
}

TEST(ObservedPath, WaitsForTheLastTaskOfACoreThatTheFillRuleKeptFree) {
  // Room for two, but the second was given only when the first was done and seen at 135.
  const TaskGraph graph = graph_of({100, 100}, {});
  const Timeline timeline = on_cores(1, {times_of({0, 10, 15, 20, 120, 130}, 0, kFirst), times_of({0, 140, 145, 150, 250, 260}, 0, kFirst)},
                                     {{span(0, 10), span(135, 140)}});
  Design design = dispatcher_of_depth(2);
  design.fill = Fill::kNotInTail;
  EXPECT_EQ(path_of(graph, design, timeline),
            "0-10 dispatch t0, 10-15 notification t0, 15-20 start t0, 20-120 wait_for_core t0, 120-130 publish t0, "
            "130-135 notification t1, 135-140 dispatch t1, 140-145 notification t1, 145-150 start t1, 150-250 body t1, 250-260 publish t1");
}

TEST(ObservedPath, GoesThroughTheResolverWhereThereIsOne) {
  const TaskGraph graph = graph_of({100, 100}, {{0, 1}});
  Timeline timeline = on_cores(2, {times_of({0, 10, 15, 20, 120, 130}, 0, kFirst), times_of({150, 160, 165, 170, 270, 280}, 1, kFirst)},
                               {{span(0, 10), span(155, 160)}, {span(140, 150)}});
  timeline.roles[1] = ControlRole::kResolver;
  EXPECT_EQ(path_of(graph, dispatcher_of_depth(1), timeline),
            "0-10 dispatch t0, 10-15 notification t0, 15-20 start t0, 20-120 body t0, 120-130 publish t0, "
            "130-140 notification t1, 140-150 dispatch t1, 150-155 notification t1, 155-160 dispatch t1, 160-165 notification t1, "
            "165-170 start t1, 170-270 body t1, 270-280 publish t1");
}

TEST(ObservedPath, GoesThroughTheSharedQueue) {
  const TaskGraph graph = graph_of({100, 100}, {{0, 1}});
  const Timeline timeline = on_cores(2, {times_of({0, 5, 15, 20, 120, 130}, 0), times_of({130, 130, 150, 155, 255, 260}, 1)});
  EXPECT_EQ(path_of(graph, named_design("shared-queue"), timeline),
            "0-15 queue t0, 15-20 start t0, 20-120 body t0, 120-130 publish t0, 130-150 queue t1, 150-155 start t1, 155-255 body t1, "
            "255-260 publish t1");
}

TEST(ObservedPath, WaitsForAPlaceToFetchInto) {
  const TaskGraph graph = graph_of({100, 100}, {});
  const Timeline timeline = on_cores(1, {times_of({0, 5, 15, 20, 120, 130}, 0), times_of({0, 125, 140, 145, 245, 250}, 0)});
  Design design = named_design("shared-queue");
  design.mailbox_depth = 1;
  EXPECT_EQ(
      path_of(graph, design, timeline),
      "0-15 queue t0, 15-20 start t0, 20-120 wait_for_core t0, 120-140 queue t1, 140-145 start t1, 145-245 body t1, 245-250 publish t1");
}

TEST(ObservedPath, WaitsForTheFetchBefore) {
  const TaskGraph graph = graph_of({0, 100}, {});
  const Timeline timeline = on_cores(1, {times_of({0, 5, 15, 15, 15, 15}, 0), times_of({0, 16, 30, 35, 135, 140}, 0)});
  EXPECT_EQ(path_of(graph, named_design("shared-queue"), timeline),
            "0-15 queue t0, 15-30 queue t1, 30-35 start t1, 35-135 body t1, 135-140 publish t1");
}

TEST(ObservedPath, IsNotifiedByACounterUnderFrozenLists) {
  const TaskGraph graph = graph_of({100, 100}, {{0, 1}});
  const Timeline timeline = on_cores(2, {times_of({0, 0, 15, 20, 120, 130}, 0), times_of({130, 0, 150, 155, 255, 260}, 1)});
  EXPECT_EQ(path_of(graph, named_design("static-queues"), timeline),
            "0-15 notification t0, 15-20 start t0, 20-120 body t0, 120-130 publish t0, 130-150 notification t1, 150-155 start t1, "
            "155-255 body t1, 255-260 publish t1");
}

TEST(ObservedPath, WaitsAtABarrierForATaskItDoesNotNeed) {
  const TaskGraph graph = graph_of({40, 100, 100}, {{0, 2}});
  const Timeline timeline =
      on_cores(2, {times_of({0, 0, 5, 10, 50, 60}, 0), times_of({0, 0, 5, 10, 110, 120}, 1), times_of({130, 130, 140, 145, 245, 250}, 0)});
  Design design = named_design("static-queues");
  design.release = Release::kBarrier;
  EXPECT_EQ(path_of(graph, design, timeline),
            "0-5 notification t1, 5-10 start t1, 10-110 wait_for_data t1, 110-120 publish t1, 120-130 notification t2, 130-140 "
            "notification t2, 140-145 start t2, "
            "145-245 body t2, 245-250 publish t2");
}

TEST(ObservedPath, TellsBandwidthFromTheBodyAlone) {
  const TaskGraph graph = graph_of({100}, {});
  const Timeline timeline = on_cores(1, {times_of({0, 0, 0, 0, 140, 150}, 0)});
  EXPECT_EQ(path_of(graph, named_design("static-queues"), timeline, {Duration{100}}),
            "0-100 body t0, 100-140 bandwidth t0, 140-150 publish t0");
}

TEST(ObservedPath, WaitsForTheLaunch) {
  const TaskGraph graph = graph_of({100, 100}, {});
  const Timeline timeline = on_streams(2, {times_of({0, 10, -1, 30, 130, -1}, 0), times_of({0, 20, -1, 145, 245, -1}, 1)}, {span(0, 20)});
  EXPECT_EQ(path_of(graph, named_design("cuda-streams"), timeline), "0-145 launch t1, 145-245 body t1");
}

TEST(ObservedPath, WaitsForAnEventOfAnotherStream) {
  const TaskGraph graph = graph_of({100, 200}, {{0, 1}});
  const Timeline timeline = on_streams(2, {times_of({0, 10, -1, 30, 130, -1}, 0), times_of({130, 20, -1, 145, 345, -1}, 1)}, {span(0, 20)});
  EXPECT_EQ(path_of(graph, named_design("cuda-streams"), timeline),
            "0-30 launch t0, 30-130 body t0, 130-145 notification t1, 145-345 body t1");
}

TEST(ObservedPath, WaitsForTheKernelBeforeInTheStream) {
  const TaskGraph graph = graph_of({100, 200}, {});
  const Timeline timeline = on_streams(1, {times_of({0, 10, -1, 30, 130, -1}, 0), times_of({0, 20, -1, 145, 345, -1}, 0)}, {span(0, 20)});
  EXPECT_EQ(path_of(graph, named_design("cuda-streams"), timeline), "0-30 launch t0, 30-130 stream t0, 130-145 start t1, 145-345 body t1");
}

TEST(ObservedPath, HasNoRoomBesideAKernelOfAnotherStream) {
  const TaskGraph graph = graph_of({100, 200}, {});
  Timeline timeline = on_streams(2, {times_of({0, 10, 30, 30, 130, -1}, 0), times_of({0, 20, 25, 130, 330, -1}, 1)}, {span(0, 20)});
  timeline.blocks = {block_of(0, 3, 30, 130), block_of(1, 3, 130, 330)};
  EXPECT_EQ(path_of(graph, named_design("cuda-streams"), timeline), "0-25 launch t1, 25-130 no_room t0, 130-330 body t1");
  timeline.tasks[1].received = kAbsent;  // from the launch on: nothing says how long it was on its way
  EXPECT_EQ(path_of(graph, named_design("cuda-streams"), timeline), "0-20 launch t1, 20-130 no_room t0, 130-330 body t1");
}

TEST(ObservedPath, TellsAGridsLaterWavesFromItsLastBody) {
  // Three blocks of t0 on one core, the second of which comes behind one of t1.
  const TaskGraph graph = graph_of({100, 50}, {});
  Timeline timeline = on_streams(2, {times_of({0, 10, 30, 30, 330, -1}, 0), times_of({0, 20, 25, 30, 80, -1}, 1)}, {span(0, 20)});
  timeline.blocks = {block_of(0, 0, 30, 130), block_of(0, 0, 130, 230), block_of(0, 0, 230, 330), block_of(1, 1, 30, 80)};
  EXPECT_EQ(path_of(graph, named_design("cuda-streams"), timeline), "0-30 launch t0, 30-230 waves t0, 230-330 body t0");
  timeline.blocks[1] = block_of(0, 1, 80, 180);
  timeline.blocks[2] = block_of(0, 1, 180, 330);
  EXPECT_EQ(path_of(graph, named_design("cuda-streams"), timeline), "0-30 launch t0, 30-80 no_room t1, 80-180 waves t0, 180-330 body t0");
}

TEST(ObservedPath, WaitsBehindAKernelInTheSameHardwareQueue) {
  // t2 needs nothing and has a stream of its own, but stands behind t1, which waits for t0.
  const TaskGraph graph = graph_of({100, 100, 100}, {{0, 1}});
  const Timeline timeline = on_streams(
      3, {times_of({0, 10, -1, 30, 130, -1}, 0), times_of({130, 20, -1, 140, 240, -1}, 1), times_of({0, 30, -1, 140, 250, -1}, 2)},
      {span(0, 30)});
  Design design = named_design("cuda-streams");
  design.hardware_queues = 1;
  EXPECT_EQ(path_of(graph, design, timeline), "0-30 launch t2, 30-140 hardware_queue t1, 140-250 body t2");
}

TEST(ObservedPath, BlocksTheHostUntilAKernelEnds) {
  // The host could launch t1 only when t0, in another stream, had ended; had t1 needed it, its body would be on the path.
  const Timeline timeline =
      on_streams(2, {times_of({0, 10, -1, 30, 130, -1}, 0), times_of({0, 150, -1, 160, 260, -1}, 1)}, {span(0, 10), span(140, 150)});
  EXPECT_EQ(path_of(graph_of({100, 100}, {}), named_design("cuda-streams"), timeline),
            "0-10 launch t1, 10-140 host_blocked t0, 140-160 launch t1, 160-260 body t1");
  EXPECT_EQ(path_of(graph_of({100, 100}, {{0, 1}}), named_design("cuda-streams"), timeline),
            "0-30 launch t0, 30-130 body t0, 130-140 notification t1, 140-160 launch t1, 160-260 body t1");
}

TEST(ObservedPath, TellsASubmissionFromTheNewsOfAPredecessor) {
  // t1 was submitted at 20, long before t0 ended at 120; t2 at 300, long after.
  const TaskGraph graph = graph_of({100, 50, 50}, {{0, 1}, {0, 2}});
  Timeline timeline = on_cores(2,
                               {times_of({10, 15, 20, 20, 120, 120}, 0, kFirst), times_of({130, 135, 140, 140, 190, 190}, 0, kFirst),
                                times_of({300, 305, 310, 310, 360, 360}, 1, kFirst)},
                               {{span(10, 15), span(125, 135), span(300, 305)}, {span(0, 20), span(250, 300)}});
  timeline.roles[1] = ControlRole::kOrchestrator;
  timeline.steps = {
      {},
      {{at_ns(0), at_ns(10), StepKind::kSubmit}, {at_ns(10), at_ns(20), StepKind::kSubmit}, {at_ns(250), at_ns(300), StepKind::kSubmit}}};
  Design design;
  design.graph_build = GraphBuild::kDevice;
  design.window = 2;
  // Before 250 the orchestrator waited for t1 to leave the window.
  EXPECT_EQ(path_of(graph, design, timeline),
            "0-10 submit t0, 10-15 dispatch t0, 15-20 notification t0, 20-120 body t0, 120-125 notification t1, 125-135 dispatch t1, "
            "135-140 notification t1, 140-190 window t1, 190-250 window t1, 250-300 submit t2, 300-305 dispatch t2, 305-310 notification "
            "t2, 310-360 "
            "body t2");
}

TEST(ObservedPath, WaitsForTheSubmissionOfALateTask) {
  const TaskGraph graph = graph_of({100, 100}, {});
  Timeline timeline = on_cores(2, {times_of({10, 15, 20, 20, 120, 120}, 0, kFirst), times_of({200, 205, 210, 210, 310, 310}, 1, kFirst)},
                               {{span(10, 15), span(200, 205)}, {span(0, 200)}});
  timeline.roles[1] = ControlRole::kOrchestrator;
  Design design;
  design.graph_build = GraphBuild::kDevice;
  EXPECT_EQ(path_of(graph, design, timeline),
            "0-5 dispatch t1, 5-200 submit t1, 200-205 dispatch t1, 205-210 notification t1, 210-310 body t1")
      << "the dispatcher was at work for 5 ns meanwhile, which it would be without submissions as well";
}

TEST(ObservedPath, WaitsForTheWindowThatATaskLeft) {
  // A window of one: the second is submitted when the first is done and seen at 130.
  const TaskGraph graph = graph_of({100, 100}, {});
  Timeline timeline = on_cores(2, {times_of({10, 15, 20, 20, 120, 120}, 0, kFirst), times_of({200, 205, 210, 210, 310, 310}, 1, kFirst)},
                               {{span(10, 15), span(200, 205)}, {span(0, 10), span(130, 200)}});
  timeline.roles[1] = ControlRole::kOrchestrator;
  Design design;
  design.graph_build = GraphBuild::kDevice;
  design.window = 1;
  EXPECT_EQ(path_of(graph, design, timeline),
            "0-10 submit t0, 10-15 dispatch t0, 15-20 notification t0, 20-120 window t0, 120-130 window t0, 130-200 submit t1, 200-205 "
            "dispatch t1, "
            "205-210 notification t1, 210-310 body t1");
}

TEST(ObservedPath, OfAGangWaitsForTheLastOfItsCores) {
  // t0 holds core 0 until 120; the gang t1 has core 1 since 20 and starts on both at 125.
  const TaskGraph graph = graph_of({100, 100}, {});
  Timeline timeline =
      on_cores(2, {times_of({0, 5, 10, 20, 120, 130}, 0, kFirst), times_of({0, 10, 15, 125, 225, 245}, 0, kFirst)}, {{span(0, 10)}});
  timeline.blocks = {{TaskId{1}, CoreId{0}, at_ns(125), at_ns(225), at_ns(235)},
                     {TaskId{1}, CoreId{1}, at_ns(125), at_ns(225), at_ns(245)}};
  EXPECT_EQ(path_of(graph, dispatcher_of_depth(2), timeline),
            "0-5 dispatch t0, 5-10 notification t0, 10-20 start t0, 20-120 gang t0, 120-125 start t1, 125-225 body t1, "
            "225-245 publish t1");
}

TEST(ObservedPath, NeedsNoPhasesButStartAndEnd) {
  const TaskGraph graph = graph_of({100, 100, 100}, {{0, 2}});
  const Timeline timeline =
      on_cores(2, {times_of({-1, -1, -1, 10, 110, -1}, 0), times_of({-1, -1, -1, 5, 100, -1}, 1), times_of({-1, -1, -1, 120, 220, -1}, 1)});
  std::vector<Design> designs(named_designs().begin(), named_designs().end());
  designs.push_back(named_design("cuda-streams"));
  designs.back().driver = Driver::kCudaGraph;
  for (const Design& design : designs) {
    const ObservedPath path = observed_path(graph, design, timeline, {});
    EXPECT_EQ(path.of(PathCause::kBody), Duration{200}) << design.name;
    EXPECT_EQ(path.segments.front().begin, TimePoint{}) << design.name;
    EXPECT_EQ(path.segments.back().end, at_ns(220)) << design.name;
  }
}

/// Two ranks, which came at 20 and at 100, and begin together.
TEST(ObservedPath, WaitsForTheLastRankOfACollective) {
  TaskGraphBuilder builder;
  builder.add_task("before", {.cost = {.time = Duration{80}}});
  for (const std::int32_t device : {0, 1})
    builder.add_task("r" + std::to_string(device), {.args = {0, 1}, .operation = Operation::kAllReduce, .device = device});
  builder.add_edge(TaskId{0}, TaskId{2});
  const Timeline timeline =
      on_streams(3, {times_of({0, 5, 10, 10, 90, -1}, 0), times_of({0, 10, 20, 100, 130, -1}, 1), times_of({90, 15, 100, 100, 130, -1}, 2)},
                 {span(0, 15)});
  const TaskGraph held = std::move(builder).build();
  const ObservedPath path = observed_path(held, named_design("cuda-streams"), timeline, {});
  EXPECT_EQ(path_text(held, path), "0-10 launch before, 10-90 body before, 90-100 notification r1, 100-130 collective r1");
  ASSERT_EQ(path.late.size(), 1u);
  EXPECT_EQ(path.late[0].since, at_ns(20));
  EXPECT_EQ(path.late[0].until, at_ns(100));
  EXPECT_EQ(path.late[0].last, TaskId{2});
}

TEST(ObservedPath, IsSkewedWhereNothingOfTheLastRankWasSeen) {
  TaskGraphBuilder builder;
  for (const std::int32_t device : {0, 1})
    builder.add_task("r" + std::to_string(device), {.args = {0, 1}, .operation = Operation::kAllReduce, .device = device});
  const Timeline timeline =
      on_streams(2, {times_of({0, 10, 20, 100, 130, -1}, 0), times_of({-1, -1, 100, 100, 130, -1}, 1)}, {span(0, 10)});
  EXPECT_EQ(path_of(std::move(builder).build(), named_design("cuda-streams"), timeline),
            "0-20 launch r0, 20-100 skew r1, 100-130 collective r1");
}

/// t1 is on its cores from 20 on, but meets t2, which comes after t0.
TEST(ObservedPath, GoesThroughTheLastTaskThatABodyMeets) {
  TaskGraphBuilder builder;
  builder.add_task("t0", {.cost = {.time = Duration{80}}});
  const std::uint32_t meets = builder.add_traits({.co_resident = 1});
  for (const char* const name : {"t1", "t2"}) builder.add_task(name, {.cost = {.time = Duration{30}}, .traits = meets});
  builder.add_task("t3", {.cost = {.time = Duration{10}}});
  builder.add_edge(TaskId{0}, TaskId{2});
  builder.add_edge(TaskId{1}, TaskId{3});
  const TaskGraph graph = std::move(builder).build();
  const Timeline timeline = on_streams(4,
                                       {times_of({0, 5, 10, 10, 90, -1}, 0), times_of({0, 10, 20, 20, 130, -1}, 1),
                                        times_of({90, 15, 100, 100, 130, -1}, 2), times_of({130, 15, 135, 135, 145, -1}, 3)},
                                       {span(0, 15)});
  const ObservedPath path = observed_path(graph, named_design("cuda-streams"), timeline, {});
  EXPECT_EQ(path_text(graph, path),
            "0-10 launch t0, 10-90 body t0, 90-100 notification t2, 100-130 body t1, 130-135 notification t3, 135-145 body t3");
  ASSERT_EQ(path.late.size(), 1u);
  EXPECT_EQ(path.late[0].since, at_ns(20));
  EXPECT_EQ(path.late[0].last, TaskId{2});
}

TEST(ObservedPath, LeavesOutTasksThatDidNotComeToBe) {
  const TaskGraph graph = graph_of({100, 100, 100}, {{0, 2}, {1, 2}});
  const Timeline timeline = on_cores(2, {times_of({0, 0, 0, 0, 100, 100}, 0), TaskTimes{}, times_of({100, 0, 110, 110, 210, 210}, 1)});
  EXPECT_EQ(path_of(graph, named_design("static-queues"), timeline), "0-100 body t0, 100-110 notification t2, 110-210 body t2");
}

TEST(ObservedPath, EndsWhereContradictoryTimesLeadInACircle) {
  // Each is said to have waited for the other: t1 for t0's result, t0 for t1's core.
  const TaskGraph graph = graph_of({10, 10}, {{0, 1}});
  const Timeline timeline = on_cores(1, {times_of({0, 0, 0, 100, 100, 100}, 0), times_of({100, 0, 100, 50, 100, 100}, 0)});
  const ObservedPath path = observed_path(graph, named_design("static-queues"), timeline, {});
  EXPECT_EQ(path.segments.front().begin, TimePoint{});
  EXPECT_EQ(path.segments.back().end, at_ns(100));
}

TEST(ObservedPath, OfNothingIsEmpty) { EXPECT_TRUE(observed_path(TaskGraph{}, Design{}, Timeline{}, {}).segments.empty()); }

}  // namespace
}  // namespace tasktwin
