// Calibration of workers' loaders, against a machine whose constants are known: the simulator.
#include <gtest/gtest.h>

#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"

namespace tasktwin::verify {
namespace {

TEST(PageLoadsCalibration, FindsWhatALoaderDrawsAndHowFastABodyReads) {
  Machine truth = tests::known_card();
  truth.page_loads->load_bandwidth = 47;
  truth.page_loads->read_bandwidth = 83;
  const Machine skeleton = tests::without(truth, {"page_loads.load_bandwidth_gb_per_s", "page_loads.read_bandwidth_gb_per_s"});
  Probes probes = tests::probes_of(skeleton, tests::simulated(truth));
  const Calibrated<mechanism::PageLoads> loads = calibrate_page_loads(probes, truth);
  tests::expect_found(tests::found_by(probes, loads), truth, {"page_loads.load_bandwidth_gb_per_s", "page_loads.read_bandwidth_gb_per_s"},
                      0);
}

}  // namespace
}  // namespace tasktwin::verify
