#include "verify/calibration/drift.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/load/scenario.hpp"
#include "tests/verify/support/simulated_machine.hpp"

namespace tasktwin::verify {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string drift_of(const Machine& stated, const Machine& real) {
  const auto checks = measure_drift(
      stated, [](std::string_view) {}, [&real] { return tests::simulated(real); });
  return drift_text("m.yaml", checks);
}

TEST(Drift, AMachineFitsItself) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  EXPECT_EQ(drift_of(machine, machine), "");
}

TEST(Drift, ASplitOfAPhaseThatNoMakespanTellsIsNone) {
  const Machine stated = scenarios::load_machine("nvidia-h200");
  Machine real = stated;
  real.device_mailboxes->hop += Nanoseconds{200};
  real.device_mailboxes->publish -= Nanoseconds{200};
  EXPECT_EQ(drift_of(stated, real), "");
}

TEST(Drift, NamesTheDesignsWhosePredictionsAreOffAndNoOthers) {
  const Machine stated = scenarios::load_machine("nvidia-h200");
  Machine real = stated;
  real.host_calls->launch += Nanoseconds{2000};
  EXPECT_THAT(drift_of(stated, real), AllOf(HasSubstr("the machine file m.yaml does not fit this GPU"), HasSubstr("under cuda-streams (-"),
                                            Not(HasSubstr("static-queues")), HasSubstr("--allow-drift")));
}

TEST(Drift, AnotherKindOfCardIsToldByWhatItsMemoryCarries) {
  const Machine stated = scenarios::load_machine("nvidia-h200");
  Machine real = stated;
  real.memory->bandwidth *= 3350.0 / 4800;
  EXPECT_THAT(drift_of(stated, real), AllOf(HasSubstr("under static-queues with bodies that read memory (-"), Not(HasSubstr("hybrid"))));
}

TEST(Drift, BeginsBeyondTheMeanErrorThatItStates) {
  const auto checks = [](double error) {
    return std::vector<SpotCheck>{{"hybrid", "a", 1000, 1000 * (1 + error)}, {"hybrid", "b", 1000, 1000 * (1 - error)}};
  };
  EXPECT_EQ(drift_text("m", checks(kLargestDrift - 1e-3)), "");
  EXPECT_THAT(drift_text("m", checks(kLargestDrift + 1e-3)), HasSubstr("20 % under hybrid (+0 %)"));
  EXPECT_EQ(spots_text(checks(0.04)), "predictions of 2 small runs are off by 4.0 % on average, by +4.0 % at most (hybrid, a)");
}

}  // namespace
}  // namespace tasktwin::verify
