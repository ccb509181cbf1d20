// Calibration of workers that have queues of their own, against a machine whose constants are known: the simulator.
#include <gtest/gtest.h>

#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"

namespace tasktwin::verify {
namespace {

TEST(WorkerQueuesCalibration, FindsTakesTheftsClaimsHopsAndSpawns) {
  Machine truth = tests::known_card();
  truth.ready_queues->take = Nanoseconds{1200};
  truth.ready_queues->steal = Nanoseconds{1900};
  truth.ready_queues->steal_hop = Nanoseconds{2300};
  truth.ready_queues->list_take = Nanoseconds{1050};
  truth.ready_queues->list_hop = Nanoseconds{2100};
  truth.ready_queues->uncached_fetch = Nanoseconds{270};
  truth.resident_cores->spawn = Nanoseconds{900};
  const Machine skeleton =
      tests::without(truth, {"ready_queues.take_ns", "ready_queues.steal_ns", "ready_queues.steal_hop_ns", "ready_queues.list_take_ns",
                             "ready_queues.list_hop_ns", "ready_queues.uncached_fetch_ns", "resident_cores.spawn_ns"});
  Probes probes = tests::probes_of(skeleton, tests::simulated(truth));
  CoreSteps steps = calibrate_resident_cores(probes, *truth.memory);
  const Calibrated<mechanism::ReadyQueues> queues = calibrate_ready_queues(probes, steps);
  tests::expect_found(tests::found_by(probes, steps, queues), truth,
                      {"ready_queues.take_ns", "ready_queues.steal_ns", "ready_queues.list_take_ns", "ready_queues.list_hop_ns",
                       "ready_queues.uncached_fetch_ns", "resident_cores.spawn_ns"});
  // A waiting thief's hop has in it how long the first of all takes to look, and to read the lengths: 32 at a time, up to five times.
  EXPECT_GE(queues.steal_hop.count(), 2300 - 25);
  EXPECT_LE(queues.steal_hop.count(), 2300 + 25 + 4 * truth.memory->read_latency.count());
}

}  // namespace
}  // namespace tasktwin::verify
