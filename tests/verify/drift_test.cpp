#include "verify/calibration/drift.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/scenario.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::verify {
namespace {

/// Measures `machine` by simulating it.
CalibrationBackend simulated(const Machine& machine) {
  CalibrationBackend backend;
  backend.device = "simulator";
  backend.run = [machine](const TaskGraph& graph, const Machine& asked, const Design& design, const gpu::RunOptions&) {
    Machine measured = machine;
    measured.compute_cores = asked.compute_cores;
    gpu::Measurement measurement;
    measurement.timeline = sim::simulate(graph, measured, design).timeline;
    measurement.makespans = {measurement.timeline.makespan()};
    return measurement;
  };
  return backend;
}

std::string drift_of(const Machine& stated, const Machine& real) {
  return drift_text("m.yaml", measure_drift(
                                  stated, [](std::string_view) {}, simulated(real)));
}

TEST(Drift, AMachineFitsItself) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  EXPECT_EQ(drift_of(machine, machine), "");
}

TEST(Drift, NamesWhatHasChangedAndNothingElse) {
  const Machine stated = scenarios::load_machine("nvidia-h200");
  Machine real = stated;
  real.constants.launch += Nanoseconds{2000};
  const std::string text = drift_of(stated, real);
  EXPECT_THAT(text, testing::HasSubstr("m.yaml no longer fits this GPU: launch_ns is"));
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
