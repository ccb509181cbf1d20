// What a prediction must say of cases whose answer is known beforehand: files of tests/data/cases, and more of the same kinds.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/explain/metrics.hpp"
#include "models/explain/waves.hpp"
#include "tests/verify/support/reported.hpp"
#include "verify/explain/explanation.hpp"

namespace tasktwin::verify {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using tests::design_of;
using tests::load_case;
using tests::scenario_of;
using tests::timeline_of;

DesignAccount account_of(const scenarios::Scenario& scenario, const std::string& design) {
  return account(scenario, design_of(scenario, design), scenario.seed);
}

const std::string& holder_of(const DesignAccount& account, PathCause cause) { return account.holders[static_cast<std::size_t>(cause)]; }

std::string told(const DesignAccount& account) {
  const auto sentences = Explanation(account, account, {}).sentences();
  return std::accumulate(sentences.begin(), sentences.end(), std::string());
}

void expect_sums(const DesignAccount& account) {
  EXPECT_EQ(std::accumulate(account.path.by_cause.begin(), account.path.by_cause.end(), Duration{}), account.makespan);
  EXPECT_EQ(account.idle.total(), static_cast<std::int64_t>(account.cores) * account.makespan);
  EXPECT_EQ(account.path.of(PathCause::kRest), Duration{});
}

constexpr const char* kStreams = "designs:\n  - {name: streams, from: cuda-streams, stream_granularity: hinted, streams: 4}\n";
constexpr const char* kH200 = "machine: nvidia-h200\n";

// Later waves of a grid.

TEST(Waves, AreTheTimeOfAKernelLargerThanTheDevice) {
  const scenarios::Scenario scenario = load_case("waves");
  for (const Design& design : scenario.designs) {
    const DesignAccount one = account(scenario, design, scenario.seed);
    expect_sums(one);
    EXPECT_NEAR(static_cast<double>(to_ns(one.path.of(PathCause::kWaves))), 300'000, 3'000) << design.name;
    EXPECT_EQ(one.path.of(PathCause::kBandwidth), Duration{}) << design.name;
    EXPECT_THAT(Explanation(one, one, {}).table(), HasSubstr("path: waves")) << design.name;
  }
}

TEST(Waves, OfHalfCoresFitTwiceAsManyBlocks) {
  // Two blocks of 1024 threads share a core: 264 fit, 528 are two waves.
  const scenarios::Scenario scenario =
      scenario_of("scenario: s\n" + std::string(kH200) +
                  "graph: {tasks: [{name: gemm, time_ns: 100000, blocks: 528, threads: 1024, registers: 32}]}\n" + kStreams + "seed: 1\n");
  const DesignAccount one = account_of(scenario, "streams");
  expect_sums(one);
  EXPECT_NEAR(static_cast<double>(to_ns(one.path.of(PathCause::kWaves))), 100'000, 2'000);
}

TEST(Waves, OfAGridThatFitsAreNone) {
  const scenarios::Scenario scenario = scenario_of(
      "scenario: s\n" + std::string(kH200) + "graph: {tasks: [{name: gemm, time_ns: 100000, blocks: 132}]}\n" + kStreams + "seed: 1\n");
  EXPECT_EQ(account_of(scenario, "streams").path.of(PathCause::kWaves), Duration{});
}

TEST(Waves, AndPlacesOfBlocksAreNumbered) {
  const scenarios::Scenario scenario = scenario_of("scenario: s\n" + std::string(kH200) +
                                                   "graph: {tasks: [{name: gemm, time_ns: 1000, blocks: 300}]}\n" + kStreams + "seed: 1\n");
  const Timeline timeline = timeline_of(scenario, "streams");
  const std::vector<int> found = waves(core_occupancies(scenario.graph, timeline));
  EXPECT_EQ(std::ranges::count(found, 1), 132);
  EXPECT_EQ(std::ranges::count(found, 2), 132);
  EXPECT_EQ(std::ranges::count(found, 3), 36);
}

// No room on the device.

TEST(NoRoom, NamesTheGridThatHoldsTheCores) {
  const scenarios::Scenario scenario = load_case("behind-a-grid");
  const DesignAccount one = account_of(scenario, "plain");
  expect_sums(one);
  EXPECT_GT(one.path.of(PathCause::kRoom), Duration{1'000'000});
  EXPECT_EQ(holder_of(one, PathCause::kRoom), "gemm");
  EXPECT_THAT(told(one), AllOf(HasSubstr("no room on the device"), HasSubstr("'gemm'")));
}

TEST(NoRoom, IsTheWaitForOneBlockOfAnother) {
  // 132 long blocks hold every core; `late` could start at once but for them.
  const scenarios::Scenario scenario = scenario_of("scenario: s\n" + std::string(kH200) +
                                                   "graph:\n  tasks:\n"
                                                   "    - {name: long, time_ns: 500000, blocks: 132, stream: 0}\n"
                                                   "    - {name: late, time_ns: 1000, blocks: 1, stream: 1}\n" +
                                                   kStreams + "seed: 1\n");
  const DesignAccount one = account_of(scenario, "streams");
  EXPECT_GT(one.path.of(PathCause::kRoom), Duration{480'000});
  EXPECT_EQ(holder_of(one, PathCause::kRoom), "long");
}

TEST(NoRoom, IsNoneWhereTheKernelFitsBesideTheOther) {
  const scenarios::Scenario scenario = scenario_of("scenario: s\n" + std::string(kH200) +
                                                   "graph:\n  tasks:\n"
                                                   "    - {name: long, time_ns: 500000, blocks: 131, stream: 0}\n"
                                                   "    - {name: late, time_ns: 1000, blocks: 1, stream: 1}\n" +
                                                   kStreams + "seed: 1\n");
  EXPECT_EQ(account_of(scenario, "streams").path.of(PathCause::kRoom), Duration{});
}

// Places in hardware queues.

TEST(HardwareQueues, AndWavesExplainWhoGetsTheCores) {
  const scenarios::Scenario scenario = load_case("hardware-queues");
  for (const Design& design : scenario.designs) {
    const DesignAccount one = account(scenario, design, scenario.seed);
    expect_sums(one);
    EXPECT_EQ(one.path.of(PathCause::kBandwidth), Duration{}) << design.name;
    EXPECT_GT(one.path.of(PathCause::kWaves) + one.path.of(PathCause::kRoom), Duration{250'000}) << design.name;
    EXPECT_LT(one.idle_share(IdleCause::kNotification), 0.05) << design.name;
  }
}

TEST(HardwareQueues, HoldAKernelBehindAnotherThatWaits) {
  // `free` needs nothing, but stands behind `waits` in the only queue.
  const std::string graph =
      "graph:\n  tasks:\n"
      "    - {name: first, time_ns: 200000, stream: 0}\n"
      "    - {name: waits, time_ns: 1000, stream: 1, after: [first]}\n"
      "    - {name: free, time_ns: 300000, stream: 2}\n";
  const std::string designs =
      "designs:\n"
      "  - {name: one, from: cuda-streams, stream_granularity: hinted, streams: 4, hardware_queues: 1}\n"
      "  - {name: many, from: cuda-streams, stream_granularity: hinted, streams: 4, hardware_queues: 32}\n";
  const scenarios::Scenario scenario = scenario_of("scenario: s\n" + std::string(kH200) + graph + designs + "seed: 1\n");
  const DesignAccount one = account_of(scenario, "one");
  expect_sums(one);
  EXPECT_GT(one.path.of(PathCause::kHardwareQueue), Duration{180'000});
  EXPECT_EQ(holder_of(one, PathCause::kHardwareQueue), "waits");
  const DesignAccount many = account_of(scenario, "many");
  EXPECT_EQ(many.path.of(PathCause::kHardwareQueue), Duration{});
  EXPECT_LT(many.makespan, one.makespan);
}

// Figures.

TEST(Utilisation, IsNearAllOfAKernelThatFillsTheDevice) {
  const scenarios::Scenario scenario = load_case("utilisation");
  for (const Design& design : scenario.designs) {
    if (!launches_on_device(design.driver) && design.driver != Driver::kStreams && design.driver != Driver::kCudaGraph) continue;
    try {
      const Metrics metrics = measure(scenario.graph, predict(scenario, design, scenario.seed).timeline);
      EXPECT_GT(metrics.core_busy_share, 0.95) << design.name;
      EXPECT_LT(metrics.load_imbalance, 0.01) << design.name;
    } catch (const InputError& error) {
      EXPECT_EQ(design.driver, Driver::kDeviceGraphLaunch) << error.what();  // a block a task
    }
  }
}

TEST(Utilisation, HasOneDenominatorForAllDesigns) {
  // A kernel of one block for as long as the run: 1 of 132 cores, whoever launches it and whatever else is set apart.
  const scenarios::Scenario scenario =
      scenario_of("scenario: s\n" + std::string(kH200) +
                  "graph: {tasks: [{name: one, time_ns: 100000000}]}\n"
                  "designs: [cuda-streams, cuda-graph, dynamic-parallelism, central-dispatcher, shared-queue, static-queues]\nseed: 1\n");
  for (const Design& design : scenario.designs)
    EXPECT_NEAR(measure(scenario.graph, predict(scenario, design, 1).timeline).core_busy_share, 1.0 / 132, 1e-5) << design.name;
}

TEST(Utilisation, CountsACoreOnceForBlocksThatShareIt) {
  const scenarios::Scenario scenario = scenario_of(
      "scenario: s\n" + std::string(kH200) +
      "graph: {tasks: [{name: two, time_ns: 100000000, blocks: 264, threads: 1024, registers: 32}]}\n" + kStreams + "seed: 1\n");
  const Metrics metrics = measure(scenario.graph, predict(scenario, design_of(scenario, "streams"), 1).timeline);
  EXPECT_GT(metrics.core_busy_share, 0.99);
  EXPECT_LE(metrics.core_busy_share, 1);
}

// Phases.

void expect_in_order(const TaskTimes& times) {
  TimePoint last = kAbsent;
  for (const TimePoint phase : {times.ready, times.dispatched, times.received, times.started, times.ended, times.published}) {
    if (!is_present(phase)) continue;
    EXPECT_GE(phase, last);
    last = phase;
  }
}

TEST(Phases, AreInOrderWhateverTheGang) {
  const scenarios::Scenario scenario = load_case("apart-phases");
  for (const Design& design : scenario.designs) {
    for (const TaskTimes& times : predict(scenario, design, scenario.seed).timeline.tasks) expect_in_order(times);
  }
}

TEST(Phases, OfBlocksThatStartApartAreOfTheFirst) {
  const scenarios::Scenario scenario = scenario_of(
      "scenario: s\n"
      "machine: {from: ascend-a2a3, compute_cores: [{type: aic, count: 1, per_cluster: 1}, {type: aiv, count: 2, per_cluster: 2}]}\n"
      "graph: {tasks: [{name: wide, core_type: aiv, time_ns: 20000, blocks: 6}]}\n"
      "designs:\n"
      "  - {name: one, from: ascend-host-built, dispatchers: 1, gang: apart, mailbox_depth: 1}\n"
      "  - {name: ahead, from: ascend-host-built, dispatchers: 1, gang: apart, mailbox_depth: 3}\nseed: 1\n");
  for (const Design& design : scenario.designs) {
    const Timeline timeline = predict(scenario, design, 1).timeline;
    expect_in_order(timeline.tasks[0]);
    EXPECT_LT(timeline.tasks[0].started, at_ns(10'000));
    EXPECT_GT(timeline.tasks[0].ended, at_ns(60'000));
  }
}

}  // namespace
}  // namespace tasktwin::verify
