#include <gtest/gtest.h>

#include "tests/verify/support/simulated.hpp"

namespace tasktwin::tests {
namespace {

using scenarios::load_scenario;
using scenarios::Scenario;
using Overrides = std::vector<std::string>;

constexpr int kSeeds = 5;
const std::string kBatchedGemm = "graph={generator: batched_gemm}";

/// How much longer `design` takes than `reference`, in per cent of it.
double longer(const Scenario& scenario, std::string_view design, std::string_view reference) {
  return 100 * (mean_makespan_us(scenario, design, kSeeds) / mean_makespan_us(scenario, reference, kSeeds) - 1);
}

/// The part of the run in which a control core of `role` is busy, in per cent, on average.
double busy_percent(const Timeline& timeline, ControlRole role) {
  double busy = 0;
  double cores = 0;
  for (std::size_t i = 0; i < timeline.roles.size(); ++i) {
    if (timeline.roles[i] != role) continue;
    ++cores;
    for (const Span& span : timeline.dispatchers[i]) busy += static_cast<double>((span.end - span.begin).count());
  }
  return 100 * busy / cores / static_cast<double>(to_ns(timeline.makespan()));
}

TEST(Findings, EveryQuestionHasOne) {
  int questions = 0;
  for (const std::string& name : scenarios::shipped_scenarios()) {
    const Scenario scenario = load_scenario(name);
    EXPECT_EQ(scenario.question.empty(), scenario.finding.empty()) << name;
    questions += name.starts_with("question-") ? 1 : 0;
    if (name.starts_with("question-")) {
      EXPECT_FALSE(scenario.question.empty()) << name;
    }
  }
  EXPECT_GE(questions, 5);
}

TEST(Findings, FourSchedulersBeatThreeAndAResolver) {
  const Scenario scenario = load_scenario("question-resolver");
  EXPECT_NEAR(longer(scenario, "three-and-resolver", "four"), 22, 3);
  EXPECT_NEAR(longer(scenario, "three", "four"), 31, 3);
  EXPECT_NEAR(busy_percent(simulated(scenario, "three-and-resolver", 1), ControlRole::kResolver), 25, 5);
  EXPECT_NEAR(longer(load_scenario("question-resolver", Overrides{"machine.device_control.resolve_ns=300"}), "three-and-resolver", "four"),
              13, 3);
  EXPECT_NEAR(longer(load_scenario("question-resolver", Overrides{kBatchedGemm}), "three-and-resolver", "four"), 3, 1.5);
}

TEST(Findings, TheSecondSlotIsFilledBestWhileNoCoreIsIdle) {
  const Scenario layered = load_scenario("question-second-slot");
  EXPECT_NEAR(longer(layered, "always", "one-slot"), 13, 3);
  EXPECT_NEAR(longer(layered, "not-in-tail", "one-slot"), 11, 3);
  EXPECT_NEAR(longer(layered, "when-no-core-idle", "one-slot"), 0, 2);
  const Scenario gemm = load_scenario("question-second-slot", Overrides{kBatchedGemm});
  EXPECT_NEAR(longer(gemm, "always", "one-slot"), -14, 2);
  EXPECT_NEAR(longer(gemm, "when-no-core-idle", "always"), 0, 1);
  EXPECT_NEAR(longer(gemm, "not-in-tail", "always"), 0, 1);
}

/// Of the tasks, what the busiest scheduler handed over beyond an even share, in per cent.
double hoarded(const Scenario& scenario, std::string_view design) {
  double sum = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const Timeline timeline = simulated(scenario, design, static_cast<std::uint64_t>(seed));
    std::vector<double> tasks(timeline.roles.size());
    for (const TaskTimes& times : timeline.tasks) ++tasks.at(index(times.dispatcher));
    sum += 100 * (*std::ranges::max_element(tasks) * static_cast<double>(tasks.size()) / static_cast<double>(timeline.tasks.size()) - 1);
  }
  return sum / kSeeds;
}

TEST(Findings, ThePendingSlotMakesASchedulerHoard) {
  const Scenario scenario = load_scenario("question-hoarding");
  EXPECT_NEAR(hoarded(scenario, "always"), 23, 4);
  EXPECT_NEAR(hoarded(scenario, "one-slot"), 2, 1.5);
  EXPECT_NEAR(hoarded(scenario, "when-no-core-idle"), 2, 1.5);
  EXPECT_NEAR(hoarded(scenario, "interleaved"), 20, 5);
  EXPECT_NEAR(hoarded(load_scenario("question-hoarding", Overrides{"machine.device_control.complete_ns=290"}), "always"), 21, 4);
}

TEST(Findings, OwnQueuesWithStealingWinWhereTheQueueIsContended) {
  const auto with = [](const std::string& change) { return load_scenario("question-queues", Overrides{change}); };
  const Scenario contended = load_scenario("question-queues");
  const Scenario more_contended = with("machine.ready_queues.service_ns=400");
  for (const char* design : {"sharded-stealing", "local-lifo"}) {
    EXPECT_NEAR(longer(contended, design, "per-core-type"), -4, 1.5) << design;
    EXPECT_NEAR(longer(more_contended, design, "per-core-type"), -7, 1.5) << design;
  }
  const Scenario free = with("machine.ready_queues.service_ns=0");
  EXPECT_NEAR(longer(free, "sharded-stealing", "per-core-type"), 0, 1.5);
  EXPECT_NEAR(longer(free, "local-lifo", "per-core-type"), 0, 2);
}

TEST(Findings, LocalQueuesWithoutStealingLoseOnRaggedSequences) {
  EXPECT_NEAR(longer(load_scenario("question-queues"), "local-without-stealing", "per-core-type"), -6, 2);
  EXPECT_NEAR(longer(load_scenario("question-queues", Overrides{"graph.lengths=ragged"}), "local-without-stealing", "per-core-type"), 40,
              8);
}

double saturated_us(const std::string& time_ns, std::string_view design) {
  return mean_makespan_us(load_scenario("question-saturation", Overrides{"graph.time_ns=" + time_ns}), design, 1);
}

TEST(Findings, BelowElevenMicrosecondsTheSchedulersSetTheTime) {
  const double saturated = saturated_us("1000", "interleaved");
  EXPECT_NEAR(saturated, 4870, 70);
  EXPECT_NEAR(saturated_us("100", "interleaved") / saturated, 1, 0.01);
  EXPECT_NEAR(saturated_us("10000", "interleaved") / saturated, 1, 0.01) << "just before the edge";
  EXPECT_GT(saturated_us("13000", "interleaved") / saturated, 1.1) << "just behind it";
  EXPECT_NEAR(saturated_us("20000", "two-schedulers") / saturated, 2, 0.03);
  EXPECT_GT(saturated_us("26000", "two-schedulers") / saturated, 2.2);
}

TEST(Findings, TheDispatchBoundIsMetFarIntoSaturation) {
  for (const char* time_ns : {"100", "1000", "5000"}) {
    const Scenario scenario = load_scenario("question-saturation", Overrides{std::string("graph.time_ns=") + time_ns});
    const auto over_bound = [&](std::string_view design) {
      const Bounds bounds = run_bounds(scenario.graph, scenario.machine, design_called(scenario, design), 1);
      EXPECT_EQ(bounds.highest_name(), "dispatch");
      return static_cast<double>(to_ns(simulated(scenario, design, 1).makespan())) / static_cast<double>(to_ns(bounds.dispatch));
    };
    for (const char* design : {"interleaved", "two-schedulers"}) {
      EXPECT_GE(over_bound(design), 1) << design << " at " << time_ns << " ns";
      EXPECT_LE(over_bound(design), 1.01) << design << " at " << time_ns << " ns";
    }
    EXPECT_NEAR(over_bound("ascend-host-built"), 1.055, 0.01) << time_ns;
  }
}

TEST(Findings, OneOrchestratorHoldsPagedAttentionUp) {
  const Scenario scenario = load_scenario("ascend-paged-attention");
  const Timeline timeline = simulated(scenario, "ascend-device-built", 1);
  EXPECT_NEAR(window_us(timeline), 44'000, 1000);
  EXPECT_GT(busy_percent(timeline, ControlRole::kOrchestrator), 99);
  EXPECT_GT(busy_percent(simulated(scenario, "ascend-host-built", 1), ControlRole::kScheduler), 97);
}

/// Silicon polls 0.95 times a task; the difference is what code_scale makes up for.
TEST(Findings, PagedAttentionIsPolledForOneAndAHalfTimesATask) {
  const Scenario scenario = load_scenario("ascend-paged-attention");
  const Design& design = design_called(scenario, "ascend-host-built");
  const Timeline timeline = sim::simulate(scenario.graph, scenario.machine, design, {.seed = 1, .record_steps = true}).timeline;
  double polling = 0;
  for (const auto& steps : timeline.steps) {
    for (const Step& step : steps) polling += step.kind == StepKind::kPoll ? static_cast<double>((step.end - step.begin).count()) : 0;
  }
  const double polls = polling / scenario.machine.device_control->poll_per_core.count();
  EXPECT_NEAR(polls / static_cast<double>(scenario.graph.size()), 1.5, 0.1);
}

TEST(Findings, SeedsSpreadBatchedGemmByFarLessThanRepeatedBuildsDiffer) {
  const Scenario scenario = load_scenario("ascend-bgemm");
  std::vector<double> windows;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) windows.push_back(window_us(simulated(scenario, "ascend-device-built", seed)));
  const auto [least, most] = std::ranges::minmax(windows);
  EXPECT_NEAR(most - least, 17, 8);
  EXPECT_LT(most, 762);
  EXPECT_NEAR(mean_window_us(scenario, "ascend-host-built", kSeeds), 490, 15);
}

TEST(Findings, ListsForWhatIsRegularAndAQueueForTheRestPayWhereTheRestIsLong) {
  const Scenario ragged = load_scenario("question-mixed-designs");
  EXPECT_NEAR(longer(ragged, "by-kind", "static-queues"), -5.9, 1.5);
  EXPECT_NEAR(longer(ragged, "by-kind", "shared-queue"), -6, 2);
  EXPECT_NEAR(longer(ragged, "by-kind", "work-stealing"), -19, 3);
  EXPECT_NEAR(longer(ragged, "lists-that-are-stolen-from", "static-queues"), -1.5, 1);
  EXPECT_NEAR(longer(ragged, "by-kind-and-barrier", "by-kind"), 0.9, 0.5);
  EXPECT_GT(longer(ragged, "experts-alone", "static-queues"), 0);
  const auto decode = [](const std::string& parameters) {
    return load_scenario("question-mixed-designs", Overrides{"graph={generator: expert_decode, " + parameters + "}"});
  };
  EXPECT_NEAR(longer(decode("attention_time_ns: 6000"), "by-kind", "static-queues"), 5.2, 1.5);
  EXPECT_NEAR(longer(decode("attention_time_ns: 6000, skew_percent: 0, spread_percent: 0"), "by-kind", "static-queues"), 27, 4);
  EXPECT_NEAR(longer(decode("attention_time_ns: 11000"), "by-kind", "static-queues"), 0, 2);
}

TEST(Findings, AGroupQueueHelpsPagedAttentionOnceItsUpdatesCanBeCompared) {
  const auto with = [](const std::string& constant) {
    return load_scenario("question-group-queue", Overrides{"machine.group_queue." + constant});
  };
  const Scenario paged = load_scenario("question-group-queue");
  EXPECT_NEAR(longer(paged, "group-queue", "software"), -41, 3);  // published: -48 %
  const double four = mean_makespan_us(paged, "group-queue", kSeeds);
  EXPECT_EQ(mean_makespan_us(with("comparators=3"), "group-queue", kSeeds), four);
  EXPECT_NEAR(mean_makespan_us(with("comparators=2"), "group-queue", kSeeds) / four, 6.9, 0.5);
  EXPECT_NEAR(mean_makespan_us(with("slots=8"), "group-queue", kSeeds) / four, 2.5, 0.2);
  EXPECT_NEAR(mean_makespan_us(with("slots=64"), "group-queue", kSeeds) / four, 0.87, 0.05);
  EXPECT_NEAR(longer(load_scenario("question-group-queue", Overrides{kBatchedGemm}), "group-queue", "software"), 1, 2);
}

}  // namespace
}  // namespace tasktwin::tests
