// Calibration of the bodies, against a machine whose costs are known: the simulator.
#include <cmath>

#include <gtest/gtest.h>

#include "models/cost/body_cost.hpp"
#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/bodies/simulated_steps.hpp"

namespace tasktwin::verify {
namespace {

/// Tiles of an odd multiple of 16 rows take longer than those beside them say.
std::vector<KernelCost::Point> tile_curve(Kernel kernel) {
  std::vector<KernelCost::Point> curve;
  for (int rows = 16; rows <= 128; rows += 16) {
    const double cube = static_cast<double>(rows) * rows * rows;
    const double flops = kernel == Kernel::kPotrf  ? std::floor(cube / 3)
                         : kernel == Kernel::kTrsm ? cube
                         : kernel == Kernel::kSyrk ? cube + rows * rows
                                                   : 2 * cube;
    curve.push_back({.flops = flops, .ns = 100.0 * rows + (rows % 32 == 0 ? 0 : 900)});
  }
  return curve;
}

/// An H200 whose kernels all add something else to the phases around them.
Machine true_machine() {
  Machine machine = tests::known_card();
  machine.resident_cores->counter_hop_spread = Nanoseconds{0};  // so that the first bodies of a wave start together
  machine.memory->bandwidth = 4900;
  machine.memory->contention = 0.09;
  machine.copies->traffic = 3;
  double step = 0;
  for (const auto& [kernel, word] : Words<Kernel>::entries) {
    KernelCost& cost = machine.kernels[static_cast<std::size_t>(kernel)];
    if (kernel == Kernel::kEmpty || kernel == Kernel::kSpin) continue;
    ++step;
    cost.release = Nanoseconds{100 + 10 * step};
    cost.publish = Nanoseconds{30 + 5 * step};
    cost.cold = Nanoseconds{500 + 100 * step};
    cost.uncached_cold = Nanoseconds{2000 + 150 * step};
    cost.launched = Nanoseconds{50 + 10 * step};  // so that none displaces others in graphs
    cost.uncached = Nanoseconds{kernel == Kernel::kRmsNorm ? 450 : 0};
    if (kernel == Kernel::kAttention) {
      for (KernelCost::Point& point : cost.arithmetic) point.uncached_ns = 100 + point.flops / 1000;
    }
    const bool reads = reads_rows(kernel);
    cost.again = Nanoseconds{reads ? 200 + 20 * step : 0};
    cost.row = Nanoseconds{reads ? 15 + 2 * step : 0};
    cost.step = Nanoseconds{reads ? 300 + 20 * step : kernel == Kernel::kRmsNorm ? 350 : 0};
    cost.traffic = reads ? 0.9 : 1;
    const bool in_grids = reads || kernel == Kernel::kAttention || kernel == Kernel::kAttentionMerge;
    cost.grid = Nanoseconds{in_grids ? 600 + 20 * step : 0};
    cost.grid_end = Nanoseconds{in_grids ? 200 + 10 * step : 0};
  }
  for (const Kernel kernel : {Kernel::kPotrf, Kernel::kTrsm, Kernel::kSyrk, Kernel::kGemm})
    machine.kernels[static_cast<std::size_t>(kernel)].arithmetic = tile_curve(kernel);
  return machine;
}

class BodyCalibration : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    truth_ = new Machine(true_machine());
    Machine skeleton = *truth_;
    skeleton.kernels.assign(kKernelCount, {});
    Probes probes = tests::probes_of(skeleton, tests::simulated(*truth_));
    found_ = new Machine(probes.machine());
    calibrate_bodies(probes, *found_);
  }
  static void TearDownTestSuite() {
    delete found_;
    delete truth_;
  }

  static const KernelCost& found(Kernel kernel) { return found_->kernel_cost(kernel); }
  static const KernelCost& truth(Kernel kernel) { return truth_->kernel_cost(kernel); }

  static Machine* truth_;
  static Machine* found_;
};

Machine* BodyCalibration::truth_ = nullptr;
Machine* BodyCalibration::found_ = nullptr;

TEST_F(BodyCalibration, FindsWhatEveryKernelAddsToThePhases) {
  for (const auto& [kernel, word] : Words<Kernel>::entries) {
    EXPECT_NEAR(found(kernel).release.count(), truth(kernel).release.count(), 3) << word;
    EXPECT_NEAR(found(kernel).publish.count(), truth(kernel).publish.count(), 3) << word;
    if (kernel == Kernel::kStream) continue;  // every run of it begins with an empty cache
    // Who starts later than the first of its wave waits less, by a few hundred ns.
    EXPECT_NEAR(found(kernel).cold.count(), truth(kernel).cold.count(), 0.05 * truth(kernel).cold.count() + 250) << word;
  }
}

TEST_F(BodyCalibration, FindsHowMuchLongerBodiesTakeThatGraphsLaunch) {
  for (const Kernel kernel : {Kernel::kFma, Kernel::kPotrf, Kernel::kTrsm, Kernel::kSyrk, Kernel::kGemm, Kernel::kRmsNorm,
                              Kernel::kAttentionMerge, Kernel::kAttention}) {
    EXPECT_NEAR(found(kernel).launched.count(), truth(kernel).launched.count(), 25) << to_word(kernel);
  }
}

TEST_F(BodyCalibration, FindsWhatARunAddsThatFindsTheCacheEmpty) {
  for (const Kernel kernel :
       {Kernel::kFma, Kernel::kStream, Kernel::kPotrf, Kernel::kTrsm, Kernel::kSyrk, Kernel::kGemm, Kernel::kRmsNorm, Kernel::kQkv,
        Kernel::kProject, Kernel::kDown, Kernel::kGateUp, Kernel::kHead, Kernel::kAttention, Kernel::kAttentionMerge})
    EXPECT_NEAR(found(kernel).uncached_cold.count(), truth(kernel).uncached_cold.count(), 0.05 * truth(kernel).uncached_cold.count() + 250)
        << to_word(kernel);
  EXPECT_NEAR(found(Kernel::kRmsNorm).uncached.count(), 450, 5);
  ASSERT_EQ(found(Kernel::kAttention).arithmetic.size(), truth(Kernel::kAttention).arithmetic.size());
  for (std::size_t i = 0; i < found(Kernel::kAttention).arithmetic.size(); ++i)
    EXPECT_NEAR(found(Kernel::kAttention).arithmetic[i].uncached_ns, truth(Kernel::kAttention).arithmetic[i].uncached_ns, 5);
}

TEST_F(BodyCalibration, FindsWhatReadersSaveRightBehindTheirOwnKernel) {
  for (const Kernel kernel : {Kernel::kQkv, Kernel::kProject, Kernel::kDown, Kernel::kGateUp, Kernel::kHead})
    EXPECT_NEAR(found(kernel).again.count(), truth(kernel).again.count(), 0.1 * truth(kernel).again.count()) << to_word(kernel);
  EXPECT_EQ(found(Kernel::kStream).again.count(), 0);
}

TEST_F(BodyCalibration, FindsHowMuchOfTheMemoryCopiesTakeUp) { EXPECT_NEAR(found_->copies->traffic, 3, 0.1); }

TEST_F(BodyCalibration, FindsTheCurvesOfTheTiles) {
  for (const Kernel kernel : {Kernel::kPotrf, Kernel::kTrsm, Kernel::kSyrk, Kernel::kGemm}) {
    ASSERT_EQ(found(kernel).arithmetic.size(), truth(kernel).arithmetic.size());
    for (std::size_t i = 0; i < found(kernel).arithmetic.size(); ++i)
      EXPECT_NEAR(found(kernel).arithmetic[i].ns, truth(kernel).arithmetic[i].ns, 2) << to_word(kernel);
  }
}

TEST_F(BodyCalibration, FindsTheBandwidthOfTheMemory) {
  const double bandwidth = truth_->memory->bandwidth;
  EXPECT_NEAR(found_->memory->bandwidth, bandwidth, 0.02 * bandwidth);
}

TEST_F(BodyCalibration, FindsWhatRowsAddAndHowFastTheirBytesComeWithoutThem) {
  for (const Kernel kernel : {Kernel::kQkv, Kernel::kProject, Kernel::kDown, Kernel::kGateUp, Kernel::kHead}) {
    EXPECT_NEAR(found(kernel).row.count(), truth(kernel).row.count(), 0.1 * truth(kernel).row.count()) << to_word(kernel);
    EXPECT_NEAR(found(kernel).bandwidth, truth(kernel).bandwidth, 0.05 * truth(kernel).bandwidth) << to_word(kernel);
  }
}

TEST_F(BodyCalibration, FindsWhatStepsOfAWarpAddByRowsOfOtherLengths) {
  for (const Kernel kernel : {Kernel::kQkv, Kernel::kProject, Kernel::kDown, Kernel::kGateUp, Kernel::kHead}) {
    EXPECT_NEAR(found(kernel).step.count(), truth(kernel).step.count(), 0.15 * truth(kernel).step.count()) << to_word(kernel);
    EXPECT_NEAR(found(kernel).traffic, 0.9, 0.05) << to_word(kernel);
  }
  EXPECT_NEAR(found(Kernel::kRmsNorm).step.count(), 350, 5);
}

TEST_F(BodyCalibration, FindsWhatBodiesTakeLongerInKernelsOfSeveralBlocks) {
  for (const Kernel kernel :
       {Kernel::kQkv, Kernel::kProject, Kernel::kDown, Kernel::kGateUp, Kernel::kHead, Kernel::kAttention, Kernel::kAttentionMerge}) {
    // Of kernels that read rows nothing else tells what graphs add.
    const Nanoseconds by_graphs = truth(kernel).launched - found(kernel).launched;
    EXPECT_NEAR(found(kernel).grid.count(), (truth(kernel).grid + by_graphs).count(), 30) << to_word(kernel);
    EXPECT_NEAR(found(kernel).grid_end.count(), truth(kernel).grid_end.count(), 5) << to_word(kernel);
  }
}

}  // namespace
}  // namespace tasktwin::verify
