// Calibration of dispatchers on the device, against rounds of a machine whose constants are known.
#include <gtest/gtest.h>

#include "tests/support/free_machine.hpp"
#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/trials/refinement.hpp"

namespace tasktwin::verify {
namespace {

using tests::expect_found;
using tests::found_by;
using tests::probes_of;
using tests::simulated;

constexpr int kSpawnedTogether = 2;

Machine true_machine() {
  Machine machine = tests::known_card();
  machine.device_control->poll = Nanoseconds{170};
  machine.device_control->poll_per_core = Nanoseconds{45};
  machine.device_control->complete = Nanoseconds{280};
  machine.device_control->pass_on = Nanoseconds{230};
  machine.device_control->resolve = Nanoseconds{290};
  machine.device_control->claim = Nanoseconds{600};
  machine.device_control->dispatch = Nanoseconds{390};
  machine.device_control->spawn = Nanoseconds{2500};
  return machine;
}

/// Rounds that do all of it, as `machine` says what they take; where tasks are spawned, ones that make two of them known.
std::vector<gpu::DispatchRound> rounds(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const int lanes = machine.control_cores.lanes;
  const int dispatchers = dispatcher_count(design, machine);
  const int passes = ((machine.core_count() + dispatchers - 1) / dispatchers + lanes - 1) / lanes;
  std::vector<gpu::DispatchRound> rounds;
  for (int i = 0; i < 4000; ++i) {
    gpu::DispatchRound round;
    round.completions = 1 + i % 3;
    round.turns = i % 4;
    round.rows = i / 12 % 5;
    round.handed_over = i % 7 == 0 ? 0 : i % 60;
    if (graph.has_spawns()) {
      round.completions = 1;
      round.released = kSpawnedTogether;
      round.turns = round.rows = 0;
    }
    round.sweep = round_ns(machine.device_control->poll + passes * machine.device_control->poll_per_core);
    if (i % 5 == 0) round.serve = round_ns(machine.device_control->claim);
    if (i % 5 == 1) {
      round.claimed = 9;
      round.claim = round_ns(machine.device_control->claim);
    }
    round.resolve =
        round_ns(machine.device_control->complete + round.turns * machine.device_control->pass_on +
                 round.rows * machine.device_control->resolve + (graph.has_spawns() ? machine.device_control->spawn : Nanoseconds{0}));
    round.hand_over = round_ns((round.handed_over + 31) / 32 * machine.device_control->dispatch);
    rounds.push_back(round);
  }
  return rounds;
}

TEST(ControlCoreCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  CalibrationBackend backend = simulated(truth);
  backend.run = [truth, simulate = backend.run](const TaskGraph& graph, const Machine& asked, const Design& design,
                                                const gpu::RunOptions& options) {
    gpu::Measurement measurement = simulate(graph, asked, design, options);
    measurement.dispatch_rounds = rounds(graph, truth, design);
    return measurement;
  };
  Probes probes = probes_of(without_mechanisms(truth), std::move(backend));
  expect_found(found_by(probes, calibrate_device_control(probes, *truth.memory, *truth.resident_cores)), truth,
               {"device_control.poll_ns", "device_control.poll_per_core_ns", "device_control.complete_ns", "device_control.pass_on_ns",
                "device_control.resolve_ns", "device_control.claim_ns", "device_control.dispatch_ns", "device_control.spawn_ns"});
}

TEST(ControlCoreCalibration, FewDispatchersSayWhatAFurtherPassTakes) {
  const Machine truth = true_machine();
  Machine known = truth;
  known.device_control->poll_per_core = truth.device_control->poll_per_core * 0.5;
  known.device_control->poll = truth.device_control->poll + truth.device_control->poll_per_core * 0.5;
  for (const char* const constant : {"device_control.poll_ns", "device_control.poll_per_core_ns"}) known.provenance[constant] = {};
  Probes probes = probes_of(known, simulated(truth));
  expect_found(found_by(probes, refine_few_dispatchers(probes, known)), truth,
               {"device_control.poll_ns", "device_control.poll_per_core_ns"});
}

}  // namespace
}  // namespace tasktwin::verify
