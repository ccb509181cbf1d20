// Calibration of what precedes the first tasks, against a machine whose constants are known: the simulator.
#include <gtest/gtest.h>

#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/bodies/simulated_steps.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"

namespace tasktwin::verify {
namespace {

TEST(FirstLookCalibration, FindsThemAndWhatAnEmptyCacheAdds) {
  Machine truth = tests::known_card();
  truth.first_looks->look = Nanoseconds{1500};
  truth.first_looks->uncached = Nanoseconds{1100};
  const std::initializer_list<std::string_view> looks{"first_looks.look_ns", "first_looks.uncached_ns"};
  const Machine skeleton = tests::without(truth, looks);
  Probes probes = tests::probes_of(skeleton, tests::simulated(truth));
  tests::expect_found(tests::found_by(probes, calibrate_first_looks(probes, skeleton)), truth, looks);
}

}  // namespace
}  // namespace tasktwin::verify
