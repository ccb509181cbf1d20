// A calibration that is ended early goes on where it stopped.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/finished_steps.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/steady.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;

/// The card is unplugged in the middle of a step.
struct Unplugged : RunError {
  Unplugged() : RunError("the device fell off") {}
};

class FinishedStepsTest : public testing::Test {
 protected:
  /// Two steps of a simulated card whose `fails`-th micro-benchmark from now on fails; the machine that they find.
  std::string measure(int fails, const std::string& settings = "this card") {
    FinishedSteps finished(file_, settings);
    found_ = finished.found();
    CalibrationBackend backend = tests::simulated(tests::known_card());
    backend.run = [this, fails, count = 0, run = backend.run](const auto&... arguments) mutable {
      if (++count == fails) throw Unplugged();
      ++asked_;
      return run(arguments...);
    };
    backend.memory_words = [this] {
      ++asked_;
      return gpu::MemoryWordTimes{500, 600, 3};
    };
    backend.memory_ports = [] { return gpu::MemoryPortProbe{{0, 1, 1}, 90, {2}}; };
    backend.memory_queues = [] { return gpu::MemoryQueueProbe{{1, 0}, 30}; };
    Machine machine = to_be_measured(tests::known_card(), "simulator", "2026-01-02");
    Probes probes(
        machine, [](std::string_view) {}, finished.keeping(std::move(backend)));
    Steady steady(probes, machine, &finished);
    const MemoryPaths access = steady("memory access", Pace::kDevice, [&] { return calibrate_memory_paths(probes); });
    steady("resident cores", Pace::kDevice, [&] { return calibrate_resident_cores(probes, access.memory); });
    samples_ = probes.samples();
    return scenarios::machine_to_yaml(machine);
  }

  tests::TemporaryFolder folder_;
  std::string file_ = (folder_ / "card.yaml.steps").string();
  int asked_ = 0;
  std::size_t found_ = 0;
  std::vector<CalibrationSample> samples_;
};

TEST_F(FinishedStepsTest, AreNotMeasuredAgain) {
  const std::string whole = measure(-1);
  const int all = std::exchange(asked_, 0);
  const std::vector<CalibrationSample> samples = samples_;
  EXPECT_EQ(measure(-1), whole) << "every step stands in the file";
  EXPECT_EQ(asked_, 0);
  ASSERT_EQ(samples_.size(), samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(samples_[i].value_ns, samples[i].value_ns) << samples[i].setting;
  EXPECT_GT(all, 3);
}

TEST_F(FinishedStepsTest, ThatWereEndedBeginAnew) {
  const std::string whole = measure(-1);
  const int all = std::exchange(asked_, 0);
  std::filesystem::remove(file_);
  EXPECT_THROW(measure(2), Unplugged);
  EXPECT_EQ(found_, 0U);
  asked_ = 0;
  EXPECT_EQ(measure(-1), whole);
  EXPECT_EQ(found_, 1U);
  EXPECT_EQ(asked_, all - 1) << "memory access alone was done";
}

TEST_F(FinishedStepsTest, OfOtherSettingsAreDropped) {
  measure(-1, "another card");
  asked_ = 0;
  measure(-1);
  EXPECT_EQ(found_, 0U);
  EXPECT_GT(asked_, 3);
}

TEST_F(FinishedStepsTest, ThatAKillLeftInPartAreMeasuredAgain) {
  const std::string whole = measure(-1);
  const auto size = std::filesystem::file_size(file_);
  for (const std::uintmax_t left : {size - 1, size - 200, std::uintmax_t{70}}) {
    std::filesystem::resize_file(file_, left);
    EXPECT_EQ(measure(-1), whole) << left;
    EXPECT_EQ(found_, left == 70 ? 0U : 1U);
    EXPECT_EQ(std::filesystem::file_size(file_), size) << "whole again";
  }
}

TEST_F(FinishedStepsTest, StandInNoFileOfSomebodyElse) {
  std::ofstream(file_) << "precious";
  EXPECT_THAT([&] { FinishedSteps(file_, "x"); }, testing::ThrowsMessage<InputError>(HasSubstr("is in the way")));
  std::filesystem::remove(file_);
  std::filesystem::create_symlink("/dev/null", file_);
  EXPECT_THAT([&] { FinishedSteps(file_, "x"); }, testing::ThrowsMessage<InputError>(HasSubstr("is a link")));
}

}  // namespace
}  // namespace tasktwin::verify
