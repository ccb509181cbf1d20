// Calibration of workers that have queues of their own, against a machine whose constants are known: the simulator.
#include <gtest/gtest.h>

#include "scenarios/scenario.hpp"
#include "tests/verify/support/simulated_machine.hpp"

namespace tasktwin::verify {
namespace {

TEST(WorkerQueuesCalibration, FindsTakesTheftsClaimsHopsAndSpawns) {
  Machine truth = scenarios::load_machine("nvidia-h200");
  Constants& c = truth.constants;
  c.refill = Nanoseconds{210};
  c.take = Nanoseconds{1200};
  c.steal = Nanoseconds{1900};
  c.steal_fail = Nanoseconds{600};
  c.steal_hop = Nanoseconds{2300};
  c.list_take = Nanoseconds{1050};
  c.list_hop = Nanoseconds{2100};
  c.list_claim = Nanoseconds{1700};
  c.spawn = Nanoseconds{90};
  const Machine skeleton = tests::without(truth, {"refill_ns", "take_ns", "steal_ns", "steal_fail_ns", "steal_hop_ns", "list_take_ns",
                                                  "list_hop_ns", "list_claim_ns", "spawn_ns"});
  Calibration calibration = tests::calibration_of(skeleton, tests::simulated(truth));
  calibrate_worker_queues(calibration);
  tests::expect_found(
      calibration, truth,
      {"refill_ns", "take_ns", "steal_ns", "steal_fail_ns", "steal_hop_ns", "list_take_ns", "list_hop_ns", "list_claim_ns", "spawn_ns"});
}

}  // namespace
}  // namespace tasktwin::verify
