#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "scenarios/scenario.hpp"
#include "sim/simulator.hpp"
#include "verify/calibration/calibration.hpp"

namespace tasktwin::tests {

/// A card of the tests' own.
inline Machine known_card() { return scenarios::load_machine("tests/verify/support/known-card.yaml"); }

/// Measures `machine` by simulating it, with as many cores as asked for, whatever the constants it is asked to run under. The
/// other measurements are the test's to add.
inline verify::CalibrationBackend simulated(const Machine& machine) {
  verify::CalibrationBackend backend;
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

/// `machine` before `constants` are known: they are 0.
inline Machine without(Machine machine, std::initializer_list<std::string_view> constants) {
  for (const std::string_view constant : constants) find_constant(constant)->set(machine, 0);
  return machine;
}

/// A calibration of `backend` that begins with `skeleton`.
inline verify::Calibration calibration_of(const Machine& skeleton, verify::CalibrationBackend backend) {
  return {skeleton, "2026-01-02", [](std::string_view) {}, std::move(backend)};
}

/// Each of `constants` within 1 % and `slack`.
inline void expect_found(const verify::Calibration& calibration, const Machine& truth, std::initializer_list<std::string_view> constants,
                         double slack = 2) {
  for (const std::string_view constant : constants) {
    const ConstantField* const field = find_constant(constant);
    ASSERT_NE(field, nullptr) << constant;
    const double value = field->get(truth);
    EXPECT_NEAR(calibration.get(constant), value, 0.01 * value + slack) << constant;
    EXPECT_NE(calibration.machine().provenance.at(std::string(constant)).source, Source::kStated) << constant;
  }
}

}  // namespace tasktwin::tests
