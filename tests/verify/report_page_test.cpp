#include "verify/report/report_page.hpp"
#include "models/runtimes/runtimes.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/page_data.hpp"
#include "verify/predict/sensitivity.hpp"
#include "verify/report/measured_pairs.hpp"
#include "verify/report/page_text.hpp"

namespace tasktwin::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using verify::Json;

constexpr std::size_t kFiveMegabytes = 5'000'000;

std::string small_page() {
  return "<!doctype html><title>no title</title><script type=\"application/octet-stream\" id=\"report-data\">" +
         std::string(verify::kReportDataMarker) + "</script><script>'" + std::string(verify::kReportDataMarker) + "'</script>";
}

/// A diamond whose first task has `name`.
scenarios::Scenario named_task(const std::string& name) {
  scenarios::Scenario scenario = diamond_scenario();
  TaskGraphBuilder builder;
  Task task;
  task.cost.time = Duration{100};
  builder.add_task(name, task);
  scenario.graph = std::move(builder).build();
  return scenario;
}

std::string page_of(const scenarios::Scenario& scenario, const std::string& title) {
  const verify::CompareOutcome outcome = compared(scenario, scenario.designs);
  std::vector<verify::FoundMeasurement> found(scenario.designs.size());
  Json scenarios = Json::array();
  scenarios.push_back(verify::scenario_data(
      {.scenario = scenario, .source = scenario.name, .outcome = outcome, .measurements = std::move(found), .sensitivity = {}}));
  return verify::fill_page(small_page(), verify::report_data(title, "tasktwin compare x --report x.html", std::move(scenarios)));
}

TEST(ReportPage, CarriesItsDataAndNothingElseChanges) {
  const std::string page = page_of(diamond_scenario(), "Design review: diamond");
  const json data = page_data(page);
  EXPECT_EQ(data.at("format"), 1);
  EXPECT_EQ(data.at("title"), "Design review: diamond");
  EXPECT_EQ(data.at("provenance").at("command"), "tasktwin compare x --report x.html");
  EXPECT_EQ(data.at("scenarios").at(0).at("graph").at("names").size(), 4U);
  EXPECT_THAT(page, HasSubstr("<title>Design review: diamond</title>"));
  EXPECT_TRUE(page.ends_with("</script><script>'" + std::string(verify::kReportDataMarker) + "'</script>")) << "the first marker alone";
}

TEST(ReportPage, HostileNamesStayText) {
  for (const std::string& name : {std::string("</script><b>"), std::string("a\"b'c&d\\e"), std::string("\xff\xfe bad UTF-8"),
                                  std::string("line\nbreak\ttab"), std::string("@TASKTWIN_REPORT_DATA@"), std::string("µs → 日本")}) {
    scenarios::Scenario scenario = named_task(name);
    scenario.name = name;
    const std::string page = page_of(scenario, name);
    EXPECT_THAT(page, Not(HasSubstr("<b>")));
    const json data = page_data(page);
    const json& task = data.at("scenarios").at(0).at("graph").at("names").at(0);
    EXPECT_EQ(task, name[0] == '\xff' ? "\xef\xbf\xbd\xef\xbf\xbd bad UTF-8" : name) << "bytes that are not UTF-8 are replaced";
  }
  EXPECT_EQ(verify::html_text("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
}

TEST(ReportPage, IsTheSameForTheSameData) {
  const scenarios::Scenario scenario = scenarios::load_scenario("cholesky");
  EXPECT_EQ(page_of(scenario, "twice"), page_of(scenario, "twice"));
}

TEST(ReportPage, OfAHundredThousandTasksStaysUnderFiveMegabytes) {
  const scenarios::Scenario scenario = scenarios::load_scenario("layered-100k");
  ASSERT_EQ(scenario.graph.size(), 100'000U);
  const std::string data = page_of(scenario, "large");
  const std::size_t page = verify::report_page() ? verify::report_page()->size() : 0;
  RecordProperty("data_bytes", static_cast<int>(data.size()));
  RecordProperty("page_bytes", static_cast<int>(page));
  EXPECT_LT(data.size() + page, kFiveMegabytes);
}

TEST(MeasuredPairs, AreApartWhereTheMiddleHalvesAre) {
  const auto times = [](const char* name, int first, int step) {
    std::vector<Duration> runs;
    for (int i = 0; i < 5; ++i) runs.emplace_back(first + i * step);
    return verify::measured_times(name, runs);
  };
  const verify::MeasuredTimes a = times("a", 1000, 10);  // quartiles 1010 and 1030
  EXPECT_EQ(a.median, 1020);
  EXPECT_EQ(a.first_quartile, 1010);
  EXPECT_EQ(a.third_quartile, 1030);
  const verify::MeasuredTimes touching = times("touching", 1020, 10);
  const verify::MeasuredTimes apart = times("apart", 1021, 10);
  EXPECT_FALSE(verify::faster_beyond_noise(a, touching));
  EXPECT_TRUE(verify::faster_beyond_noise(a, apart));
  EXPECT_FALSE(verify::faster_beyond_noise(apart, a));
  EXPECT_THAT(verify::measured_sentence(apart, a), HasSubstr("measured, a is faster than apart by 2.0 % (medians 1.020 µs and 1.041 µs)"));
  EXPECT_THAT(verify::measured_sentence(a, touching), HasSubstr("the middle halves of the runs overlap"));
  EXPECT_EQ(verify::measured_winner(std::vector{apart, a}), "a");
  EXPECT_EQ(verify::measured_winner(std::vector{apart, a, touching}), std::nullopt);
  EXPECT_EQ(verify::measured_winner(std::vector{a}), std::nullopt);
}

TEST(Sensitivity, FindsTheConstantsThatMatterAndNoOthers) {
  const scenarios::Scenario scenario = scenarios::load_scenario("example");
  const std::vector<Design> designs{named_design("central-dispatcher"), named_design("static-queues")};
  std::vector<Duration> makespans;
  for (const Design& design : designs) makespans.push_back(verify::predict(scenario, design, 1).timeline.makespan());
  verify::Progress progress;
  const verify::Sensitivity found = verify::sensitivity(scenario, designs, makespans, 1, verify::kSensitivityFactor, progress);
  const auto effect = [&found](std::string_view name) {
    const auto row = std::ranges::find(found.effects, name, &verify::QuantityEffect::quantity);
    return row == found.effects.end() ? nullptr : &*row;
  };
  EXPECT_GT(found.tried, found.effects.size());
  ASSERT_NE(effect("device_mailboxes.hop_ns"), nullptr);
  EXPECT_EQ(effect("device_mailboxes.hop_ns")->value, 800) << "as the scenario changes it";
  EXPECT_LT(effect("device_mailboxes.hop_ns")->makespans[0], makespans[0]);
  EXPECT_EQ(effect("device_mailboxes.hop_ns")->makespans[1], makespans[1]) << "static queues have no mailbox that a dispatcher writes";
  EXPECT_EQ(effect("host_calls.launch_ns"), nullptr) << "no design launches kernels";
  ASSERT_NE(effect("memory.core_bandwidth_gb_per_s"), nullptr);
  EXPECT_GT(effect("memory.core_bandwidth_gb_per_s")->makespans[0], makespans[0]) << "half the bandwidth takes longer";

  scenarios::Scenario halved = scenario;
  halved.machine.device_mailboxes->hop /= 2;
  EXPECT_EQ(effect("device_mailboxes.hop_ns")->makespans[0], verify::predict(halved, designs[0], 1).timeline.makespan());
}

}  // namespace
}  // namespace tasktwin::tests
