#include "verify/report/report_data.hpp"
#include "models/runtimes/runtimes.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/sim/random_designs.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/page_data.hpp"
#include "verify/report/columns.hpp"
#include "verify/report/machine_data.hpp"

namespace tasktwin::tests {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::int64_t sum(const json& numbers) {
  const auto values = numbers.get<std::vector<std::int64_t>>();
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// A timeline without the blocks that lie on no row of the page.
Timeline as_shown(Timeline timeline) {
  if (timeline.on_streams) timeline.blocks.clear();
  return timeline;
}

/// The cores whose time is accounted for.
std::size_t idle_cores(const Timeline& timeline) { return timeline.body_cores().size(); }

void expect_sums(const json& run, std::size_t cores) {
  const auto makespan = run.at("makespan_ns").get<std::int64_t>();
  EXPECT_EQ(sum(run.at("path_ns")), makespan);
  EXPECT_EQ(sum(run.at("path").at("end_delta")), makespan);
  EXPECT_EQ(sum(run.at("idle_ns")) + run.at("busy_ns").get<std::int64_t>(), static_cast<std::int64_t>(cores) * makespan);
  std::vector<std::int64_t> by_cause(run.at("path_causes").size());
  const json& path = run.at("path");
  for (std::size_t i = 0; i < path.at("cause").size(); ++i)
    by_cause.at(path.at("cause").at(i).get<std::size_t>()) += path.at("end_delta").at(i).get<std::int64_t>();
  EXPECT_EQ(run.at("path_ns").get<std::vector<std::int64_t>>(), by_cause);
}

TEST(ReportData, ColumnsReadBackAsTheTimelineWhateverTheDesign) {
  constexpr int kWorlds = 300;
  int ran = 0;
  int wide = 0;
  int absent = 0;
  for (std::uint64_t number = 0; ran < kWorlds && !testing::Test::HasFailure(); ++number) {
    const sim::RandomWorld world = sim::random_world(number);
    scenarios::Scenario scenario;
    scenario.name = "random";
    scenario.graph = world.graph;
    scenario.machine = world.machine;
    if (!world.replayed.tasks.empty()) scenario.replays[world.design.name] = world.replayed;
    verify::CompareOutcome outcome;
    try {
      outcome = compared(scenario, {world.design});
    } catch (const InputError&) {
      continue;
    } catch (const RunError&) {
      continue;
    }
    ++ran;
    const Timeline shown = as_shown(outcome.series[0].first.timeline);
    const json run = scenario_page(scenario, outcome).at("designs").at(0).at("predicted");
    EXPECT_EQ(run_from(run, shown), shown) << world.describe();
    expect_sums(run, idle_cores(shown));
    if (!shown.blocks.empty()) ++wide;
    if (outcome.series[0].first.absent_tasks > 0) ++absent;
  }
  EXPECT_GT(wide, 0);
  EXPECT_GT(absent, 0);
}

TEST(ReportData, ColumnsTellTheMemoryOfAllocations) {
  const scenarios::Scenario scenario = scenarios::load_scenario("kv-cache");
  const verify::CompareOutcome outcome = compared(scenario, scenario.designs);
  const json page = scenario_page(scenario, outcome);
  for (std::size_t d = 0; d < outcome.series.size(); ++d) {
    const Timeline shown = as_shown(outcome.series[d].first.timeline);
    ASSERT_FALSE(shown.memory.empty());
    EXPECT_EQ(run_from(page.at("designs").at(d).at("predicted"), shown), shown);
  }
  EXPECT_THAT(page.at("graph").at("operations").get<std::vector<std::string>>(), testing::Contains("alloc"));
}

TEST(ReportData, SharesOfCoreTimeAreOfAllCoresAndAddUp) {
  const scenarios::Scenario scenario = scenarios::load_scenario("example");
  const verify::CompareOutcome outcome = compared(scenario, scenario.designs);
  const json page = scenario_page(scenario, outcome);
  bool given = false;
  for (std::size_t d = 0; d < outcome.series.size(); ++d) {
    const json& run = page.at("designs").at(d).at("predicted");
    const auto busy = run.at("busy_ns").get<double>();
    const double all = busy + static_cast<double>(sum(run.at("idle_ns"))) + run.at("given_ns").get<double>();
    const auto cores = static_cast<double>(outcome.series[d].first.timeline.core_count());
    EXPECT_DOUBLE_EQ(all, cores * run.at("makespan_ns").get<double>());
    EXPECT_NEAR(run.at("core_busy_share").get<double>(), busy / all, 1e-9) << "as tables and JSON say it";
    EXPECT_EQ(run.at("control_busy_shares").size(), run.at("steps").size());
    given |= run.at("given_ns") > 0;
  }
  EXPECT_TRUE(given) << "dispatchers take cores";
}

TEST(ReportData, HostRowsHaveCallsByNameAndWhatTheyWaitFor) {
  HostProgram program;
  program.names = {"", "launch", "sync"};
  program.threads.push_back({"main", {HostCall{.name = 1}, HostCall{.name = 2}}});
  const auto at = [](std::int64_t ns) { return TimePoint{Duration{ns}}; };
  Timeline timeline;
  timeline.dispatchers.resize(1);
  timeline.host_steps = {{0, 0, at(0), at(100), at(100), at(110)}, {0, 1, at(110), at(110), at(125), at(130)}};
  const verify::HostRows rows = verify::host_rows(timeline, program);
  EXPECT_EQ(json(rows.kinds), json({"own time", "other calls", "wait: other calls", "launch", "sync", "wait: sync"}));
  ASSERT_EQ(rows.steps.size(), 1u);
  EXPECT_EQ(json(rows.steps[0].at("duration")), json({100, 10, 15, 5}));
  EXPECT_EQ(json(rows.steps[0].at("kind")), json({0, 3, 5, 4}));
}

TEST(ReportData, MarksConstantsThatAreAnotherMachines) {
  scenarios::Scenario scenario = diamond_scenario();
  for (const ConstantField* const field : constants_of(scenario.machine)) scenario.machine.inherited[field->key] = "older";
  const json machine = scenario_page(scenario, compared(scenario, scenario.designs)).at("machine");
  EXPECT_THAT(machine.at("inherited").get<std::string>(), testing::ContainsRegex("[0-9]+ of the [0-9]+ constants that count are older's"));
  EXPECT_TRUE(std::ranges::any_of(machine.at("constants"), [](const json& one) { return one.at("inherited") == "older"; }));
  scenario.machine.inherited.clear();
  EXPECT_EQ(scenario_page(scenario, compared(scenario, scenario.designs)).at("machine").at("inherited"), "");
}

TEST(ReportData, TellsTheGraph) {
  const scenarios::Scenario scenario = diamond_scenario();
  const json graph = scenario_page(scenario, compared(scenario, scenario.designs)).at("graph");
  EXPECT_EQ(graph.at("names"), json({"a", "b, \"quoted\"", "c", "d"}));
  EXPECT_EQ(graph.at("kernels"), json({"spin"}));
  EXPECT_EQ(graph.at("kernel"), json({0, 0, 0, 0}));
  EXPECT_EQ(graph.at("core_types"), json({"sm"}));
  EXPECT_EQ(graph.at("operations"), json({"kernel"}));
  EXPECT_EQ(graph.at("blocks"), json({1, 1, 1, 1}));
  EXPECT_EQ(graph.at("predecessor_count"), json({0, 1, 1, 2}));
  EXPECT_EQ(graph.at("predecessor_distance"), json({1, 2, 2, 1}));
}

TEST(ReportData, ShowsWhatWasMeasuredBesideThePrediction) {
  const TemporaryFolder folder;
  const scenarios::Scenario scenario = diamond_scenario();
  verify::RecordedCase recorded = diamond_recording(scenario, scenario.designs[0]);
  verify::write_recording(folder.path(), recorded);
  const verify::CompareOutcome outcome = compared(scenario, scenario.designs);
  const json design = scenario_page(scenario, outcome, folder.path()).at("designs").at(0);
  const json& measured = design.at("measured");
  EXPECT_EQ(design.at("not_measured"), "");
  EXPECT_EQ(measured.at("device"), "A GPU");
  EXPECT_EQ(measured.at("makespans_ns"), json({990, 1000, 1030, 1000, 980}));
  EXPECT_EQ(measured.at("median_ns"), 1000);
  EXPECT_EQ(measured.at("quartiles_ns"), json({990, 1000}));
  EXPECT_EQ(measured.at("stamped_ns"), 1110);
  EXPECT_EQ(measured.at("verified_ns"), to_ns(verify::predict_median(scenario, scenario.designs[0]).timeline.makespan())) << "as verify";
  EXPECT_DOUBLE_EQ(measured.at("error").get<double>(), measured.at("verified_ns").get<double>() / 1000 - 1);
  EXPECT_THAT(measured.at("doubts"), IsEmpty());
  const Timeline shown = as_shown(recorded.timeline);
  EXPECT_EQ(measured.at("run").at("step_kinds"), json({"busy"}));
  EXPECT_EQ(run_from(measured.at("run"), shown), shown);
  expect_sums(measured.at("run"), idle_cores(shown));
}

TEST(ReportData, SaysWhyAMeasurementIsLeftOut) {
  const TemporaryFolder folder;
  scenarios::Scenario scenario = diamond_scenario();
  const verify::CompareOutcome outcome = compared(scenario, scenario.designs);
  json design = scenario_page(scenario, outcome, folder.path()).at("designs").at(0);
  EXPECT_TRUE(design.at("measured").is_null());
  EXPECT_EQ(design.at("not_measured"), "not measured on 'two-cores'");
  const auto refused = [&] {
    verify::Recordings recordings(folder.path());
    return verify::find_measurement(scenario, scenario.designs[0], recordings).refused;
  };
  EXPECT_FALSE(refused());

  Design other = scenario.designs[0];
  other.claim_size = 7;
  verify::write_recording(folder.path(), diamond_recording(scenario, other));
  design = scenario_page(scenario, outcome, folder.path()).at("designs").at(0);
  EXPECT_TRUE(design.at("measured").is_null());
  EXPECT_THAT(design.at("not_measured").get<std::string>(), HasSubstr("claim_size was 7, but is 1 now"));
  EXPECT_TRUE(refused());
}

TEST(ReportData, SaysWhatIsDoubtfulAboutAMeasurement) {
  const TemporaryFolder folder;
  const scenarios::Scenario scenario = diamond_scenario();
  verify::RecordedCase recorded = diamond_recording(scenario, scenario.designs[0]);
  recorded.ordering_violations = 3;
  recorded.residual = 0.5;
  verify::write_recording(folder.path(), recorded);
  const json design = scenario_page(scenario, compared(scenario, scenario.designs), folder.path()).at("designs").at(0);
  EXPECT_THAT(design.at("measured").at("doubts").get<std::vector<std::string>>(),
              ElementsAre(HasSubstr("3 tasks that ran before"), HasSubstr("residual 5.00e-01")));
}

TEST(ReportData, NamesTheMeasuredWinnerOfTheShippedCholesky) {
  const scenarios::Scenario scenario = scenarios::load_scenario("cholesky");
  const json page = scenario_page(scenario, compared(scenario, scenario.designs), verify::recordings_folder());
  const auto quartile = [](const json& design, std::size_t which) {
    return design.at("measured").at("quartiles_ns").at(which).get<double>();
  };
  json expected;
  for (const json& design : page.at("designs")) {
    ASSERT_FALSE(design.at("measured").is_null()) << design.at("name") << ": " << design.at("not_measured");
    const json& run = design.at("measured").at("run");
    if (run.at("core_word") == "core") expect_sums(run, run.at("cores").size());
    const bool wins = std::ranges::all_of(page.at("designs"), [&](const json& other) {
      return other.at("name") == design.at("name") || quartile(design, 1) < quartile(other, 0);
    });
    if (wins) expected = design.at("name");
  }
  EXPECT_EQ(page.at("measured_winner"), expected);
  for (const json& pair : page.at("pairs")) EXPECT_THAT(pair.at("measured_sentence").get<std::string>(), HasSubstr("measured, "));
}

TEST(ReportData, HasNoMeasurementsOfWhatCannotBeMeasured) {
  const scenarios::Scenario scenario = scenarios::load_scenario("ascend-paged-attention-small");
  const json page = scenario_page(scenario, compared(scenario, scenario.designs), verify::recordings_folder());
  for (const json& design : page.at("designs")) EXPECT_TRUE(design.at("measured").is_null());
  EXPECT_TRUE(page.at("measured_winner").is_null());
}

TEST(ReportData, PairsSayWhichIsFasterByHowMuchAndWhy) {
  const scenarios::Scenario scenario = scenarios::load_scenario("cholesky");
  const verify::CompareOutcome outcome = compared(scenario, {named_design("static-queues"), named_design("cuda-streams")});
  const json page = scenario_page(scenario, outcome);
  ASSERT_EQ(page.at("pairs").size(), 1U);
  const json& pair = page.at("pairs").at(0);
  EXPECT_EQ(pair.at("faster"), "static-queues");
  EXPECT_EQ(page.at("predicted_winner"), "static-queues");
  const double fast = page.at("designs").at(0).at("mean_ns").get<double>();
  const double slow = page.at("designs").at(1).at("mean_ns").get<double>();
  EXPECT_DOUBLE_EQ(pair.at("gain").get<double>(), (slow - fast) / slow);
  EXPECT_EQ(pair.at("low"), pair.at("high"));
  EXPECT_THAT(pair.at("sentence").get<std::string>(), HasSubstr("static-queues is faster than cuda-streams by "));
  EXPECT_THAT(pair.at("reasons").at(1).get<std::string>(), HasSubstr("Along its observed critical path cuda-streams spends"));
  EXPECT_EQ(pair.at("measured_sentence"), "");
}

TEST(ReportData, RunsOfRandomTimesHaveAnInterval) {
  const TemporaryFolder folder;
  std::string text(kTinyScenario);
  const std::string_view short_one = "time_ns: 6000, sigma_ns: 900";  // the host hides it under streams
  text.replace(text.find(short_one), short_one.size(), "time_ns: 60000, sigma_ns: 9000");
  write_text(folder / "tiny.yaml", text);
  const scenarios::Scenario scenario = scenarios::load_scenario((folder / "tiny.yaml").string());
  const verify::CompareOutcome outcome = compared(scenario, scenario.designs, 8);
  const json page = scenario_page(scenario, outcome);
  EXPECT_EQ(page.at("runs"), 8);
  EXPECT_EQ(page.at("random"), json({"task times (sigma_ns)", "mailbox hops (device_mailboxes.hop_sigma_ns)"}));
  for (const json& design : page.at("designs")) {
    EXPECT_EQ(design.at("makespans_ns").size(), 8U);
    ASSERT_TRUE(design.at("interval_ns").is_array());
    EXPECT_LT(design.at("interval_ns").at(0).get<double>(), design.at("mean_ns").get<double>());
    EXPECT_GT(design.at("interval_ns").at(1).get<double>(), design.at("mean_ns").get<double>());
  }
  EXPECT_TRUE(scenario_page(scenario, compared(scenario, scenario.designs)).at("designs").at(0).at("interval_ns").is_null());
}

TEST(ReportData, TellsTheMachineWithItsSources) {
  const scenarios::Scenario scenario = scenarios::load_scenario("example");
  const json machine = scenario_page(scenario, compared(scenario, scenario.designs)).at("machine");
  EXPECT_EQ(machine.at("hash"), scenario.machine_hash);
  EXPECT_EQ(machine.at("text"), scenarios::machine_to_yaml(scenario.machine));
  std::size_t rows = 0;
  for (const json& row : machine.at("constants")) {
    for (const ConstantField& field : constant_fields()) {
      if (row.at("name") != field.key) continue;
      ++rows;
      EXPECT_EQ(row.at("value").get<double>(), field.get(scenario.machine)) << field.key;
      EXPECT_EQ(row.at("unit") == "", field.unit == Unit::kCount) << field.key;
    }
    if (row.at("name") == "device_mailboxes.hop_ns") {
      EXPECT_EQ(row.at("source"), "scenario example") << "as the scenario changes it";
    }
  }
  EXPECT_GT(rows, 50U);
  for (const ConstantField& field : constant_fields()) EXPECT_EQ(verify::unit_of(field.key) == "", field.unit == Unit::kCount) << field.key;
}

TEST(ReportData, SeedsOfSixtyFourBitsStayWhole) {
  scenarios::Scenario scenario = diamond_scenario();
  scenario.seed = 18446744073709551615U;
  EXPECT_EQ(scenario_page(scenario, compared(scenario, scenario.designs)).at("seed"), "18446744073709551615");
}

}  // namespace
}  // namespace tasktwin::tests
