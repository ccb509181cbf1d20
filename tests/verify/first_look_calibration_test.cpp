// Calibration of what precedes the first tasks, against a machine whose constants are known: the simulator.
#include <gtest/gtest.h>

#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/mechanisms.hpp"
#include "verify/calibration/simulated_steps.hpp"

namespace tasktwin::verify {
namespace {

TEST(FirstLookCalibration, FindsThemByDesignAndWhatAnEmptyCacheAdds) {
  Machine truth = tests::known_card();
  truth.first_looks->static_queues = Nanoseconds{1300};
  truth.first_looks->layer_barrier = Nanoseconds{1800};
  truth.first_looks->shared_queue = Nanoseconds{1500};
  truth.first_looks->work_stealing = Nanoseconds{1900};
  truth.first_looks->central_dispatcher = Nanoseconds{900};
  truth.first_looks->host_dispatcher = Nanoseconds{2300};
  truth.first_looks->uncached = Nanoseconds{1100};
  truth.device_mailboxes->first_hop = Nanoseconds{450};
  const std::initializer_list<std::string_view> looks{
      "first_looks.static_queues_ns",      "first_looks.layer_barrier_ns",   "first_looks.shared_queue_ns", "first_looks.work_stealing_ns",
      "first_looks.central_dispatcher_ns", "first_looks.host_dispatcher_ns", "first_looks.uncached_ns"};
  Machine skeleton = tests::without(truth, looks);
  skeleton.device_mailboxes->first_hop = Nanoseconds{0};
  Probes probes = tests::probes_of(skeleton, tests::simulated(truth));
  const Machine with_hops = tests::found_by(probes, calibrate_first_hops(probes));
  tests::expect_found(tests::found_by(probes, calibrate_first_looks(probes, with_hops)), truth, looks);
  // A mean over the first task of each of a hundred cores, whose hops are drawn.
  EXPECT_NEAR(with_hops.device_mailboxes->first_hop.count(), 450, 3 * truth.device_mailboxes->hop_sigma.count() / 10);
}

}  // namespace
}  // namespace tasktwin::verify
