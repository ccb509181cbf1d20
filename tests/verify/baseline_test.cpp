// Gates: what they catch, and how often they are wrong.
#include "verify/compare/baseline.hpp"

#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;

constexpr int kSeeds = 1000;
constexpr int kRuns = 20;
constexpr double kLimit = 0.02;

/// Runs of a design whose makespan varies by `sigma`, a fraction of it, part of which the seed decides.
struct Runs {
  std::vector<double> before;
  std::vector<double> now;
};

Runs drawn(std::uint64_t seed, double slower, double common, double own) {
  Random random(seed);
  Runs runs;
  for (int run = 0; run < kRuns; ++run) {
    const double shared = 1 + common * random.normal();
    runs.before.push_back(100'000 * (shared + own * random.normal()));
    runs.now.push_back(100'000 * (1 + slower) * (shared + own * random.normal()));
  }
  return runs;
}

int alarms(double slower, double common, double own, bool paired) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Runs runs = drawn(seed, slower, common, own);
    count += slowdown(runs.now, runs.before, paired).low > kLimit;
  }
  return count;
}

TEST(Gate, IsWrongInAtMostOneOfAHundredThatAreNoSlower) {
  EXPECT_LE(alarms(0, 0.05, 0.01, true), kSeeds / 100);
  EXPECT_LE(alarms(0, 0.05, 0.01, false), kSeeds / 100);
  EXPECT_LE(alarms(kLimit, 0, 0.004, true), 2 * kSeeds / 100) << "just at the limit, in one of a hundred";
}

TEST(Gate, CatchesThreePerCentWhereTwoAreTheLimit) {
  EXPECT_GE(alarms(0.03, 0.05, 0.004, true), 99 * kSeeds / 100) << "the seeds' own part is taken out";
  EXPECT_GE(alarms(0.03, 0, 0.004, false), 99 * kSeeds / 100);
}

/// Makespans of a graph of tasks whose times are drawn, with the seeds from `first` on; every task takes `slower` times as long.
std::vector<double> simulated(double slower, std::uint64_t first, std::size_t runs) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "drawn.yaml",
                    "scenario: drawn\nmachine: nvidia-h200\ndesigns: [shared-queue]\n"
                    "graph: {generator: layered_random, tasks: 24, width: 6, min_time_ns: 20000, max_time_ns: 60000}\n");
  scenarios::Scenario scenario = scenarios::load_scenario((folder / "drawn.yaml").string());
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < scenario.graph.size(); ++i) {
    Task task = scenario.graph[task_id(i)];
    task.cost.time = Duration{std::llround(slower * static_cast<double>(to_ns(task.cost.time)))};
    task.cost.sigma_ns = static_cast<std::uint32_t>(to_ns(task.cost.time) / 80);
    builder.add_task(scenario.graph.name(task_id(i)), task);
  }
  for (std::size_t i = 0; i < scenario.graph.size(); ++i) {
    for (const TaskId before : scenario.graph.predecessors(task_id(i))) builder.add_edge(before, task_id(i));
  }
  scenario.graph = std::move(builder).build();
  std::vector<double> makespans;
  for (std::uint64_t seed = first; seed < first + runs; ++seed)
    makespans.push_back(static_cast<double>(to_ns(predict_makespan(scenario, scenario.designs.front(), seed))));
  return makespans;
}

TEST(Gate, OnSimulatedRunsFailsOnThreePerCentAndPassesOnNoise) {
  constexpr std::size_t kAll = kSeeds * kRuns;
  const std::vector<double> before = simulated(1, 1, kAll);
  const std::vector<double> again = simulated(1, 1'000'001, kAll);
  const std::vector<double> slower = simulated(1.03, 2'000'001, kAll);
  const std::vector<double> slower_paired = simulated(1.03, 1, kAll);
  int false_alarms = 0;
  int false_alarms_at_once = 0;  // where nothing may be slower at all
  int caught = 0;
  int caught_paired = 0;
  for (std::size_t from = 0; from < kAll; from += kRuns) {
    const auto runs = [from](const std::vector<double>& all) { return std::span(all).subspan(from, kRuns); };
    const Slowdown noise = slowdown(runs(again), runs(before), false);
    false_alarms += noise.low > kLimit;
    false_alarms_at_once += noise.low > 0;
    caught += slowdown(runs(slower), runs(before), false).low > kLimit;
    caught_paired += slowdown(runs(slower_paired), runs(before), true).low > kLimit;
  }
  EXPECT_LE(false_alarms, kSeeds / 100);
  EXPECT_LE(false_alarms_at_once, kSeeds / 100 + 9) << "one of a hundred, and three standard deviations of that over 1000 trials";
  EXPECT_GE(caught, 95 * kSeeds / 100) << "of runs with other seeds, which vary by themselves";
  EXPECT_GE(caught_paired, 99 * kSeeds / 100);
}

TEST(Gate, IsExactWhereNothingVaries) {
  const Slowdown by = slowdown(std::vector{103.0}, std::vector{100.0}, true);
  EXPECT_DOUBLE_EQ(by.mean, 0.03);
  EXPECT_DOUBLE_EQ(by.low, 0.03);
}

/// Of a design with so many runs now and before; none for a file that does not say whether they were drawn.
bool is_checked(std::size_t now, bool random, std::size_t before, std::optional<bool> random_before) {
  scenarios::Scenario scenario;
  scenario.name = "s";
  DesignComparison comparison;
  comparison.seed = 1;
  comparison.standings.push_back(
      {.design = named_design("shared-queue"), .assessment = {}, .makespans = std::vector<double>(now, 100), .random = random});
  Gate gate;
  gate.baselines = {{.scenario = "s",
                     .machine_hash = "h",
                     .seed = 2,
                     .designs = {{"shared-queue", {.makespans = std::vector<double>(before, 100), .random = random_before}}}}};
  try {
    EXPECT_TRUE(gate.check(scenario, comparison).too_slow.empty());
    return true;
  } catch (const InputError& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("--runs: s under shared-queue draws times")) << now << ' ' << before;
    return false;
  }
}

TEST(Gate, RefusesFewerThanFiveRunsOfWhatIsRandomOnEitherSide) {
  for (const std::optional<bool> said : {std::optional<bool>(), std::optional(true)}) {
    EXPECT_FALSE(is_checked(1, true, 30, said)) << "one run is no makespan without chance";
    EXPECT_FALSE(is_checked(4, true, 30, said));
    EXPECT_FALSE(is_checked(30, true, 1, said));
    EXPECT_FALSE(is_checked(30, true, 4, said));
    EXPECT_TRUE(is_checked(5, true, 5, said));
  }
  EXPECT_TRUE(is_checked(1, false, 1, std::nullopt));
  EXPECT_TRUE(is_checked(1, false, 1, false));
  EXPECT_TRUE(is_checked(5, true, 1, false)) << "the baseline's times were given";
  EXPECT_TRUE(is_checked(1, false, 5, true));
  EXPECT_FALSE(is_checked(1, false, 4, true));
  EXPECT_FALSE(is_checked(1, true, 1, false));
}

TEST(Gate, OfAShippedScenarioIsWrongInAtMostOneOfAHundred) {
  Progress progress([] {});
  const Selection selection = load_selections({"example"}, "shared-queue,central-dispatcher", "", progress).front();
  const auto compared = [&](std::uint64_t seed, std::uint64_t runs) {
    return compare_designs(selection.scenario, selection.designs, {.seed = seed, .runs = runs, .causes = true}, progress);
  };
  const tests::TemporaryFolder folder;
  const std::string file = (folder / "baseline.json").string();
  tests::write_text(file, to_json(selection.scenario, compared(1, 30)).dump());
  Gate gate;
  gate.baselines = read_baseline(file);
  for (const auto& [name, design] : gate.baselines.front().designs) EXPECT_EQ(design.random, true) << name;
  EXPECT_THROW(gate.check(selection.scenario, compared(100, 1)), InputError);
  int alarms = 0;
  for (std::uint64_t seed = 100; seed < 600; seed += 5) alarms += !gate.check(selection.scenario, compared(seed, 5)).too_slow.empty();
  EXPECT_LE(alarms, 4) << "one of a hundred, and three standard deviations of that";
}

/// Of one design with a makespan before and now.
GateOutcome outcome_of(double before, double now, double fail_above) {
  scenarios::Scenario scenario;
  scenario.name = "s";
  DesignComparison comparison;
  comparison.standings.push_back({.design = named_design("shared-queue"), .assessment = {}, .makespans = {now}});
  Gate gate;
  gate.fail_above = fail_above;
  gate.baselines = {{.scenario = "s", .machine_hash = "h", .designs = {{"shared-queue", {.makespans = {before}, .random = false}}}}};
  return gate.check(scenario, comparison);
}

TEST(Gate, SaysWhatItCoveredAndWhatBecameFaster) {
  EXPECT_EQ(to_text(outcome_of(1000, 1010, 0.02), 0.02, "base.json", ""), "gate: 1 design within 2 % of base.json");
  EXPECT_EQ(to_text(outcome_of(1000, 1000, 0), 0, "base.json", ""), "gate: 1 design no slower than base.json");
  EXPECT_EQ(to_text(outcome_of(1000, 960, 0.02), 0.02, "base.json", ""),
            "gate: 1 design within 2 % of base.json; s under shared-queue is 4.0 % faster: renew the baseline?");
  EXPECT_EQ(to_text(outcome_of(1000, 1100, 0.02), 0.02, "base.json", ""), "gate: 0 of 1 design within 2 % of base.json");
  EXPECT_TRUE(outcome_of(1000, 985, 0.02).faster.empty()) << "by less than a slowdown may be";
  GateOutcome both = outcome_of(1000, 1000, 0);
  both.add(outcome_of(1000, 500, 0));
  EXPECT_EQ(to_json(both),
            (Json{{"held_to_baseline", 2}, {"held_to_design", 0}, {"faster", {{{"design", "shared-queue"}, {"faster", 0.5}}}}}));
  both = {.held_to_design = 3, .too_slow = {{"s", "d", "hybrid", {}}}};
  EXPECT_EQ(to_text(both, 0.05, "", "hybrid"), "gate: 2 of 3 designs within 5 % of hybrid");
}

TEST(Gate, RefusesABaselineOfOtherScenariosOrDesigns) {
  const tests::TemporaryFolder folder;
  const auto selection = [&folder](const std::string& name) {
    tests::write_text(folder / "one.yaml", "scenario: " + name +
                                               "\nmachine: nvidia-h200\ndesigns: [shared-queue, static-queues]\ngraph: "
                                               "{generator: chain}\n");
    scenarios::Scenario scenario = scenarios::load_scenario((folder / "one.yaml").string());
    std::vector<Design> designs = scenario.designs;
    return Selection{.argument = name, .scenario = std::move(scenario), .designs = std::move(designs)};
  };
  Gate gate;
  gate.baselines = {{.scenario = "old", .machine_hash = "h", .seed = 1, .designs = {{"shared-queue", {.makespans = {5}}}}}};
  const std::vector<Selection> same{selection("new"), selection("old")};
  EXPECT_NO_THROW(gate.check_common(same, "baseline.json")) << "one is enough: a scenario may be new";
  const std::vector<Selection> renamed{selection("new")};
  EXPECT_THAT([&] { gate.check_common(renamed, "baseline.json"); },
              testing::ThrowsMessage<InputError>("baseline.json: has no scenario and design of this comparison, so it would be held to "
                                                 "nothing; the baseline has old under shared-queue; compared are new under shared-queue, "
                                                 "static-queues"));
  gate.baselines.front().designs = {{"work-stealing", {.makespans = {5}}}};
  EXPECT_THROW(gate.check_common(same, "baseline.json"), InputError) << "the scenario, but none of its designs";
}

TEST(Gate, RefusesADesignThatNoOtherIsHeldTo) {
  Gate gate;
  gate.worse_than = "shared-queue";
  std::vector<Selection> selections(1);
  selections.front().designs = {named_design("shared-queue")};
  EXPECT_THROW(gate.check_common(selections, ""), InputError);
  selections.front().designs.push_back(named_design("static-queues"));
  EXPECT_NO_THROW(gate.check_common(selections, ""));
}

TEST(Baseline, SaysWhatIsWrongWithItsFile) {
  const tests::TemporaryFolder folder;
  const std::string file = (folder / "baseline.json").string();
  const auto refused = [&file](const std::string& text) -> std::string {
    tests::write_text(file, text);
    try {
      read_baseline(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused("{"), HasSubstr("baseline.json:1:2: is no JSON"));
  EXPECT_THAT(refused("{}"), HasSubstr("scenario: is missing"));
  EXPECT_THAT(refused("[]"), HasSubstr("baseline.json: holds no result"));
  EXPECT_THAT(refused(R"([{"format": "tasktwin/9"}])"), HasSubstr("[0].format: is \"tasktwin/9\", while this version reads"));
  EXPECT_THAT(refused(R"({"scenario": "s", "machine_hash": "h", "seed": 1, "designs": [{"design": "a"}]})"),
              HasSubstr("designs[0].makespans_ns: is missing"));
  const std::string one =
      R"({"scenario": "s", "machine_hash": "h", "seed": 1, "designs": [{"design": "a", "makespans_ns": [5], "path": {}}]})";
  EXPECT_EQ(refused(one), "");
  EXPECT_THAT(refused("[" + one + "," + one + "]"),
              HasSubstr("[1].scenario: 's' stands twice, first in [0]; what is compared must have one"));
  EXPECT_THAT(refused(R"({"scenario": "s", "machine_hash": "h", "seed": 1, "random": 1})"), HasSubstr("random: must be a list"));
}

}  // namespace
}  // namespace tasktwin::verify
