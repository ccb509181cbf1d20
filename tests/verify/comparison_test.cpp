#include "verify/compare/comparison.hpp"
#include "models/runtimes/runtimes.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/compare/verdict.hpp"

namespace tasktwin::verify {
namespace {

class Comparison : public testing::Test {
 protected:
  scenarios::Scenario scenario_ = tests::diamond_scenario();
  Design design_ = named_design("shared-queue");
  RecordedCase measured_ = tests::diamond_recording(scenario_, design_);
  Timeline predicted_ = tests::diamond_timeline();

  CaseComparison compare() const { return compare_case(scenario_, design_, predicted_, measured_); }
};

TEST_F(Comparison, ErrorIsPredictedOverUnstampedMedianMinusOne) {
  const CaseComparison result = compare();
  EXPECT_EQ(result.predicted_makespan, Duration{940});
  EXPECT_EQ(result.measured_makespan, Duration{1000});
  EXPECT_EQ(result.stamped_makespan, Duration{1110});
  EXPECT_NEAR(result.makespan_error, -0.06, 1e-12);
  EXPECT_EQ(result.repeats, 5U);
}

TEST_F(Comparison, NoiseIsTheInterquartileRangeOverTheMedian) { EXPECT_DOUBLE_EQ(compare().measured_noise, (1000.0 - 990.0) / 1000.0); }

TEST_F(Comparison, StartErrorsAreFractionsOfTheMeasuredMakespan) {
  predicted_.tasks[1].started += Duration{10};
  predicted_.tasks[2].started -= Duration{20};
  predicted_.tasks[3].started += Duration{50};
  const CaseComparison result = compare();
  EXPECT_DOUBLE_EQ(*result.start_error_p50, 0.015);
  EXPECT_DOUBLE_EQ(*result.start_error_p95, 0.0455);
}

TEST_F(Comparison, StartErrorsAreAbsentWhereNoStartWasMeasured) {
  for (TaskTimes& times : measured_.timeline.tasks) times.started = kAbsent;
  EXPECT_FALSE(compare().start_error_p50);
}

TEST_F(Comparison, LimitIsInclusiveOnBothSides) {
  CaseComparison one;
  one.makespan_error = 0.15;
  EXPECT_TRUE(one.within(0.15));
  one.makespan_error = -0.15;
  EXPECT_TRUE(one.within(0.15));
  one.makespan_error = -0.1501;
  EXPECT_FALSE(one.within(0.15));
  one.makespan_error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(one.within(0.15));
}

TEST_F(Comparison, FindsASuccessorThatStartedBeforeItsPredecessorEnded) {
  EXPECT_TRUE(compare().in_order());
  measured_.timeline.tasks[3].started = measured_.timeline.tasks[2].ended - Duration{32};
  EXPECT_EQ(compare().timeline_inversions, 0) << "within a step of the clock";
  measured_.timeline.tasks[3].started -= Duration{1};
  EXPECT_EQ(compare().timeline_inversions, 1);
  EXPECT_FALSE(compare().in_order());
}

TEST_F(Comparison, TellsOfAHostThatWasSlowerThanItsCallsTell) {
  scenario_.machine.host_calls->reference_launch = Nanoseconds{4000};
  const Design streams = named_design("cuda-streams");
  EXPECT_EQ(why_disturbed(scenario_, streams, Nanoseconds{4800}), std::nullopt);
  EXPECT_EQ(why_disturbed(scenario_, streams, Nanoseconds{2000}), std::nullopt) << "quick";
  EXPECT_EQ(why_disturbed(scenario_, design_, Nanoseconds{9000}), std::nullopt) << "without the host";
  EXPECT_THAT(why_disturbed(scenario_, streams, Nanoseconds{5100}),
              testing::Optional(testing::HasSubstr("diamond under cuda-streams: the host's calls took 1.27 times as long")));
}

TEST_F(Comparison, CountsTasksOnOtherCoresOnlyWhereTheyStayOnTheirFrozenOnes) {
  predicted_.tasks[2].core = core_id(index(measured_.timeline.tasks[2].core) + 1);
  design_ = named_design("static-queues");
  EXPECT_EQ(compare().moved_tasks, 1U);
  for (const char* name : {"hybrid", "work-stealing", "cuda-graph", "shared-queue"}) {
    design_ = named_design(name);
    EXPECT_EQ(compare().moved_tasks, 0U) << name;
  }
}

TEST_F(Comparison, OfARecordingWithoutTimelineIsOfTheQuantilesOfEachLayer) {
  measured_.timeline.tasks[3].started = measured_.timeline.tasks[2].ended - Duration{33};
  design_ = named_design("static-queues");
  predicted_ = measured_.timeline;
  measured_ = without_timeline(measured_, scenario_.graph);
  EXPECT_EQ(compare().timeline_inversions, 1) << "as counted when it was recorded";
  EXPECT_EQ(compare().start_error_p95, 0);
  EXPECT_EQ(compare().moved_tasks, std::nullopt);
  predicted_.tasks[0].started += Duration{200};  // the first of three layers, of a makespan of 1000
  EXPECT_EQ(compare().start_error_p50, 0);
  EXPECT_THAT(compare().start_error_p95, testing::Optional(testing::DoubleNear(0.2, 1e-9)));
}

TEST_F(Comparison, TakesOverTheExecutorsViolations) {
  measured_.ordering_violations = 3;
  EXPECT_FALSE(compare().in_order());
}

TEST_F(Comparison, JudgesTheResidual) {
  EXPECT_TRUE(compare().right_numbers());
  measured_.residual = 1.1e-5;
  EXPECT_FALSE(compare().right_numbers());
  measured_.residual = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(compare().right_numbers());
  measured_.residual.reset();
  EXPECT_TRUE(compare().right_numbers());
}

TEST_F(Comparison, HoldsTheMostMemoryInUseAgainstWhatWasMeasured) {
  EXPECT_FALSE(compare().memory);
  EXPECT_THAT(cases_to_text({compare()}, 0.15), testing::Not(testing::HasSubstr("reserved")));
  measured_.peak_memory = MemorySample{{}, 5 << 20, 32 << 20};
  predicted_.memory = {{at_ns(1), 3 << 20, 64 << 20}, {at_ns(2), 4 << 20, 64 << 20}};
  const CaseComparison result = compare();
  ASSERT_TRUE(result.memory);
  EXPECT_EQ(result.memory->predicted.used, 4 << 20);
  EXPECT_EQ(result.memory->measured.used, 5 << 20);
  EXPECT_THAT(cases_to_text({result}, 0.15), testing::HasSubstr("4.0 MiB   5.0 MiB          64.0 MiB  32.0 MiB"));
  EXPECT_EQ(case_to_json(result, 0.15)["peak_memory"]["measured"]["reserved_bytes"], 32 << 20);
}

TEST_F(Comparison, CountsTasksThatAFrozenPlacementNowPutsElsewhere) {
  predicted_.tasks[1].core = core_id(0);
  EXPECT_EQ(compare().moved_tasks, 0U) << "any_idle places tasks anew in every run";
  design_ = named_design("static-queues");
  EXPECT_EQ(compare().moved_tasks, 1U);
}

TEST_F(Comparison, RefusesAMeasurementOfNoTime) {
  measured_.makespans = {Duration{0}};
  EXPECT_THROW(compare(), RunError);
}

TEST(ErrorSummary, TakesSizesForMedianAndTailAndSignsForTheMean) {
  std::vector<CaseComparison> cases(4);
  const double errors[] = {-0.3, 0.1, 0.2, -0.1};
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].makespan_error = errors[i];
  const ErrorSummary summary = summarise_errors(cases);
  EXPECT_DOUBLE_EQ(*summary.median_abs_makespan_error, 0.15);
  EXPECT_DOUBLE_EQ(*summary.p95_abs_makespan_error, 0.285);
  EXPECT_NEAR(*summary.mean_makespan_error, -0.025, 1e-15);
  EXPECT_FALSE(summarise_errors({}).mean_makespan_error);
}

TEST(ErrorsByDesign, KeepEachDesignsBiasApart) {
  std::vector<CaseComparison> cases(5);
  const char* const designs[] = {"b", "a", "b", "a", "b"};
  const double errors[] = {0.10, -0.02, 0.30, -0.04, -0.10};
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].design = designs[i], cases[i].makespan_error = errors[i];
  const std::vector<DesignErrors> found = errors_by_design(cases);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].design, "b");
  EXPECT_EQ(found[0].cases, 3U);
  EXPECT_NEAR(*found[0].errors.mean_makespan_error, 0.10, 1e-12);
  EXPECT_NEAR(*found[0].errors.median_abs_makespan_error, 0.10, 1e-12);
  EXPECT_EQ(found[1].design, "a");
  EXPECT_NEAR(*found[1].errors.mean_makespan_error, -0.03, 1e-12);
}

}  // namespace
}  // namespace tasktwin::verify
