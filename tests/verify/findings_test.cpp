#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
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

/// The finding that a scenario ships. Each of its numbers is held to what is simulated: rounded as it is written, it must be that.
class Finding {
 public:
  explicit Finding(const std::string& scenario) : scenario_(scenario), text_(load_scenario(scenario).finding) {}

  /// The number in place of '#' in `phrase`, a part of the finding, is `simulated`.
  void says(const std::string& phrase, double simulated) const {
    const std::string number = number_of(phrase);
    const std::size_t point = number.find('.');
    const std::size_t decimals = point == std::string::npos ? 0 : number.size() - point - 1;
    EXPECT_EQ(fmt::format("{:.{}f}", simulated, decimals), number) << scenario_ << ": " << phrase;
  }
  /// It is at least as large as `simulated`, whatever its sign.
  void bounds(const std::string& phrase, double simulated) const {
    EXPECT_LE(std::abs(simulated), std::strtod(number_of(phrase).c_str(), nullptr)) << scenario_ << ": " << phrase;
  }

 private:
  std::string number_of(const std::string& phrase) const {
    const std::string before = phrase.substr(0, phrase.find('#'));
    const std::string after = phrase.substr(before.size() + 1);
    for (std::size_t at = text_.find(before); at != std::string::npos; at = text_.find(before, at + 1)) {
      const std::size_t begin = at + before.size();
      const std::size_t end = std::min(text_.find_first_not_of("0123456789.", begin), text_.size());
      if (end > begin && text_.compare(end, after.size(), after) == 0) return text_.substr(begin, end - begin);
    }
    ADD_FAILURE() << scenario_ << " does not say: " << phrase;
    return "0";
  }

  std::string scenario_;
  std::string text_;
};

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
  const Finding finding("question-resolver");
  const Scenario scenario = load_scenario("question-resolver");
  finding.says("three and a resolver take # % longer", longer(scenario, "three-and-resolver", "four"));
  finding.says("Three schedulers alone take # % longer", longer(scenario, "three", "four"));
  finding.says("resolver is busy for # % of the time", busy_percent(simulated(scenario, "three-and-resolver", 1), ControlRole::kResolver));
  finding.says("the loss is still # %", longer(load_scenario("question-resolver", Overrides{"machine.device_control.resolve_ns=300"}),
                                               "three-and-resolver", "four"));
  finding.says("bound by the cores, it is # %",
               longer(load_scenario("question-resolver", Overrides{kBatchedGemm}), "three-and-resolver", "four"));
}

TEST(Findings, TheSecondSlotIsFilledBestWhileNoCoreIsIdle) {
  const Finding finding("question-second-slot");
  const Scenario layered = load_scenario("question-second-slot");
  finding.says("`always` takes # % longer", longer(layered, "always", "one-slot"));
  finding.says("`not_in_tail` # %", longer(layered, "not-in-tail", "one-slot"));
  finding.bounds("`when_no_core_idle` is within # % of one slot", longer(layered, "when-no-core-idle", "one-slot"));
  const Scenario gemm = load_scenario("question-second-slot", Overrides{kBatchedGemm});
  finding.says("a second slot saves # %", -longer(gemm, "always", "one-slot"));
  finding.bounds("the three rules are within # % of each other", longer(gemm, "when-no-core-idle", "always"));
  finding.bounds("the three rules are within # % of each other", longer(gemm, "not-in-tail", "always"));
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
  const Finding finding("question-hoarding");
  const Scenario scenario = load_scenario("question-hoarding");
  finding.says("gets # % more than its share", hoarded(scenario, "always"));
  finding.says("with one slot # %", hoarded(scenario, "one-slot"));
  finding.says("cures it (# %)", hoarded(scenario, "when-no-core-idle"));
  finding.says("hands over after each completion (# %)", hoarded(scenario, "interleaved"));
  finding.says("a quarter of its time leaves the hoarding at # %",
               hoarded(load_scenario("question-hoarding", Overrides{"machine.device_control.complete_ns=290"}), "always"));
}

TEST(Findings, OwnQueuesWithStealingWinWhereTheQueueIsContended) {
  const Finding finding("question-queues");
  const auto with = [](const std::string& change) { return load_scenario("question-queues", Overrides{change}); };
  const Scenario contended = load_scenario("question-queues");
  finding.says("shards with stealing are # % faster", -longer(contended, "sharded-stealing", "per-core-type"));
  finding.says("local queues, last in first out, # %", -longer(contended, "local-lifo", "per-core-type"));
  const Scenario more_contended = with("machine.ready_queues.service_ns=400");
  finding.says("at 400 ns # and", -longer(more_contended, "sharded-stealing", "per-core-type"));
  const std::string sharded = fmt::format("{:.0f}", -longer(more_contended, "sharded-stealing", "per-core-type"));
  finding.says("at 400 ns " + sharded + " and # %", -longer(more_contended, "local-lifo", "per-core-type"));
  const Scenario free = with("machine.ready_queues.service_ns=0");
  finding.bounds("costs nothing, all are within # %", longer(free, "sharded-stealing", "per-core-type"));
  finding.bounds("costs nothing, all are within # %", longer(free, "local-lifo", "per-core-type"));
}

TEST(Findings, LocalQueuesWithoutStealingLoseOnRaggedSequences) {
  const Finding finding("question-queues");
  finding.says("without it local queues gain # %", -longer(load_scenario("question-queues"), "local-without-stealing", "per-core-type"));
  finding.says("and lose # % with ragged",
               longer(load_scenario("question-queues", Overrides{"graph.lengths=ragged"}), "local-without-stealing", "per-core-type"));
}

double saturated_us(const std::string& time_ns, std::string_view design) {
  return mean_makespan_us(load_scenario("question-saturation", Overrides{"graph.time_ns=" + time_ns}), design, 1);
}

TEST(Findings, BelowElevenMicrosecondsTheSchedulersSetTheTime) {
  const double saturated = saturated_us("1000", "interleaved");
  Finding("question-saturation").says("20 000 tasks take # ms whatever their length", saturated / 1000);
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
  Finding("ascend-paged-attention").says("the same graph takes # ms", window_us(timeline) / 1000);
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
  Finding("ascend-paged-attention").says("is polled for # times", polls / static_cast<double>(scenario.graph.size()));
}

TEST(Findings, SeedsSpreadBatchedGemmByFarLessThanRepeatedBuildsDiffer) {
  const Scenario scenario = load_scenario("ascend-bgemm");
  std::vector<double> windows;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) windows.push_back(window_us(simulated(scenario, "ascend-device-built", seed)));
  const auto [least, most] = std::ranges::minmax(windows);
  const Finding finding("ascend-bgemm");
  finding.says("Seeds spread it by # us", most - least);
  finding.says(", from # to", least);
  finding.says(fmt::format(", from {:.0f} to # us", least), most);
  EXPECT_LT(most, 762);
  finding.says("beforehand it would take # ms", mean_window_us(scenario, "ascend-host-built", kSeeds) / 1000);
}

TEST(Findings, ListsForWhatIsRegularAndAQueueForTheRestPayWhereTheRestIsLong) {
  const Finding finding("question-mixed-designs");
  const Scenario ragged = load_scenario("question-mixed-designs");
  finding.says("(by-kind) take # % less than lists for all", -longer(ragged, "by-kind", "static-queues"));
  finding.says("# % less than one queue for all", -longer(ragged, "by-kind", "shared-queue"));
  finding.says("# % less than work stealing", -longer(ragged, "by-kind", "work-stealing"));
  finding.says("lists that are stolen from are # % better", -longer(ragged, "lists-that-are-stolen-from", "static-queues"));
  finding.says("a barrier between layers costs # %", longer(ragged, "by-kind-and-barrier", "by-kind"));
  EXPECT_GT(longer(ragged, "experts-alone", "static-queues"), 0);
  const auto decode = [](const std::string& parameters) {
    return load_scenario("question-mixed-designs", Overrides{"graph={generator: expert_decode, " + parameters + "}"});
  };
  finding.says("lists for all are # % ahead", longer(decode("attention_time_ns: 6000"), "by-kind", "static-queues"));
  finding.says("nothing varies # %",
               longer(decode("attention_time_ns: 6000, skew_percent: 0, spread_percent: 0"), "by-kind", "static-queues"));
  EXPECT_NEAR(longer(decode("attention_time_ns: 11000"), "by-kind", "static-queues"), 0, 2);
}

TEST(Findings, AGroupQueueHelpsPagedAttentionOnceItsUpdatesCanBeCompared) {
  const Finding finding("question-group-queue");
  const auto with = [](const std::string& constant) {
    return load_scenario("question-group-queue", Overrides{"machine.group_queue." + constant});
  };
  const Scenario paged = load_scenario("question-group-queue");
  finding.says("# % less time than the software scheduler", -longer(paged, "group-queue", "software"));
  const double four = mean_makespan_us(paged, "group-queue", kSeeds);
  EXPECT_EQ(mean_makespan_us(with("comparators=3"), "group-queue", kSeeds), four);
  finding.says("With two the run takes # times as long", mean_makespan_us(with("comparators=2"), "group-queue", kSeeds) / four);
  finding.says("8 in place of 32 take # times as long", mean_makespan_us(with("slots=8"), "group-queue", kSeeds) / four);
  finding.says("64 take # % less", 100 * (1 - mean_makespan_us(with("slots=64"), "group-queue", kSeeds) / four));
  finding.says("the cores, it is # % slower than software",
               longer(load_scenario("question-group-queue", Overrides{kBatchedGemm}), "group-queue", "software"));
}

TEST(Findings, LayersAreCutAsTheSearchFinds) {
  const Finding finding("layer-cuts");
  const auto makespan = [](const std::string& up, const std::string& down, const std::string& depth, const std::string& fused) {
    const Overrides cuts{"graph.operators.up.cut.columns=" + up, "graph.operators.down.cut.columns=" + down,
                         "graph.operators.down.cut.depth=" + depth, "graph.operators.norm.fused=" + fused};
    return mean_makespan_us(load_scenario("layer-cuts", cuts), "static-queues", 1);
  };
  const double best = makespan("64", "16", "8192", "true");
  for (const std::string up : {"32", "64", "128", "256"}) {
    for (const std::string down : {"16", "32", "64"}) EXPECT_LE(best, makespan(up, down, "8192", "true")) << up << ' ' << down;
  }
  finding.says("by itself saves # %", 100 * (1 - best / makespan("64", "16", "8192", "false")));
  finding.says("in four saves # %", 100 * (1 - makespan("64", "128", "2048", "true") / makespan("64", "128", "8192", "true")));
  finding.says("takes # % longer", 100 * (makespan("128", "64", "2048", "true") / best - 1));
}

}  // namespace
}  // namespace tasktwin::tests
