// What CUDA and the choices of runtimes do in cases whose answer is known beforehand; see reported_cases_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/explain/observed_path.hpp"
#include "models/program/buffers.hpp"
#include "tests/verify/support/reported.hpp"
#include "verify/predict/remarks.hpp"

namespace tasktwin::verify {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using tests::design_of;
using tests::load_case;
using tests::makespan_of;
using tests::scenario_of;
using tests::task_named;
using tests::timeline_of;

constexpr std::int64_t kMiB = 1 << 20;

double us(TimePoint time) { return static_cast<double>(to_ns(time)) / 1000; }
double us(Duration time) { return static_cast<double>(to_ns(time)) / 1000; }

// A stream holds so many launches.

/// A kernel of `long_us` and `count` empty ones behind it, then one in another stream.
scenarios::Scenario full_stream(int long_us, int count, const std::string& machine) {
  std::string text = "scenario: s\nmachine: " + machine + "\ngraph:\n  tasks:\n    - {name: long, time_ns: " + std::to_string(long_us) +
                     "000, stream: 0}\n";
  for (int i = 0; i < count; ++i) text += "    - {name: n-" + std::to_string(i) + ", kernel: empty, stream: 0}\n";
  text += "    - {name: other, time_ns: 10000, stream: 1}\n";
  return scenario_of(text + "designs: [{name: d, from: cuda-streams, stream_granularity: hinted, streams: 2}]\nseed: 1\n");
}

scenarios::Scenario full_stream(int count, const std::string& limit) {
  return full_stream(50'000, count, "{from: nvidia-h200, limits: {stream_launches: " + limit + "}}");
}

TEST(LaunchQueue, BlocksTheHostAndAllThatItWouldLaunch) {
  const scenarios::Scenario scenario = full_stream(100'000, 3000, "nvidia-h200");
  const Timeline timeline = timeline_of(scenario, "d");
  const TaskTimes& other = timeline.tasks[index(task_named(scenario.graph, "other"))];
  EXPECT_GT(us(other.started), 99'000);
  EXPECT_LT(us(other.started), 115'000);
}

TEST(LaunchQueue, HoldsAsManyBehindTheOneThatRunsAsItsLimit) {
  for (const auto& [count, blocked] : {std::pair{100, false}, std::pair{101, true}}) {
    const scenarios::Scenario scenario = full_stream(count, "100");
    const TimePoint started = timeline_of(scenario, "d").tasks[index(task_named(scenario.graph, "other"))].started;
    EXPECT_EQ(started > at_ns(50'000'000), blocked) << count;
  }
}

TEST(LaunchQueue, WithoutALimitBlocksNobody) {
  const scenarios::Scenario scenario = full_stream(300, "0");
  EXPECT_LT(timeline_of(scenario, "d").tasks[index(task_named(scenario.graph, "other"))].started, at_ns(10'000'000));
}

// Buffers.

TEST(Buffers, UsedAfterTheirFreeAreNamed) {
  scenarios::Scenario scenario = load_case("use-after-free");
  Design design = design_of(scenario, "caching");
  EXPECT_THAT(remarks(scenario, design),
              Contains(AllOf(HasSubstr("'b'"), HasSubstr("'long-use-b'"), HasSubstr("'free-b'"), HasSubstr("'alloc-c'"))));
  EXPECT_EQ(predict(scenario, design, 1).timeline.peak_memory().reserved, 64 * kMiB);
  design.record_stream = RecordStream::kOn;
  EXPECT_THAT(buffer_races(scenario.graph, design), IsEmpty());
  EXPECT_EQ(predict(scenario, design, 1).timeline.peak_memory().reserved, 128 * kMiB);
}

scenarios::Scenario two_streams(const std::string& tasks, const std::string& axes = "allocator: pool") {
  return scenario_of("scenario: s\nmachine: nvidia-h200\ngraph:\n  tasks:\n" + tasks +
                     "designs: [{name: d, from: cuda-streams, stream_granularity: hinted, streams: 2, " + axes + "}]\nseed: 1\n");
}

constexpr const char* kAlloc = "    - {name: get, operation: alloc, buffer: b, bytes: 1048576, stream: 0}\n";

TEST(Buffers, StatedUsesAreHeldAgainstAllocationAndFree) {
  const scenarios::Scenario scenario = two_streams(std::string(kAlloc) +
                                                   "    - {name: early, time_ns: 100, stream: 1, uses: [b]}\n"
                                                   "    - {name: fine, time_ns: 100, stream: 0, uses: [b], after: [get]}\n"
                                                   "    - {name: give, operation: free, buffer: b, stream: 0, after: [fine]}\n"
                                                   "    - {name: late, time_ns: 100, stream: 1, uses: [b], after: [give]}\n");
  const std::vector<std::string> races = buffer_races(scenario.graph, design_of(scenario, "d"));
  EXPECT_THAT(races, Contains(AllOf(HasSubstr("'early'"), HasSubstr("nothing makes it wait for task 'get'"))));
  EXPECT_THAT(races, Contains(AllOf(HasSubstr("'late'"), HasSubstr("after task 'give' has freed it"))));
  EXPECT_THAT(races, Not(Contains(HasSubstr("'fine'"))));
}

TEST(Buffers, OrderOfAStreamOrAFreeThatWaitsForTheDeviceKeepsUsesApart) {
  const std::string tasks = std::string(kAlloc) + "    - {name: use, time_ns: 100, stream: 0, after: [get]}\n";
  const std::string free_in = "    - {name: give, operation: free, buffer: b, stream: 0, after: [get]}\n";
  const scenarios::Scenario same = two_streams(tasks + free_in);
  EXPECT_THAT(buffer_races(same.graph, design_of(same, "d")), IsEmpty());
  const std::string apart = std::string(kAlloc) + "    - {name: use, time_ns: 100, stream: 1, after: [get]}\n" + free_in;
  const scenarios::Scenario pool = two_streams(apart);
  EXPECT_THAT(buffer_races(pool.graph, design_of(pool, "d")), testing::SizeIs(1));
  const scenarios::Scenario malloc = two_streams(apart, "allocator: malloc");
  EXPECT_THAT(buffer_races(malloc.graph, design_of(malloc, "d")), IsEmpty());
}

// Choices of runtimes.

TEST(HeadOfLine, StrictKeepsIdleVectorCoresFromTheirTasks) {
  std::string tasks;
  for (const std::string type : {"aic", "aiv"}) {
    for (int i = 0; i < 200; ++i)
      tasks += "    - {name: " + type + "-" + std::to_string(i) + ", core_type: " + type + ", time_ns: 20000}\n";
  }
  const scenarios::Scenario scenario = scenario_of("scenario: s\nmachine: ascend-a2a3\ngraph:\n  tasks:\n" + tasks +
                                                   "designs: [{name: one-queue, from: ascend-host-built, ready_queue: shared}]\nseed: 1\n");
  Design strict = design_of(scenario, "one-queue");
  const Duration by_type = predict_makespan(scenario, strict, 1);
  strict.head_of_line = HeadOfLine::kStrict;
  // 200 cube tasks on 24 cores come first: the last of them starts in the ninth wave, and only then the vector tasks.
  EXPECT_GT(predict_makespan(scenario, strict, 1), by_type + Duration{60'000});
}

constexpr const char* kCluster =
    "machine: {from: ascend-a2a3, compute_cores: [{type: aic, count: 1, per_cluster: 1}, {type: aiv, count: 2, per_cluster: 2}]}\n";

TEST(HeadOfLine, WaitsForTheCoreOfTheFirstTask) {
  // c-1 stands before v-0, and waits for the only cube core: v-0 starts behind c-0 under a strict queue, at once under the other.
  const scenarios::Scenario scenario = scenario_of(
      "scenario: s\n" + std::string(kCluster) +
      "graph:\n  tasks:\n"
      "    - {name: c-0, core_type: aic, time_ns: 50000}\n    - {name: c-1, core_type: aic, time_ns: 50000}\n"
      "    - {name: v-0, core_type: aiv, time_ns: 1000}\n"
      "designs:\n"
      "  - {name: strict, from: ascend-host-built, dispatchers: 1, mailbox_depth: 1, ready_queue: shared, head_of_line: strict}\n"
      "  - {name: by-type, from: ascend-host-built, dispatchers: 1, mailbox_depth: 1, ready_queue: shared}\nseed: 1\n");
  EXPECT_GT(timeline_of(scenario, "strict").tasks[2].started, at_ns(50'000));
  EXPECT_LT(timeline_of(scenario, "by-type").tasks[2].started, at_ns(5'000));
}

/// Two clusters: of one the matrix core is busy for long, of the other both vector cores. A vector task that two idle cores could take
/// waits until the mixed task has the second cluster.
TEST(HeadOfLine, OfMixedTasksIsACauseWhereTheyGoFirst) {
  const scenarios::Scenario scenario = scenario_of(
      "scenario: s\n"
      "machine: {from: ascend-a2a3, compute_cores: [{type: aic, count: 2, per_cluster: 1}, {type: aiv, count: 4, per_cluster: 2}]}\n"
      "graph:\n  tasks:\n"
      "    - {name: c, core_type: aic, time_ns: 200000}\n"
      "    - {name: first, core_type: aiv, time_ns: 10000}\n    - {name: short, core_type: aiv, time_ns: 1000}\n"
      "    - {name: long-0, core_type: aiv, time_ns: 90000}\n    - {name: long-1, core_type: aiv, time_ns: 90000}\n"
      "    - {name: v, core_type: aiv, time_ns: 150000, after: [first]}\n"
      "    - {name: m, core_type: mix, aic: 1, aiv: 2, time_ns: 5000, after: [first]}\n"
      "designs:\n"
      "  - {name: mix-first, from: ascend-host-built, dispatchers: 1, mailbox_depth: 1, head_of_line: mix_first}\n"
      "  - {name: by-type, from: ascend-host-built, dispatchers: 1, mailbox_depth: 1}\nseed: 1\n");
  EXPECT_LT(timeline_of(scenario, "by-type").tasks[5].started, at_ns(20'000));
  const Timeline timeline = timeline_of(scenario, "mix-first");
  EXPECT_GT(timeline.tasks[5].started, at_ns(90'000));
  const ObservedPath path = observed_path(scenario.graph, design_of(scenario, "mix-first"), timeline, {});
  EXPECT_GT(path.of(PathCause::kHeadOfLine), Duration{70'000});
}

TEST(HeadOfLine, MixedFirstIsNoMatterWithoutMixedTasks) {
  const scenarios::Scenario scenario = scenario_of(
      "scenario: s\nmachine: ascend-a2a3\ngraph:\n  tasks: [{name: c, core_type: aic, time_ns: 100}, {name: v, core_type: aiv, time_ns: "
      "100}]\n"
      "designs: [{name: first, from: ascend-host-built, head_of_line: mix_first}]\nseed: 1\n");
  EXPECT_THAT(remarks(scenario, design_of(scenario, "first")),
              Contains(AllOf(HasSubstr("head_of_line"), HasSubstr("no task is for a cluster"))));
}

TEST(HeadOfLine, IsNoMatterWhereAllTasksAreForOneTypeOfCore) {
  const scenarios::Scenario scenario = scenario_of(
      "scenario: s\nmachine: ascend-a2a3\ngraph: {generator: chain, length: 3, time_ns: 100, core_type: aiv}\n"
      "designs: [{name: strict, from: ascend-host-built, ready_queue: shared, head_of_line: strict}]\nseed: 1\n");
  EXPECT_THAT(remarks(scenario, design_of(scenario, "strict")), Contains(AllOf(HasSubstr("head_of_line"), HasSubstr("one type of core"))));
}

/// 300 blocks of an attention of four tasks each, the last of which waits for that of the block before.
scenarios::Scenario attention_blocks(int hop_ns) {
  std::string text =
      "scenario: s\nmachine: {from: ascend-a2a3, device_control: {hop_ns: " + std::to_string(hop_ns) + "}}\ngraph:\n  tasks:\n";
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    const std::string before = i == 0 ? "" : ", up-" + std::to_string(i - 1);
    text += "    - {name: qk-" + n + ", core_type: aic, time_ns: 1638}\n    - {name: sm-" + n +
            ", core_type: aiv, time_ns: 1204, after: [qk-" + n + "]}\n    - {name: pv-" + n +
            ", core_type: aic, time_ns: 1514, after: [sm-" + n + "]}\n    - {name: up-" + n +
            ", core_type: aiv, time_ns: 1297, after: [pv-" + n + ", sm-" + n + before + "]}\n";
  }
  return scenario_of(text +
                     "designs:\n  - {name: window-128, from: ascend-device-built, window: 128}\n"
                     "  - {name: window-16384, from: ascend-device-built, window: 16384}\nseed: 1\n");
}

TEST(HandOvers, BetweenControlCoresGetDearerWithTheirHop) {
  const scenarios::Scenario near = attention_blocks(64);
  const scenarios::Scenario far = attention_blocks(400);
  for (const Design& design : near.designs) EXPECT_GT(predict_makespan(far, design, 1), predict_makespan(near, design, 1)) << design.name;
}

TEST(HandOvers, FromOrchestratorAndResolverReachDispatchersAHopLater) {
  for (const char* axes : {"dispatchers: 1, graph_build: device, window: 64", "dispatchers: 1, resolvers: 1"}) {
    Duration makespans[2];
    for (const int hop : {0, 1000}) {
      const scenarios::Scenario scenario =
          scenario_of("scenario: s\nmachine: {from: ascend-a2a3, device_control: {hop_ns: " + std::to_string(hop) +
                      "}}\ngraph: {generator: chain, length: 2, time_ns: 5000, core_type: aiv}\n"
                      "designs: [{name: d, from: ascend-host-built, " +
                      std::string(axes) + "}]\nseed: 1\n");
      makespans[hop == 0 ? 0 : 1] = makespan_of(scenario, "d");
    }
    EXPECT_GE(makespans[1] - makespans[0], Duration{1000}) << axes;
  }
}

TEST(HandOvers, HopsThatNothingReadsAreSaidToMakeNoDifference) {
  // One dispatcher and a graph built beforehand: nobody hands anything on.
  Duration makespans[2];
  for (const int hop : {64, 6400}) {
    const scenarios::Scenario scenario =
        scenario_of("scenario: s\nmachine: {from: ascend-a2a3, device_control: {hop_ns: " + std::to_string(hop) +
                    "}}\ngraph: {generator: chain, length: 20, time_ns: 100, core_type: aiv}\n"
                    "designs: [{name: d, from: ascend-host-built, dispatchers: 1}]\nseed: 1\n");
    makespans[hop == 64 ? 0 : 1] = makespan_of(scenario, "d");
  }
  EXPECT_EQ(makespans[0], makespans[1]);
}

TEST(EarlyDispatch, TakesTheHopOffTheCriticalPath) {
  const scenarios::Scenario scenario = load_case("early-dispatch");
  const double saved = us(makespan_of(scenario, "ascend-host-built") - makespan_of(scenario, "early"));
  // Of 199 links each at most hop and set-up, 633 and 491 ns, less the doorbell's 527: hops spread, and the latest of several things
  // counts, a seventh of a body being spent on handing a task over early.
  EXPECT_GT(saved, 199 * (0.633 + 0.491 - 0.527) * 0.5);
  EXPECT_LT(saved, 199 * (0.633 + 0.491 - 0.527));
}

TEST(EarlyDispatch, StartsAtTheDoorbellAndNotBefore) {
  const scenarios::Scenario scenario =
      scenario_of("scenario: s\n" + std::string(kCluster) +
                  "graph:\n  tasks:\n"
                  "    - {name: a, core_type: aiv, time_ns: 50000}\n"
                  "    - {name: b, core_type: aiv, time_ns: 1000, after: [a]}\n"
                  "designs: [{name: d, from: ascend-host-built, dispatchers: 1, early_dispatch: on}]\nseed: 1\n");
  const Timeline timeline = timeline_of(scenario, "d");
  EXPECT_LT(timeline.tasks[1].received, at_ns(10'000));
  EXPECT_GT(timeline.tasks[1].started, timeline.tasks[1].ready);
  EXPECT_LE(timeline.tasks[1].started - timeline.tasks[1].ready, Duration{527 + 5});
  EXPECT_NE(timeline.tasks[1].core, timeline.tasks[0].core);
}

TEST(EarlyDispatch, LeavesCoresToWhatIsReady) {
  // Both vector cores have ready tasks: nothing goes early before they are handed out.
  const scenarios::Scenario scenario =
      scenario_of("scenario: s\n" + std::string(kCluster) +
                  "graph:\n  tasks:\n"
                  "    - {name: a, core_type: aiv, time_ns: 50000}\n    - {name: b, core_type: aiv, time_ns: 50000}\n"
                  "    - {name: c, core_type: aiv, time_ns: 1000, after: [a]}\n"
                  "designs: [{name: d, from: ascend-host-built, dispatchers: 1, early_dispatch: on}]\nseed: 1\n");
  const Timeline timeline = timeline_of(scenario, "d");
  EXPECT_LT(timeline.tasks[1].started, at_ns(10'000));
  EXPECT_GT(timeline.tasks[2].received, at_ns(50'000));
}

TEST(Cohorts, WiderThanADispatchersShareArePlacedOverTheCoresOfAll) {
  const scenarios::Scenario scenario = load_case("wide-cohort");
  const Timeline timeline = timeline_of(scenario, "ascend-host-built");
  ASSERT_EQ(timeline.blocks.size(), 24U);
  for (const BlockTimes& block : timeline.blocks) EXPECT_EQ(block.started, timeline.tasks[0].started);
  EXPECT_LT(us(timeline.makespan()), 40);
}

TEST(Cohorts, WaitUntilEnoughCoresOfAllAreIdle) {
  // Of 48 vector cores 30 run for 100 us: 18 are idle, too few for 24 at once.
  std::string tasks;
  for (int i = 0; i < 30; ++i) tasks += "    - {name: busy-" + std::to_string(i) + ", core_type: aiv, time_ns: 100000}\n";
  const scenarios::Scenario scenario = scenario_of("scenario: s\nmachine: ascend-a2a3\ngraph:\n  tasks:\n" + tasks +
                                                   "    - {name: cohort, core_type: aiv, time_ns: 20000, blocks: 24}\n"
                                                   "designs: [{name: d, from: ascend-host-built, mailbox_depth: 1}]\nseed: 1\n");
  EXPECT_GT(timeline_of(scenario, "d").tasks[30].started, at_ns(100'000));
}

TEST(Cohorts, CostTheAgreementOfTheOthers) {
  Duration makespans[2];
  for (const int hop : {0, 1000}) {
    const scenarios::Scenario scenario =
        scenario_of("scenario: s\nmachine: {from: ascend-a2a3, device_control: {hop_ns: " + std::to_string(hop) +
                    "}}\ngraph: {tasks: [{name: cohort, core_type: aiv, time_ns: 20000, blocks: 24}]}\n"
                    "designs: [{name: d, from: ascend-host-built}]\nseed: 1\n");
    makespans[hop == 0 ? 0 : 1] = makespan_of(scenario, "d");
  }
  EXPECT_EQ(makespans[1] - makespans[0], Duration{4000});  // seen by three others, each of whom says so
}

TEST(MixedTasks, TakeAsManyCoresOfTheClusterAsTheySay) {
  const scenarios::Scenario whole = load_case("partial-mix");
  EXPECT_NEAR(us(makespan_of(whole, "one")), 82, 3);
  std::string text = tests::read_text(tests::case_file("partial-mix"));
  const std::string mix = "core_type: mix";
  text.replace(text.find(mix), mix.size(), "core_type: mix, aic: 1, aiv: 1");
  EXPECT_NEAR(us(makespan_of(scenario_of(text), "one")), 51, 2);
}

TEST(MixedTasks, OfTwoVectorCoresWaitForBoth) {
  const scenarios::Scenario scenario =
      scenario_of("scenario: s\n" + std::string(kCluster) +
                  "graph:\n  tasks:\n    - {name: vec, core_type: aiv, time_ns: 50000}\n"
                  "    - {name: pair, core_type: mix, aic: 0, aiv: 2, time_ns: 30000, after: [start]}\n"
                  "    - {name: start, core_type: aic, time_ns: 2000}\n"
                  "    - {name: cube, core_type: aic, time_ns: 70000, after: [start]}\n"
                  "designs: [{name: d, from: ascend-host-built, dispatchers: 1, mailbox_depth: 1}]\nseed: 1\n");
  const Timeline timeline = timeline_of(scenario, "d");
  EXPECT_GT(timeline.tasks[1].started, at_ns(50'000));
  EXPECT_LT(timeline.tasks[3].started, at_ns(20'000)) << "the cube core is not theirs";
}

TEST(MixedTasks, OfAShapeThatNoClusterHasAreRefused) {
  const scenarios::Scenario scenario = scenario_of("scenario: s\n" + std::string(kCluster) +
                                                   "graph: {tasks: [{name: big, core_type: mix, aic: 2, aiv: 1, time_ns: 30000}]}\n"
                                                   "designs: [{name: d, from: ascend-host-built, dispatchers: 1}]\nseed: 1\n");
  try {
    makespan_of(scenario, "d");
    FAIL() << "ran";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'big'"), HasSubstr("a cluster of machine 'ascend-a2a3' has 1 of type 'aic'")));
  }
}

}  // namespace
}  // namespace tasktwin::verify
