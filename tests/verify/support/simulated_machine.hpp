#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "models/base/random.hpp"
#include "scenarios/files/text_hash.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"
#include "verify/calibration/calibration.hpp"

namespace tasktwin::tests {

/// A card of the tests' own: each time and bandwidth is up to 15 % off the shipped H200's, so that what calibration finds is in no shipped
/// file.
inline Machine known_card() {
  Machine machine = scenarios::load_machine("nvidia-h200");
  machine.name = "known-card";
  for (const ConstantField* const field : constants_of(machine)) {
    if (field->unit != Unit::kNanoseconds && field->unit != Unit::kGigabytesPerSecond) continue;
    Random random(std::stoull(scenarios::text_hash(field->key), nullptr, 16));
    field->set(machine, field->get(machine) * (0.85 + 0.3 * random.uniform()));
  }
  return machine;
}

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
  backend.plain_chains = [machine] {
    const double around = machine.launched_kernels->around.count();
    return gpu::PlainChainTimes{machine.graph_launch->gap.count() - around, machine.streams->gap.count() - around,
                                machine.launched_kernels->per_block.count()};
  };
  return backend;
}

/// `machine` before `constants` are known: they are 0.
inline Machine without(Machine machine, std::initializer_list<std::string_view> constants) {
  for (const std::string_view constant : constants) find_constant(constant)->set(machine, 0);
  return machine;
}

/// Probes of `backend`, for steps that begin with `skeleton`.
inline verify::Probes probes_of(const Machine& skeleton, verify::CalibrationBackend backend) {
  const Machine machine = verify::to_be_measured(skeleton, backend.device, "2026-01-02");
  return {machine, [](std::string_view) {}, std::move(backend)};
}

/// The machine that `probes` begin with, and what was found of it.
template <class... Found>
Machine found_by(const verify::Probes& probes, const Found&... found) {
  Machine machine = probes.machine();
  (found.into(machine), ...);
  return machine;
}

inline double value(const Machine& machine, std::string_view constant) { return find_constant(constant)->get(machine); }

/// Each of `constants` within 1 % and `slack`.
inline void expect_found(const Machine& found, const Machine& truth, std::initializer_list<std::string_view> constants, double slack = 2) {
  for (const std::string_view constant : constants) {
    const ConstantField* const field = find_constant(constant);
    ASSERT_NE(field, nullptr) << constant;
    const double value = field->get(truth);
    EXPECT_NEAR(field->get(found), value, 0.01 * value + slack) << constant;
    EXPECT_NE(found.provenance.at(std::string(constant)).source, Source::kStated) << constant;
  }
}

}  // namespace tasktwin::tests
