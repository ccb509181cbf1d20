#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/page_data.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/recordings/recorded_cases.hpp"
#include "verify/report/page_text.hpp"

namespace tasktwin::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Ten tasks and a design of one's own.
constexpr std::string_view kOwn = R"(scenario: mine
machine: nvidia-h200
graph:
  tasks:
    - {name: read, time_ns: 3000}
    - {name: a1, time_ns: 4000, after: [read]}
    - {name: a2, time_ns: 5000, after: [read]}
    - {name: a3, time_ns: 6000, after: [read]}
    - {name: b1, time_ns: 2000, after: [a1]}
    - {name: b2, time_ns: 2000, after: [a1, a2]}
    - {name: b3, time_ns: 2000, after: [a3]}
    - {name: "</script><b>", time_ns: 1000, after: [b1, b2]}
    - {name: check, time_ns: 1500, after: [b3]}
    - {name: write, time_ns: 2500, after: ["</script><b>", check]}
designs:
  - {name: mine, from: central-dispatcher, order: critical_path, mailbox_depth: 2}
)";

class CompareReport : public testing::Test {
 protected:
  void SetUp() override {
    if (!verify::report_page()) GTEST_SKIP() << "built without Node: there is no page";
    write_text(folder_ / "mine.yaml", kOwn);
  }
  std::string quoted(const std::string& name) const { return "'" + (folder_ / name).string() + "' "; }
  std::string own(const std::string& more) const {
    return "compare " + quoted("mine.yaml") + "--designs mine,central-dispatcher,static-queues " + more;
  }
  json page(const std::string& name) const { return page_data(read_text(folder_ / name)); }
  void expect_refused(const std::string& arguments, int code, const std::string& message) const {
    const std::size_t files = folder_.file_count();
    const Outcome outcome = tasktwin(arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("error: " + message)) << arguments;
    EXPECT_EQ(folder_.file_count(), files) << arguments;
  }

  TemporaryFolder folder_;
};

TEST_F(CompareReport, OfAnOwnDesignOnAnOwnGraph) {
  const Outcome outcome = tasktwin(own("--report " + quoted("out.html")));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("wrote " + (folder_ / "out.html").string()));
  EXPECT_EQ(folder_.file_count(), 2U);
  const json data = page("out.html");
  const json& scenario = data.at("scenarios").at(0);
  EXPECT_EQ(data.at("title"), "Design review: mine");
  EXPECT_EQ(data.at("provenance").at("command"),
            "tasktwin compare " + (folder_ / "mine.yaml").string() + " --designs mine,central-dispatcher,static-queues --report out.html");
  EXPECT_EQ(scenario.at("graph").at("names").size(), 10U);
  EXPECT_EQ(scenario.at("graph").at("names").at(7), "</script><b>");
  ASSERT_EQ(scenario.at("designs").size(), 3U);
  EXPECT_EQ(scenario.at("designs").at(0).at("name"), "mine");
  EXPECT_EQ(scenario.at("designs").at(0).at("axes").at("mailbox_depth"), 2);
  EXPECT_EQ(scenario.at("pairs").size(), 3U);
  EXPECT_GT(scenario.at("sensitivity_tried"), 50);
  EXPECT_FALSE(scenario.at("sensitivity").empty());
  for (const json& design : scenario.at("designs")) EXPECT_TRUE(design.at("measured").is_null());
}

TEST_F(CompareReport, IsTheSameFileEachTime) {
  for (const char* name : {"one", "two"}) {
    std::filesystem::create_directory(folder_ / name);
    ASSERT_EQ(tasktwin(own("--report " + quoted(std::string(name) + "/out.html"))).code, 0);
  }
  EXPECT_EQ(read_text(folder_ / "one/out.html"), read_text(folder_ / "two/out.html"));
}

TEST_F(CompareReport, SaysTheSameAsTheTableAndTheJson) {
  const Outcome outcome =
      tasktwin("compare cholesky ascend-paged-attention-small --no-sensitivity --format json --report " + quoted("out.html"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json told = strict_json(outcome.out);
  const json data = page("out.html");
  ASSERT_EQ(data.at("scenarios").size(), 2U);
  for (std::size_t s = 0; s < 2; ++s) {
    const json& shown = data.at("scenarios").at(s);
    EXPECT_EQ(shown.at("predicted_winner"), told.at(s).at("winner"));
    EXPECT_EQ(shown.at("sensitivity_tried"), 0);
    for (std::size_t d = 0; d < shown.at("designs").size(); ++d) {
      EXPECT_EQ(shown.at("designs").at(d).at("mean_ns"), told.at(s).at("designs").at(d).at("mean_ns"));
      EXPECT_EQ(shown.at("designs").at(d).at("bound_ns"), told.at(s).at("designs").at(d).at("highest_bound_ns"));
      EXPECT_EQ(shown.at("designs").at(d).at("measured").is_null(), s == 1);
    }
  }
}

TEST_F(CompareReport, LeavesOutARecordingOfAnotherGraphWithARemark) {
  std::string text(kOwn);
  write_text(folder_ / "cholesky.yaml", text.replace(text.find("mine"), 4, "cholesky"));
  const Outcome outcome =
      tasktwin("compare " + quoted("cholesky.yaml") + "--designs static-queues --no-sensitivity --report " + quoted("out.html"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("is of another graph than the scenario now makes"));
  const json data = page("out.html");
  const json& design = data.at("scenarios").at(0).at("designs").at(0);
  EXPECT_TRUE(design.at("measured").is_null());
  EXPECT_THAT(design.at("not_measured").get<std::string>(), HasSubstr("is of another graph"));
}

/// Keeps a measurement of the own graph under `design`, of so many ns, as 'run --record' would.
std::filesystem::path keep(const std::filesystem::path& scenario_file, const std::filesystem::path& folder, const char* design, int ns) {
  const scenarios::Scenario scenario = scenarios::load_scenario(scenario_file.string());
  gpu::Measurement measurement;
  measurement.timeline = verify::predict(scenario, named_design(design), 1).timeline;
  measurement.makespans = {Duration{ns - 1}, Duration{ns}, Duration{ns + 2}};
  measurement.stamped_makespans = {Duration{ns + 5}};
  return verify::write_recording(folder, verify::make_recording(scenario, named_design(design), measurement, {}));
}

TEST_F(CompareReport, SaysThatAFolderHasNoRecordingOfTheMachine) {
  std::filesystem::create_directories(folder_ / "kept");
  const Outcome outcome = tasktwin(own("--no-sensitivity --measured " + quoted("kept") + "--report " + quoted("out.html")));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("no recording of"));
  EXPECT_THAT(outcome.err, HasSubstr("cases.jsonl"));
}

TEST_F(CompareReport, FindsMeasurementsInAFolderOfOnesOwn) {
  keep(folder_ / "mine.yaml", folder_ / "kept", "central-dispatcher", 30'000);
  keep(folder_ / "mine.yaml", folder_ / "kept", "static-queues", 20'000);
  const Outcome outcome = tasktwin(own("--no-sensitivity --measured " + quoted("kept") + "--report " + quoted("out.html")));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json data = page("out.html");
  const json& scenario = data.at("scenarios").at(0);
  EXPECT_TRUE(scenario.at("designs").at(0).at("measured").is_null());
  EXPECT_EQ(scenario.at("designs").at(1).at("measured").at("median_ns"), 30'000);
  EXPECT_EQ(scenario.at("designs").at(2).at("measured").at("stamped_ns"), 20'005);
  EXPECT_EQ(scenario.at("measured_winner"), "static-queues");
  EXPECT_EQ(scenario.at("pairs").at(0).at("measured_sentence"), "") << "one of the two was not measured";
  EXPECT_THAT(scenario.at("pairs").at(2).at("measured_sentence").get<std::string>(), HasSubstr("by 33.3 %"));
}

TEST_F(CompareReport, LeavesOutADamagedRecordingWithARemark) {
  const std::filesystem::path cases = keep(folder_ / "mine.yaml", folder_ / "kept", "static-queues", 20'000);
  std::filesystem::resize_file(verify::timeline_path(cases, "mine", "static-queues"), 40);
  const Outcome outcome = tasktwin(own("--no-sensitivity --measured " + quoted("kept") + "--report " + quoted("out.html")));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("is not a whole gzip file"));
  EXPECT_THAT(page("out.html").at("scenarios").at(0).at("designs").at(2).at("not_measured").get<std::string>(),
              HasSubstr("is not a whole gzip file"));
}

TEST_F(CompareReport, NeverOverwritesAMeasurementThatItShows) {
  const std::string cases = keep(folder_ / "mine.yaml", folder_ / "kept", "static-queues", 20'000).string();
  const std::string before = read_text(cases);
  expect_refused(own("--measured " + quoted("kept") + "--report '" + cases + "'"), 2, "--report '");
  EXPECT_EQ(read_text(cases), before);
}

TEST_F(CompareReport, RefusesWhatCannotBeDone) {
  expect_refused(own("--sensitivity"), 2, "--sensitivity requires --report");
  expect_refused(own("--measured ."), 2, "--measured requires --report");
  expect_refused(own("--report ''"), 2, "--report: its value is empty");
  expect_refused(own("--sensitivity --no-sensitivity --report " + quoted("x.html")), 2, "--");
  expect_refused(own("--measured " + quoted("none") + "--report " + quoted("x.html")), 2, "--measured: there is no folder");
  expect_refused(own("--report " + quoted("mine.yaml")), 2, "--report '");
  expect_refused(own("--report " + quoted("none/x.html")), 2, "cannot write '");
  expect_refused(own("--report '" + folder_.path().string() + "'"), 2, "cannot write '");
}

TEST(CompareWithoutNode, SaysWhatIsMissing) {
  if (verify::report_page()) GTEST_SKIP() << "built with Node: there is a page";
  const TemporaryFolder folder;
  const Outcome outcome = tasktwin("compare example --report '" + (folder / "x.html").string() + "'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(std::string(verify::why_no_report_page())));
  EXPECT_EQ(folder.file_count(), 0U);
}

}  // namespace
}  // namespace tasktwin::tests
