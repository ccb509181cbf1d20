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

TEST(PageLoadsCalibration, FindsHowFastEachKernelReadsWhileTheNextPagesAreLoaded) {
  Machine truth = tests::known_card();
  double rate = 30;
  for (const Kernel kernel : {Kernel::kQkv, Kernel::kProject, Kernel::kGateUp, Kernel::kDown, Kernel::kHead})
    truth.kernels[static_cast<std::size_t>(kernel)].paged = rate += 3;
  Machine known = truth;
  for (KernelCost& cost : known.kernels) cost.paged = 0;
  Probes probes = tests::probes_of(known, tests::simulated(truth));
  const std::vector<CalibratedKernel> found = calibrate_paged_rows(probes, known);
  ASSERT_EQ(found.size(), 5U);
  for (const CalibratedKernel& kernel : found)
    EXPECT_NEAR(kernel.cost.paged, truth.kernel_cost(kernel.kernel).paged, 0.5) << to_word(kernel.kernel);
}

}  // namespace
}  // namespace tasktwin::verify
