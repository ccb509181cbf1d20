// Steps of a calibration under conditions that change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/free_machine.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/steady.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A step that finds a constant, and the conditions that it meets, one look after the other, the last of them for good.
class SteadySteps : public testing::Test {
 protected:
  std::string text_of_step(std::vector<Conditions> looks, Pace pace = Pace::kHost) {
    CalibrationBackend backend;
    backend.conditions = [looks = std::move(looks), next = std::size_t{0}]() mutable { return looks[std::min(next++, looks.size() - 1)]; };
    Probes probes(
        machine_, [](std::string_view) {}, std::move(backend));
    Steady steady(probes, machine_);
    steady("streams", pace, [&] {
      ++times_;
      probes.keep_sample("streams.gap_ns", "seen", times_);
      Calibrated<mechanism::Streams> streams(&Machine::streams);
      streams.set(&mechanism::Streams::gap, 1000.0 + times_, "gaps");
      return streams;
    });
    samples_ = probes.samples();
    return machine_.provenance.at("streams.gap_ns").text;
  }

  static Conditions look(double clock, double computing = 10, int others = 0) { return {{clock, "", others}, computing}; }

  Machine machine_ = free_machine();
  int times_ = 0;
  std::vector<CalibrationSample> samples_;
};

TEST_F(SteadySteps, AreDoneOnceWhereNothingChanges) {
  EXPECT_EQ(text_of_step({look(1.98)}), "gaps");
  EXPECT_EQ(times_, 1);
  EXPECT_EQ(samples_.back().constant, "wall_time");
}

TEST_F(SteadySteps, WaitUntilTheClockIsAwake) {
  EXPECT_EQ(text_of_step({look(0.6), look(1.2), look(1.98), look(1.98)}), "gaps");
  EXPECT_EQ(times_, 1);
}

TEST_F(SteadySteps, AreDoneAgainWhereTheClockFellAndForgetWhatTheySaw) {
  EXPECT_EQ(text_of_step({look(1.98), look(1.98), look(1.5), look(1.98)}), "gaps");
  EXPECT_EQ(times_, 2);
  EXPECT_EQ(machine_.streams->gap, Nanoseconds{1002});
  EXPECT_EQ(samples_.size(), 2u) << "the second time's, and its wall time";
}

TEST_F(SteadySteps, SayWhatDisturbedThemTwice) {
  EXPECT_THAT(text_of_step({look(1.98), look(1.98), look(1.98, 10, 1), look(1.98), look(1.98, 10, 2)}),
              HasSubstr("gaps; disturbed: 2 other processes computed on the GPU"));
  EXPECT_EQ(times_, 2);
}

TEST_F(SteadySteps, OfTheDeviceDoNotCareForTheHost) {
  const std::vector<Conditions> slower{look(1.98), look(1.98), look(1.98, 14), look(1.98, 10), look(1.98, 14)};
  EXPECT_THAT(text_of_step(slower, Pace::kDevice), Not(HasSubstr("disturbed")));
  EXPECT_EQ(times_, 1);
  EXPECT_THAT(text_of_step(slower, Pace::kHost), HasSubstr("disturbed: the host's pace changed by 40 %"));
}

}  // namespace
}  // namespace tasktwin::verify
