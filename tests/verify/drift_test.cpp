#include "verify/calibration/drift.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/scenario.hpp"
#include "tests/verify/support/simulated_machine.hpp"

namespace tasktwin::verify {
namespace {

std::string drift_of(const Machine& stated, const Machine& real) {
  return drift_text("m.yaml", measure_drift(
                                  stated, [](std::string_view) {}, tests::simulated(real)));
}

TEST(Drift, AMachineFitsItself) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  EXPECT_EQ(drift_of(machine, machine), "");
}

TEST(Drift, NamesWhatHasChangedAndNothingElse) {
  const Machine stated = scenarios::load_machine("nvidia-h200");
  Machine real = stated;
  real.host_calls->launch += Nanoseconds{2000};
  const std::string text = drift_of(stated, real);
  EXPECT_THAT(text, testing::HasSubstr("m.yaml no longer fits this GPU: host_calls.launch_ns is"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("hop_ns")));
  EXPECT_THAT(text, testing::HasSubstr("--allow-drift"));
}

TEST(Drift, BeginsBeyondAQuarterAndTheTimersNoise) {
  EXPECT_FALSE((ConstantDrift{"a", 1000, 1250}.drifted()));
  EXPECT_TRUE((ConstantDrift{"a", 1000, 1251}.drifted()));
  EXPECT_TRUE((ConstantDrift{"a", 1000, 749}.drifted()));
  EXPECT_FALSE((ConstantDrift{"a", 100, 200}.drifted())) << "three steps of the timer";
  EXPECT_TRUE((ConstantDrift{"a", 100, 201}.drifted()));
}

}  // namespace
}  // namespace tasktwin::verify
