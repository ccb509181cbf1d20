#include "verify/predict/perturbation.hpp"
#include "models/runtimes/runtimes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/free_machine.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/sensitivity.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;
using testing::Not;

const PerturbedQuantity& row(const std::vector<PerturbedQuantity>& rows, std::string_view name) {
  return *std::ranges::find(rows, name, &PerturbedQuantity::quantity);
}

TEST(MachineQuantities, AreWhatAFileStatesAboveZero) {
  Machine machine = free_machine();
  machine.host_calls->launch = Nanoseconds{100};
  KernelCost& gemm = machine.kernels[static_cast<std::size_t>(Kernel::kGemm)];
  gemm = {.overhead = Nanoseconds{10}, .traffic = 1.5, .arithmetic = {{1000, 20}, {2000, 30}}};
  std::vector<std::string> names;
  for (const MachineQuantity& quantity : machine_quantities(machine)) {
    names.push_back(quantity.name);
    quantity.scale(machine, 0.5);
  }
  EXPECT_THAT(names,
              testing::ElementsAre("host_calls.launch_ns", "kernels.gemm.overhead_ns", "kernels.gemm.traffic", "kernels.gemm.arithmetic"));
  EXPECT_EQ(machine.host_calls->launch, Nanoseconds{50});
  EXPECT_EQ(gemm.overhead, Nanoseconds{5});
  EXPECT_EQ(gemm.traffic, 0.75);
  EXPECT_EQ(gemm.arithmetic[0].ns, 10);
  EXPECT_EQ(gemm.arithmetic[1].ns, 15);
}

TEST(Perturbation, FindsWhereAQuantityMattersMost) {
  tests::TemporaryFolder folder;
  tests::write_text(folder / "tiny.yaml", tests::kTinyScenario);
  const scenarios::Scenario scenario = scenarios::load_scenario((folder / "tiny.yaml").string());
  std::vector<PerturbedQuantity> rows;
  Progress progress;
  perturb(scenario, scenario.designs, rows, progress);

  std::vector<PerturbedQuantity> in_two;
  perturb(scenario, scenario.designs, in_two, progress, 2);
  EXPECT_EQ(perturbation_to_json(in_two), perturbation_to_json(rows));

  const PerturbedQuantity& launch = row(rows, "host_calls.launch_ns");
  EXPECT_EQ(launch.design, "cuda-streams");
  scenarios::Scenario changed = scenario;
  changed.machine.host_calls->launch *= 1 + kPerturbation;
  const Design streams = named_design("cuda-streams");
  const auto before = static_cast<double>(to_ns(predict(scenario, streams, scenario.seed).timeline.makespan()));
  const auto after = static_cast<double>(to_ns(predict(changed, streams, scenario.seed).timeline.makespan()));
  EXPECT_DOUBLE_EQ(launch.larger, after / before - 1);
  EXPECT_EQ(row(rows, "device_mailboxes.hop_ns").design, "central-dispatcher");
  EXPECT_EQ(row(rows, "copies.call_ns").moved, 0U);

  const std::string text = perturbation_to_text(rows, 4);
  EXPECT_THAT(text, HasSubstr("host_calls.launch_ns"));
  EXPECT_THAT(text, Not(HasSubstr("copies.call_ns")));
}

}  // namespace
}  // namespace tasktwin::verify
