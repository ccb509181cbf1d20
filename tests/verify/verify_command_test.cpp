#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/process.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

/// Recordings made from simulated timelines, so that what verify should find is known: `measured` is `factor` times the
/// predicted makespan.
class VerifyCommand : public testing::Test {
 protected:
  VerifyCommand() {
    fs::create_directory(folder_ / "data");
    fs::create_directory_symlink(fs::absolute("scenarios"), folder_ / "data/scenarios");
    write_text(folder_ / "tiny.yaml", kTinyScenario);
    scenario_ = scenarios::load_scenario(file());
  }

  std::string file() const { return (folder_ / "tiny.yaml").string(); }
  fs::path recorded() const { return folder_ / "data/verify/recorded"; }

  verify::RecordedCase measured(const std::string& design_name, double factor) const {
    const Design& design = named_design(design_name);
    gpu::Measurement measurement;
    measurement.timeline = verify::predict_median(scenario_, design).timeline;
    const auto makespan = static_cast<double>(to_ns(measurement.timeline.makespan())) * factor;
    for (const double wobble : {0.99, 1.0, 1.01}) {
      measurement.makespans.emplace_back(std::llround(makespan * wobble));
      measurement.stamped_makespans.emplace_back(std::llround(makespan * wobble * 1.05));
    }
    return verify::make_recording(
        scenario_, design, measurement,
        {.scenario_source = file(), .command = "tasktwin run tiny", .date = "2024-05-06", .device = {"A GPU", "1.2", "3.4", 132}});
  }
  void record(const verify::RecordedCase& one) const { verify::write_recording(recorded(), one); }

  Outcome run(const std::string& arguments) const {
    return tasktwin("verify " + arguments, "export TASKTWIN_DATA='" + (folder_ / "data/scenarios").string() + "';");
  }
  std::string tiny() const { return "'" + file() + "' "; }

  TemporaryFolder folder_;
  scenarios::Scenario scenario_;
};

TEST_F(VerifyCommand, HasTheAgreedShapeAndTheRightNumbers) {
  record(measured("central-dispatcher", 1.25));
  record(measured("shared-queue", 0.95));
  const Outcome outcome = run("--recorded --limit 25 --format json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json result = strict_json(outcome.out);
  EXPECT_EQ(result["source"], "recorded");
  ASSERT_EQ(result["cases"].size(), 2U);
  const json& first = result["cases"][0];
  EXPECT_EQ(first["scenario"], "tiny");
  EXPECT_EQ(first["design"], "central-dispatcher") << "in the scenario's order of designs";
  EXPECT_NEAR(first["makespan_error"].get<double>(), 1 / 1.25 - 1, 1e-4);
  EXPECT_NEAR(first["measured_noise"].get<double>(), 0.01, 1e-3);
  EXPECT_EQ(first["start_error_p50"], 0.0);
  EXPECT_EQ(first["start_error_p95"], 0.0);
  EXPECT_EQ(first["repeats"], 3);
  EXPECT_TRUE(first["predicted_makespan_ns"].is_number_integer());
  EXPECT_TRUE(first["measured_makespan_ns"].is_number_integer());
  EXPECT_EQ(first["device"], "A GPU");
  EXPECT_EQ(first["seed"], 3);
  const json& summary = result["summary"];
  EXPECT_EQ(summary["cases"], 2);
  EXPECT_NEAR(summary["median_abs_makespan_error"].get<double>(), (0.2 + (1 / 0.95 - 1)) / 2, 1e-3);
  EXPECT_TRUE(summary["p95_abs_makespan_error"].is_number());
  EXPECT_NEAR(summary["mean_makespan_error"].get<double>(), (-0.2 + (1 / 0.95 - 1)) / 2, 1e-3);
  EXPECT_EQ(summary["winner_total"], 1);
  EXPECT_TRUE(summary["winner_correct"].is_number_integer());
  EXPECT_TRUE(summary["kendall_tau"].is_number());
}

TEST_F(VerifyCommand, FailsBeyondTheLimitAndOnlyThen) {
  record(measured("shared-queue", 1.2));
  const Outcome beyond = run("--recorded " + tiny() + "--designs shared-queue");
  EXPECT_EQ(beyond.code, 1);
  EXPECT_THAT(beyond.out, HasSubstr("FAILS: tiny under shared-queue: makespan error -16.7 % is beyond 15.0 %"));
  EXPECT_EQ(run("--recorded " + tiny() + "--designs shared-queue --limit 16.8").code, 0);
  EXPECT_EQ(run("--recorded " + tiny() + "--designs shared-queue --limit 16.5").code, 1);
}

TEST_F(VerifyCommand, PredictsForAnotherMachineThanTheScenarioStates) {
  write_text(folder_ / "mine.yaml", "machine: mine\nfrom: nvidia-h200\ndevice_control: {poll_ns: 5000}\n");
  const std::string mine = "--machine '" + (folder_ / "mine.yaml").string() + "'";
  const verify::RecordedCase as_filed = measured("central-dispatcher", 1);
  scenario_ = verify::load_on(file(), (folder_ / "mine.yaml").string());
  const verify::RecordedCase slow_polls = measured("central-dispatcher", 1);
  ASSERT_EQ(slow_polls.machine, "mine");
  ASSERT_GT(slow_polls.makespans[1], as_filed.makespans[1]);
  record(as_filed);
  record(slow_polls);
  const json here = strict_json(run("--recorded " + mine + " --format json").out);
  ASSERT_EQ(here["cases"].size(), 1U) << "only what was recorded on a machine of that name counts";
  EXPECT_NEAR(here["cases"][0]["makespan_error"].get<double>(), 0, 1e-6);
  EXPECT_EQ(run("--recorded " + tiny() + mine + " --designs central-dispatcher --limit 0.1").code, 0);
  EXPECT_EQ(run("--recorded " + tiny() + "--designs central-dispatcher --limit 0.1").code, 0) << "the scenario's own";

  const std::string designs = tiny() + "--designs central-dispatcher --format json ";
  const json simulated = strict_json(tasktwin("simulate " + designs + mine).out);
  EXPECT_EQ(simulated["machine"], "mine");
  EXPECT_NE(simulated["designs"][0]["makespan_ns"], strict_json(tasktwin("simulate " + designs).out)["designs"][0]["makespan_ns"]);
  const Outcome unknown = tasktwin("simulate " + tiny() + "--machine nvidia-h2000");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("no shipped machine 'nvidia-h2000'; did you mean 'nvidia-h200'?"));
}

TEST_F(VerifyCommand, KeepsOnAnotherMachineWhatTheScenarioChangesOfItsOwn) {
  const auto cores = [](const std::string& machine) {
    return strict_json(tasktwin("simulate suite/layered-33-cores --designs static-queues --format json " + machine).out)["designs"][0];
  };
  write_text(folder_ / "mine.yaml", "machine: mine\nfrom: nvidia-h200\n");
  const json here = cores("--machine '" + (folder_ / "mine.yaml").string() + "'");
  EXPECT_EQ(here["makespan_ns"], cores("")["makespan_ns"]) << "a quarter of the cores";
}

TEST_F(VerifyCommand, HoldsAPredictionAgainstQuantilesWhereThereIsNoTimeline) {
  record(without_timeline(measured("static-queues", 1.1), scenario_.graph));
  record(measured("shared-queue", 1.1));
  const Outcome outcome = run("--recorded " + tiny() + "--breakdown --trace '" + (folder_ / "t.json").string() + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("recorded without timelines, which a breakdown and a trace need"));
  const json without = strict_json(run("--recorded " + tiny() + "--designs static-queues --format json").out)["cases"][0];
  EXPECT_NEAR(without["makespan_error"].get<double>(), -0.0909, 1e-3);
  EXPECT_TRUE(without["start_error_p95"].is_number());
  EXPECT_TRUE(without["moved_tasks"].is_null());
}

TEST_F(VerifyCommand, SaysTheSameWhateverTheNumberOfProcesses) {
  for (const char* const design : {"central-dispatcher", "static-queues", "shared-queue"}) record(measured(design, 1.1));
  for (const std::string format : {"json", "text"}) {
    const std::string asked = "--recorded --limit 30 --sensitivity --breakdown --format " + format;
    const Outcome alone = run(asked);
    const Outcome together = run(asked + " --jobs 3");
    EXPECT_EQ(together.code, alone.code) << together.err;
    EXPECT_EQ(together.out, alone.out);
  }
  const Outcome traced = run("--recorded --jobs 2 --trace t.json");
  EXPECT_EQ(traced.code, 2);
  EXPECT_THAT(traced.err, HasSubstr("--jobs excludes --trace"));
}

TEST_F(VerifyCommand, WithoutAGpuSaysThatItUsesRecordings) {
  record(measured("shared-queue", 1));
  const Outcome outcome = run(tiny() + "--designs shared-queue");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("against recorded measurements (no GPU: "));
  EXPECT_THAT(outcome.out, HasSubstr("measured on A GPU, driver 1.2, 2024-05-06, 3 runs each"));
}

TEST_F(VerifyCommand, FailsOnOrderingViolationsInversionsAndWrongNumbers) {
  verify::RecordedCase violated = measured("shared-queue", 1);
  violated.ordering_violations = 2;
  record(violated);
  Outcome outcome = run("--recorded");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("2 ordering violations"));

  verify::RecordedCase inverted = measured("shared-queue", 1);
  TaskTimes& last = inverted.timeline.tasks[3];  // all of its phases too early: out of order among themselves they are refused
  const Duration early = last.started - inverted.timeline.tasks[1].started;
  for (TimePoint* const phase : {&last.ready, &last.dispatched, &last.received, &last.started, &last.ended, &last.published}) {
    if (is_present(*phase)) *phase -= early;
  }
  record(inverted);
  outcome = run("--recorded");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("tasks started before a predecessor ended"));

  verify::RecordedCase wrong = measured("shared-queue", 1);
  wrong.residual = 2e-5;
  wrong.residual_limit = 1e-5;
  record(wrong);
  outcome = run("--recorded");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("residual 2.00e-05 is beyond 1e-05"));
}

TEST_F(VerifyCommand, NamesTheMeasuredWinnerAndTheRegret) {
  const verify::RecordedCase queue = measured("shared-queue", 1);
  verify::RecordedCase dispatcher = measured("central-dispatcher", 1);
  const Duration best = std::min(queue.makespans[1], dispatcher.makespans[1]);
  const bool queue_first = queue.makespans[1] < dispatcher.makespans[1];
  verify::RecordedCase slowed = queue_first ? queue : dispatcher;
  const verify::RecordedCase& other = queue_first ? dispatcher : queue;
  for (Duration& makespan : slowed.makespans) makespan = makespan + 2 * (other.makespans[1] - best);
  record(slowed);
  record(other);
  const json result = strict_json(run("--recorded --format json --limit 1000").out);
  EXPECT_EQ(result["summary"]["winner_correct"], 0);
  EXPECT_EQ(result["summary"]["winners"][0]["measured"], other.design);
  EXPECT_EQ(result["summary"]["winners"][0]["predicted"], slowed.design);
  EXPECT_DOUBLE_EQ(result["summary"]["kendall_tau"].get<double>(), -1);
}

TEST_F(VerifyCommand, LeavesOutDesignsWithoutRecordingAloudUnlessNamed) {
  record(measured("shared-queue", 1));
  const json result = strict_json(run("--recorded " + tiny() + "--format json").out);
  EXPECT_EQ(result["cases"].size(), 1U);
  EXPECT_EQ(result["left_out"].size(), 3U);
  const Outcome named = run("--recorded " + tiny() + "--designs cuda-streams");
  EXPECT_EQ(named.code, 2);
  EXPECT_THAT(named.err, HasSubstr("'tiny' under 'cuda-streams': no recording on 'nvidia-h200'"));
}

TEST_F(VerifyCommand, WithoutAnyRecordingSaysHowToMakeOne) {
  const Outcome none = run("--recorded");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("no recorded case"));
  EXPECT_THAT(none.err, HasSubstr("tasktwin run SCENARIO --record DIR"));
  EXPECT_EQ(run("--recorded " + tiny()).code, 2);
}

TEST_F(VerifyCommand, RefusesARecordingOfAnotherGraph) {
  record(measured("shared-queue", 1));
  std::string changed(kTinyScenario);
  changed.replace(changed.find("3000"), 4, "3001");
  write_text(folder_ / "tiny.yaml", changed);
  const Outcome outcome = run("--recorded");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is of another graph than the scenario now makes; record it anew on the GPU: tasktwin run tiny"));
}

TEST_F(VerifyCommand, TracesPredictedAndMeasuredSideBySide) {
  record(measured("shared-queue", 1));
  const Outcome outcome = run("--recorded --trace '" + (folder_ / "t.json").string() + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::vector<std::string> processes;
  const json trace = strict_json(read_text(folder_ / "t.json"));
  for (const json& event : trace["traceEvents"]) {
    if (event["name"] == "process_name") processes.push_back(event["args"]["name"]);
  }
  EXPECT_THAT(processes, ElementsAre("predicted: compute cores", "measured: compute cores"));
}

TEST_F(VerifyCommand, NeverOverwritesARecording) {
  record(measured("shared-queue", 1));
  const std::string facts = (recorded() / "nvidia-h200/tiny.shared-queue.json").string();
  const std::string before = read_text(facts);
  EXPECT_EQ(run("--recorded --trace '" + facts + "'").code, 2);
  EXPECT_EQ(read_text(facts), before);
}

}  // namespace
}  // namespace tasktwin::tests
