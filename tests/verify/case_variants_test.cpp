// More cases of the kinds of reported_cases_test.cpp and reported_choices_test.cpp. The right answers are worked out by hand, as the
// comments say, from what CUDA documents or from the constants that a case states.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/reported.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/predict/remarks.hpp"

namespace tasktwin::verify {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using tests::design_of;
using tests::makespan_of;
using tests::scenario_of;
using tests::task_named;
using tests::timeline_of;

double us(Duration time) { return static_cast<double>(to_ns(time)) / 1000; }

const TaskTimes& times_of(const scenarios::Scenario& scenario, const Timeline& timeline, std::string_view task) {
  return timeline.tasks[index(task_named(scenario.graph, task))];
}

DesignAccount account_of(const scenarios::Scenario& scenario, const std::string& design) {
  const DesignAccount one = account(scenario, design_of(scenario, design), scenario.seed);
  EXPECT_EQ(std::accumulate(one.path.by_cause.begin(), one.path.by_cause.end(), Duration{}), one.makespan);
  EXPECT_EQ(one.idle.total(), static_cast<std::int64_t>(one.cores) * one.makespan);
  return one;
}

const std::string& holder_of(const DesignAccount& account, PathCause cause) { return account.holders[static_cast<std::size_t>(cause)]; }

std::string streams(int count, const std::string& axes = "") {
  return "designs: [{name: d, from: cuda-streams, stream_granularity: hinted, streams: " + std::to_string(count) + axes + "}]\nseed: 1\n";
}

scenarios::Scenario on_h200(const std::string& tasks, const std::string& designs) {
  return scenario_of("scenario: s\nmachine: nvidia-h200\ngraph:\n  tasks:\n" + tasks + designs);
}

/// A part of the H200's 132 multiprocessors, each block having one to itself.
TEST(UtilisationVariants, OfHalfTheDeviceIsAHalfWhoeverLaunches) {
  const scenarios::Scenario scenario =
      on_h200("    - {name: half, time_ns: 1000000, blocks: 66}\n",
              "designs: [cuda-streams, cuda-graph, dynamic-parallelism, host-dispatcher, central-dispatcher]\nseed: 1\n");
  for (const Design& design : scenario.designs) {
    const Metrics metrics = assess(scenario, predict(scenario, design, 1)).metrics;
    EXPECT_NEAR(metrics.core_busy_share, 0.5, 0.015) << design.name;
    EXPECT_LT(metrics.load_imbalance, 0.01) << design.name;
  }
}

/// 198 blocks: 132 and 66. Cores are busy for 1.5 of two waves; the busiest has 2, the mean 1.5.
TEST(UtilisationVariants, OfAHalfFilledLastWaveAreThreeQuarters) {
  const scenarios::Scenario scenario =
      on_h200("    - {name: grid, time_ns: 1000000, blocks: 198}\n", "designs: [cuda-streams, cuda-graph, dynamic-parallelism]\nseed: 1\n");
  for (const Design& design : scenario.designs) {
    const Metrics metrics = assess(scenario, predict(scenario, design, 1)).metrics;
    EXPECT_NEAR(metrics.core_busy_share, 0.75, 0.01) << design.name;
    EXPECT_NEAR(metrics.load_imbalance, 2 / 1.5 - 1, 0.001) << design.name;
  }
}

/// 100 KiB of shared memory a block, of 228 KiB: two a multiprocessor, 264 at a time; 1056 are four waves.
TEST(WaveVariants, ComeOfSharedMemory) {
  const scenarios::Scenario scenario =
      on_h200("    - {name: grid, time_ns: 100000, blocks: 1056, threads: 256, registers: 64, shared_memory_bytes: 102400}\n", streams(1));
  EXPECT_NEAR(us(account_of(scenario, "d").path.of(PathCause::kWaves)), 300, 3);
}

/// 256 threads of 128 registers are half of 65536 registers: 396 blocks are one wave and a half.
TEST(WaveVariants, ComeOfRegisters) {
  const scenarios::Scenario scenario =
      on_h200("    - {name: grid, time_ns: 100000, blocks: 396, threads: 256, registers: 128}\n", streams(1));
  EXPECT_NEAR(us(account_of(scenario, "d").path.of(PathCause::kWaves)), 100, 1);
}

/// A multiprocessor stays divided into cache and shared memory as the first kernel wants it while anything runs there: the second kernel
/// fits by every number, and waits for the first to end.
TEST(RoomVariants, AreDeniedByTheDivisionOfSharedMemory) {
  const scenarios::Scenario scenario = on_h200(
      "    - {name: first, time_ns: 2000000, blocks: 132, threads: 64, registers: 32, stream: 0}\n"
      "    - {name: second, time_ns: 10000, blocks: 132, threads: 64, registers: 32, shared_memory_bytes: 102400, stream: 1}\n",
      streams(2));
  const DesignAccount one = account_of(scenario, "d");
  EXPECT_GT(us(one.path.of(PathCause::kRoom)), 1980);
  EXPECT_EQ(holder_of(one, PathCause::kRoom), "first");
}

/// 128 kernels are resident at a time, whatever room there is (CUDA C++ Programming Guide, "Concurrent kernel execution").
TEST(RoomVariants, EndWithTheNumberOfResidentKernels) {
  std::string tasks;
  for (int i = 0; i < 129; ++i)
    tasks += "    - {name: k-" + std::to_string(i) + ", time_ns: 3000000, threads: 64, registers: 32, stream: " + std::to_string(i) + "}\n";
  const scenarios::Scenario scenario = on_h200(tasks, streams(129, ", hardware_queues: 129"));
  const Timeline timeline = timeline_of(scenario, "d");
  EXPECT_LT(times_of(scenario, timeline, "k-127").started, times_of(scenario, timeline, "k-0").ended);
  EXPECT_GE(times_of(scenario, timeline, "k-128").started, times_of(scenario, timeline, "k-0").ended);
  EXPECT_GT(us(account_of(scenario, "d").path.of(PathCause::kRoom)), 2000);
}

/// Stream 8 shares the first of eight queues with stream 0, whose kernel waits for another: 500 us behind it, for nothing.
TEST(QueueVariants, HoldTheNinthStreamOfEightQueues) {
  const std::string tasks =
      "    - {name: long, time_ns: 500000, stream: 1}\n"
      "    - {name: blocked, time_ns: 1000, stream: 0, after: [long]}\n"
      "    - {name: victim, time_ns: 1000000, stream: 8}\n";
  const DesignAccount eight = account_of(on_h200(tasks, streams(9, ", hardware_queues: 8")), "d");
  EXPECT_NEAR(us(eight.makespan), 1500, 20);
  EXPECT_NEAR(us(eight.path.of(PathCause::kHardwareQueue)), 500, 15);
  EXPECT_EQ(holder_of(eight, PathCause::kHardwareQueue), "blocked");
  EXPECT_NEAR(eight.idle_share(IdleCause::kHardwareQueue), 1. / 3 * 131 / 132, 0.02);
  EXPECT_LT(eight.idle_share(IdleCause::kNotification), 0.02);
  EXPECT_NEAR(us(account_of(on_h200(tasks, streams(9, ", hardware_queues: 9")), "d").makespan), 1000, 25);
}

/// Two streams of two kernels of 200 us. Depth first, one queue has a1 | a2 b1 | b2: three times 200 us; breadth first, a1 b1 | a2 b2, two.
TEST(QueueVariants, GoByTheOrderOfLaunches) {
  const auto kernel = [](const std::string& name) {
    return "    - {name: " + name + ", time_ns: 200000, stream: " + (name.front() == 'a' ? "0" : "1") + "}\n";
  };
  const std::string depth_first = kernel("a1") + kernel("a2") + kernel("b1") + kernel("b2");
  const std::string breadth_first = kernel("a1") + kernel("b1") + kernel("a2") + kernel("b2");
  const std::string one_queue = streams(2, ", hardware_queues: 1");
  EXPECT_NEAR(us(makespan_of(on_h200(depth_first, one_queue), "d")), 600, 20);
  EXPECT_NEAR(us(makespan_of(on_h200(breadth_first, one_queue), "d")), 400, 25);
  EXPECT_NEAR(us(makespan_of(on_h200(depth_first, streams(2)), "d")), 400, 25);
}

/// 1021 copies fit behind a kernel as launches do; the host is blocked in the call for the next, and with it what it would launch
/// elsewhere.
TEST(LaunchQueueVariants, HoldCopiesAsTheyHoldKernels) {
  std::string tasks = "    - {name: long, time_ns: 40000000, stream: 0}\n";
  for (int i = 0; i < 1100; ++i) tasks += "    - {name: c-" + std::to_string(i) + ", operation: copy_h2d, bytes: 64, stream: 0}\n";
  const scenarios::Scenario scenario = on_h200(tasks + "    - {name: other, time_ns: 10000, stream: 1}\n", streams(2));
  EXPECT_GT(times_of(scenario, timeline_of(scenario, "d"), "other").started, at_ns(40'000'000));
  EXPECT_GT(account_of(scenario, "d").idle_share(IdleCause::kHostBlocked), 0.8);
}

/// Each stream has a limit of its own: 1020 launches into each of two streams behind long kernels block nobody. What they wait for is their
/// stream, not the way to the device.
TEST(LaunchQueueVariants, AreOfEachStream) {
  std::string tasks = "    - {name: long, time_ns: 40000000, stream: 0}\n    - {name: long-2, time_ns: 40000000, stream: 1}\n";
  for (int i = 0; i < 2040; ++i)
    tasks += "    - {name: n-" + std::to_string(i) + ", kernel: empty, stream: " + std::to_string(i % 2) + "}\n";
  const scenarios::Scenario scenario = on_h200(tasks + "    - {name: other, time_ns: 10000, stream: 2}\n", streams(3));
  EXPECT_LT(times_of(scenario, timeline_of(scenario, "d"), "other").started, at_ns(15'000'000));
  const DesignAccount one = account_of(scenario, "d");
  EXPECT_NEAR(us(one.path.of(PathCause::kStream)), 40'000, 600);
  EXPECT_EQ(holder_of(one, PathCause::kStream), "long-2");
  EXPECT_GT(one.idle_share(IdleCause::kStream), 0.9);
  EXPECT_NEAR(one.idle_share(IdleCause::kNotification), 1020 * 1.8e-3 / 42, 0.01);  // from each to the next 1.8 us
}

TEST(StreamVariants, LoseWhatTheOrderOfTheStreamCosts) {
  // Two kernels of 1 ms in one stream that do not need each other: side by side they take half as long.
  const scenarios::Scenario scenario =
      on_h200("    - {name: a, time_ns: 1000000, stream: 0}\n    - {name: b, time_ns: 1000000, stream: 0}\n", streams(2));
  const DesignAccount one = account_of(scenario, "d");
  EXPECT_NEAR(us(one.path.of(PathCause::kStream)), 1000, 5);
  const std::vector<CauseCost> costs = cause_costs(scenario, design_of(scenario, "d"), one.path, one.makespan, 1);
  const auto stream = std::ranges::find(costs, PathCause::kStream, &CauseCost::cause);
  ASSERT_NE(stream, costs.end());
  EXPECT_NEAR(us(stream->gain), 1000, 10);
}

/// Four clusters of one matrix and two vector core. A control core takes a completion in in 100 ns and hands a task over in 10; a hand-over
/// is 600 ns on its way and set up in 400; a completion is seen 100 ns later; a doorbell takes 500, a hop between control cores 50.
std::string small_ascend(int control_cores) {
  return "scenario: s\nmachine:\n  from: ascend-a2a3\n"
         "  compute_cores: [{type: aic, count: 4, per_cluster: 1}, {type: aiv, count: 8, per_cluster: 2}]\n"
         "  control_cores: {count: " +
         std::to_string(control_cores) +
         ", code_scale: 1}\n"
         "  device_control: {poll_per_core_ns: 0, complete_ns: 100, dispatch_ns: 10, resolve_ns: 0, hop_ns: 50}\n"
         "  device_mailboxes: {hop_ns: 600, hop_sigma_ns: 0, publish_ns: 100, doorbell_ns: 500}\n"
         "  resident_cores: {start_ns: 400}\n";
}

scenarios::Scenario on_ascend(const std::string& tasks, const std::string& axes, int control_cores = 1) {
  return scenario_of(small_ascend(control_cores) + "graph:\n  tasks:\n" + tasks +
                     "designs: [{name: d, from: ascend-host-built, dispatchers: " + std::to_string(control_cores) + ", mailbox_depth: 1" +
                     axes + "}]\nseed: 1\n");
}

/// The second matrix task has a core; the third waits for one, and the vector tasks behind it with it, until the first ends.
TEST(HeadOfLineVariants, AreTheCauseThatIsNamed) {
  std::string tasks;
  for (int i = 0; i < 5; ++i) tasks += "    - {name: cube-" + std::to_string(i) + ", core_type: aic, time_ns: 50000}\n";
  const scenarios::Scenario scenario =
      on_ascend(tasks + "    - {name: vec, core_type: aiv, time_ns: 200000}\n", ", ready_queue: shared, head_of_line: strict");
  // cube-0 starts at 10 + 600 + 400 and ends 50000 later, is seen at 51110, and room for cube-4 is known at 51210.
  EXPECT_EQ(times_of(scenario, timeline_of(scenario, "d"), "vec").started, at_ns(51210 + 2 * 10 + 600 + 400));
  const DesignAccount one = account_of(scenario, "d");
  EXPECT_EQ(one.path.of(PathCause::kHeadOfLine), Duration{51210 + 10});
  EXPECT_EQ(holder_of(one, PathCause::kHeadOfLine), "cube-4");
  EXPECT_GT(one.idle_share(IdleCause::kHeadOfLine), 0.1);
  EXPECT_LT(one.idle_share(IdleCause::kDispatch), 0.01);
  const std::vector<CauseCost> costs = cause_costs(scenario, design_of(scenario, "d"), one.path, one.makespan, 1);
  const auto line = std::ranges::find(costs, PathCause::kHeadOfLine, &CauseCost::cause);
  ASSERT_NE(line, costs.end());
  // A queue that looks for a task of each type hands `vec` over behind the four that have a core.
  EXPECT_EQ(line->gain, Duration{51210 + 2 * 10 - 5 * 10});
}

TEST(HeadOfLineVariants, MakeOneQueueDifferFromOneAType) {
  const scenarios::Scenario scenario =
      on_ascend("    - {name: c, core_type: aic, time_ns: 100}\n    - {name: v, core_type: aiv, time_ns: 100}\n",
                ", ready_queue: shared, head_of_line: strict");
  EXPECT_THAT(remarks(scenario, design_of(scenario, "d")), Not(Contains(HasSubstr("ready_queue 'shared' changes nothing"))));
}

/// Each link saves the hop and the set-up, 1000 ns, and takes the doorbell, 500: two links, 1000 ns.
TEST(EarlyDispatchVariants, WaitForTheLastOfSeveralProducers) {
  const std::string tasks =
      "    - {name: short, core_type: aiv, time_ns: 20000}\n    - {name: long, core_type: aiv, time_ns: 30000}\n"
      "    - {name: join, core_type: aiv, time_ns: 1000, after: [short, long]}\n    - {name: next, core_type: aic, time_ns: 1000, after: "
      "[join]}\n";
  const scenarios::Scenario early = on_ascend(tasks, ", early_dispatch: on");
  const Timeline timeline = timeline_of(early, "d");
  // `long` is the second: 20 + 600 + 400 + 30000, seen 100 later, taken in by 31220; then the write of the bell and its way.
  EXPECT_EQ(times_of(early, timeline, "join").started, at_ns(31220 + 10 + 500));
  EXPECT_EQ(makespan_of(on_ascend(tasks, ""), "d") - makespan_of(early, "d"), Duration{1000});
}

TEST(EarlyDispatchVariants, GoToACoreOfAnotherType) {
  const scenarios::Scenario scenario =
      on_ascend("    - {name: cube, core_type: aic, time_ns: 30000}\n    - {name: vec, core_type: aiv, time_ns: 1000, after: [cube]}\n",
                ", early_dispatch: on");
  const Timeline timeline = timeline_of(scenario, "d");
  EXPECT_LT(times_of(scenario, timeline, "vec").received, at_ns(2000));
  EXPECT_EQ(times_of(scenario, timeline, "vec").started, at_ns(31010 + 100 + 100 + 10 + 500));
}

/// Four dispatchers of two vector cores each. Of eight cores the third cohort takes five as the first two end; three are left at once for
/// what stands behind it.
TEST(CohortVariants, LetThoseBehindThemGoOnceTheyAreGone) {
  const scenarios::Scenario scenario = on_ascend(
      "    - {name: five, core_type: aiv, time_ns: 10000, blocks: 5}\n    - {name: three, core_type: aiv, time_ns: 10000, blocks: 3}\n"
      "    - {name: again, core_type: aiv, time_ns: 100000, blocks: 5}\n    - {name: single, core_type: aiv, time_ns: 1000}\n",
      "", 4);
  const Timeline timeline = timeline_of(scenario, "d");
  const TaskTimes& again = times_of(scenario, timeline, "again");
  EXPECT_GT(again.started, at_ns(11'000));
  EXPECT_LT(again.started, at_ns(14'000));
  EXPECT_LT(times_of(scenario, timeline, "single").started - again.started, Duration{1000});
}

/// Eight cores, one of which is busy for 50 us: a cohort of eight waits for it, one of seven does not; both agree for 4 hops.
TEST(CohortVariants, StartTogetherOrNotAtAll) {
  const auto started = [](int blocks) {
    const scenarios::Scenario scenario =
        on_ascend("    - {name: busy, core_type: aiv, time_ns: 50000}\n    - {name: all, core_type: aiv, time_ns: 10000, blocks: " +
                      std::to_string(blocks) + "}\n",
                  "", 4);
    return times_of(scenario, timeline_of(scenario, "d"), "all").started;
  };
  EXPECT_LT(started(7), at_ns(3000));
  EXPECT_GT(started(8), at_ns(51'000));
}

/// 1 + 1, 1 + 2, 0 + 2, 1 + 0 and a single vector task are 3 matrix and 6 vector cores: all at once on four clusters.
TEST(MixedVariants, OfAnyShapeFitBesideEachOther) {
  const scenarios::Scenario scenario = on_ascend(
      "    - {name: a, core_type: mix, aic: 1, aiv: 1, time_ns: 30000}\n    - {name: b, core_type: aiv, time_ns: 30000}\n"
      "    - {name: c, core_type: mix, aic: 1, aiv: 2, time_ns: 30000}\n    - {name: d, core_type: mix, aic: 0, aiv: 2, time_ns: 30000}\n"
      "    - {name: e, core_type: mix, aic: 1, aiv: 0, time_ns: 30000}\n",
      "");
  // Nine hand-overs of 10 ns, one a core, then the way and the body, whose end is seen 100 ns later.
  EXPECT_EQ(makespan_of(scenario, "d"), Duration{9 * 10 + 600 + 400 + 30000 + 100});
}

/// A cluster has one matrix core: of five tasks of 1 + 1 the fifth waits, though four vector cores are idle.
TEST(MixedVariants, ShareAClusterOnlyWithWhatItHas) {
  std::string tasks;
  for (int i = 0; i < 5; ++i) tasks += "    - {name: m-" + std::to_string(i) + ", core_type: mix, aic: 1, aiv: 1, time_ns: 30000}\n";
  const scenarios::Scenario scenario = on_ascend(tasks, "");
  const Timeline timeline = timeline_of(scenario, "d");
  EXPECT_LT(times_of(scenario, timeline, "m-3").started, at_ns(2000));
  EXPECT_GT(times_of(scenario, timeline, "m-4").started, at_ns(31'000));
}

/// 264 blocks of a whole multiprocessor are two waves: the task starts with its first block and ends with its last.
TEST(PhaseVariants, OfAGridAreOfItsFirstAndItsLastBlock) {
  const scenarios::Scenario scenario = on_h200("    - {name: grid, time_ns: 100000, blocks: 264}\n", streams(1));
  const Timeline timeline = timeline_of(scenario, "d");
  const TaskTimes& grid = timeline.tasks[0];
  EXPECT_LE(grid.dispatched, grid.received);
  EXPECT_LE(grid.received, grid.started);
  EXPECT_EQ(grid.started, std::ranges::min_element(timeline.blocks, {}, &BlockTimes::started)->started);
  EXPECT_EQ(grid.ended, std::ranges::max_element(timeline.blocks, {}, &BlockTimes::ended)->ended);
  EXPECT_NEAR(us(grid.ended - grid.started), 200, 1);
}

/// A completion goes to the resolver, and what it makes ready to the dispatcher: a link of a chain pays two hops.
TEST(HandOverVariants, OfAResolverAreTwoALink) {
  const auto makespan = [](int hop) {
    const scenarios::Scenario scenario =
        scenario_of("scenario: s\nmachine: {from: ascend-a2a3, device_control: {hop_ns: " + std::to_string(hop) +
                    "}, device_mailboxes: {hop_sigma_ns: 0}}\n"
                    "graph: {generator: chain, length: 11, time_ns: 5000, core_type: aiv}\n"
                    "designs: [{name: d, from: ascend-host-built, dispatchers: 1, resolvers: 1}]\nseed: 1\n");
    return makespan_of(scenario, "d");
  };
  const Duration more = makespan(5000) - makespan(1000);
  EXPECT_NEAR(us(more), 10 * 2 * 4, 10 * 4.6);  // a sweep of its 72 cores, 6.6 us, may hide a part of each
  EXPECT_GT(more, Duration{10 * 4000});
}

/// Tasks submitted one after the other reach the dispatcher a hop later: the last as the first.
TEST(HandOverVariants, OfAnOrchestratorAreOnceForIndependentTasks) {
  const auto started = [](int hop) {
    const scenarios::Scenario scenario =
        scenario_of("scenario: s\nmachine: {from: ascend-a2a3, device_control: {poll_per_core_ns: 0, hop_ns: " + std::to_string(hop) +
                    "}, device_mailboxes: {hop_sigma_ns: 0}}\n"
                    "graph: {tasks: [{name: a, core_type: aiv, time_ns: 100000}, {name: b, core_type: aiv, time_ns: 100000}]}\n"
                    "designs: [{name: d, from: ascend-host-built, dispatchers: 1, graph_build: device}]\nseed: 1\n");
    const Timeline timeline = timeline_of(scenario, "d");
    return std::pair(timeline.tasks[0].started, timeline.tasks[1].started);
  };
  EXPECT_EQ(started(1064).first - started(64).first, Duration{1000});
  EXPECT_EQ(started(1064).second - started(64).second, Duration{1000});
}

}  // namespace
}  // namespace tasktwin::verify
