#include "verify/compare/error_breakdown.hpp"
#include "models/runtimes/runtimes.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {
namespace {

/// A scenario of the shipped machine, and a "measurement" that is a prediction under changed constants.
class Breakdown : public testing::Test {
 protected:
  Breakdown() {
    tests::write_text(folder_ / "tiny.yaml", tests::kTinyScenario);
    scenario_ = scenarios::load_scenario((folder_ / "tiny.yaml").string());
    changed_ = scenario_;
  }

  ErrorBreakdown against_changed(const Design& design) const {
    RecordedCase measured;
    measured.timeline = predict_median(changed_, design).timeline;
    measured.makespans = {measured.timeline.makespan()};
    return break_down(scenario_, design, predict_median(scenario_, design).timeline, measured);
  }

  tests::TemporaryFolder folder_;
  scenarios::Scenario scenario_;
  scenarios::Scenario changed_;
};

TEST_F(Breakdown, OfARightPredictionIsZeroThroughout) {
  for (const Design& design : scenario_.designs) {
    const ErrorBreakdown one = against_changed(design);
    EXPECT_EQ(one.error, 0) << design.name;
    EXPECT_EQ(one.scheduling, 0) << design.name;
    EXPECT_EQ(one.bodies, 0) << design.name;
    EXPECT_THAT(one.by_cause, testing::Each(0)) << design.name;
    EXPECT_EQ(one.predicted_busy, one.measured_busy);
  }
}

TEST_F(Breakdown, FindsBodiesThatTakeLongerThanPredicted) {
  changed_.machine.kernels[static_cast<std::size_t>(Kernel::kSpin)].overhead += Nanoseconds{3000};
  const ErrorBreakdown one = against_changed(named_design("static-queues"));
  EXPECT_LT(one.error, -0.2);
  EXPECT_NEAR(one.scheduling, 0, 0.001);
  EXPECT_NEAR(one.bodies, one.error, 0.001);
}

TEST_F(Breakdown, FindsPhasesThatTakeLongerThanPredicted) {
  changed_.machine.device_mailboxes->hop += Nanoseconds{3000};
  const ErrorBreakdown one = against_changed(named_design("central-dispatcher"));
  EXPECT_LT(one.error, -0.2);
  EXPECT_NEAR(one.bodies, 0, 0.001);
  EXPECT_NEAR(one.scheduling, one.error, 0.001);
  EXPECT_NEAR(one.by_cause[static_cast<std::size_t>(PathCause::kNotification)], one.error, 0.02);
}

TEST_F(Breakdown, CausesSumUpToTheError) {
  changed_.machine.device_mailboxes->hop += Nanoseconds{500};
  changed_.machine.device_mailboxes->publish += Nanoseconds{700};
  changed_.machine.host_calls->launch += Nanoseconds{900};
  for (const Design& design : scenario_.designs) {
    const ErrorBreakdown one = against_changed(design);
    EXPECT_NEAR(std::accumulate(one.by_cause.begin(), one.by_cause.end(), 0.0), one.error, 1e-9) << design.name;
  }
}

TEST_F(Breakdown, TablesFitThePage) {
  std::vector<ErrorBreakdown> cases;
  for (const Design& design : scenario_.designs) cases.push_back({.design = design.name});
  for (ErrorBreakdown& one : cases) one.by_cause.fill(-0.1234);
  const std::string text = breakdowns_to_text(cases);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    EXPECT_LE(columns(text.substr(begin, end - begin)), kPageColumns) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(CanBreakDown, WantsStartEndAndCoreOfEveryTaskThatRan) {
  const auto scenario = tests::diamond_scenario();
  RecordedCase measured = tests::diamond_recording(scenario, named_design("shared-queue"));
  EXPECT_TRUE(can_break_down(measured));
  measured.timeline.tasks[1].ended = kAbsent;
  EXPECT_FALSE(can_break_down(measured));
  measured.timeline.tasks[1] = {};
  EXPECT_TRUE(can_break_down(measured)) << "it did not come to be";
}

}  // namespace
}  // namespace tasktwin::verify
