// Calibration of a scenario's own kernels, against a machine whose costs of them are known: the simulator.
#include <cmath>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "sim/simulator.hpp"
#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/own_kernels.hpp"

namespace tasktwin::verify {
namespace {

scenarios::KernelCosts found_in(const scenarios::Scenario& scenario, const Machine& truth) {
  return calibrate_own_kernels(
      scenario, "2026-01-02", [](std::string_view) {}, tests::simulated(truth));
}

/// The scenario's machine with what was found.
Machine machine_with(const scenarios::Scenario& scenario, const scenarios::KernelCosts& costs) {
  Machine machine = scenario.machine;
  for (std::size_t i = 0; i < costs.kernels.size(); ++i) machine.kernels[kKernelCount + i] = costs.kernels[i].cost;
  return machine;
}

void expect_makespans(const scenarios::Scenario& scenario, const Machine& found, const Machine& truth, double share) {
  for (const Design& design : scenario.designs) {
    const auto right = static_cast<double>(to_ns(sim::simulate(scenario.graph, truth, design).timeline.makespan()));
    const auto seen = static_cast<double>(to_ns(sim::simulate(scenario.graph, found, design).timeline.makespan()));
    EXPECT_NEAR(seen, right, share * right) << design.name;
  }
}

TEST(OwnKernelCalibration, FindsWhatBodiesInWorkersTake) {
  const scenarios::Scenario scenario = scenarios::load_scenario("examples/own-kernels/own-kernels.yaml");
  Machine truth = scenario.machine;
  KernelCost& gather = truth.kernels[kKernelCount];
  gather = {.overhead = Nanoseconds{0}, .traffic = 2, .bandwidth = 40, .release = Nanoseconds{200}};
  KernelCost& gemm = truth.kernels[kKernelCount + 1];
  gemm = {.release = Nanoseconds{300},
          .cold = Nanoseconds{900},
          .pipelined = 1.25,
          .launched = Nanoseconds{500},
          .arithmetic = {{.flops = 33554432, .ns = 14000}}};
  KernelCost& softmax = truth.kernels[kKernelCount + 2];
  softmax = {.bandwidth = 60};

  const scenarios::KernelCosts found = found_in(scenario, truth);
  ASSERT_EQ(found.kernels.size(), 3U);
  EXPECT_EQ(found.machine, "nvidia-h200");
  EXPECT_EQ(found.device, "simulator");
  const KernelCost& gemm_found = found.kernels[1].cost;
  ASSERT_EQ(gemm_found.arithmetic.size(), 1U);
  EXPECT_NEAR(gemm_found.arithmetic[0].ns, 14000, 100);
  EXPECT_NEAR(gemm_found.launched.count(), 500, 60);
  EXPECT_NEAR(gemm_found.cold.count(), 900, 300);
  EXPECT_NEAR(gemm_found.pipelined, 1.25, 0.01);
  EXPECT_NEAR(found.kernels[0].cost.pipelined, 1, 0.01);
  EXPECT_NEAR(found.kernels[0].cost.bandwidth, 40, 2);
  expect_makespans(scenario, machine_with(scenario, found), truth, 0.04);
}

TEST(OwnKernelCalibration, FindsWhatBlocksOfGridsTake) {
  const scenarios::Scenario scenario = scenarios::load_scenario("examples/pipeline/pipeline-warp-specialised.yaml");
  Machine truth = scenario.machine;
  truth.kernels[kKernelCount] = {.launched = Nanoseconds{400}, .arithmetic = {{.flops = 67108864, .ns = 30000}}};
  const scenarios::KernelCosts found = found_in(scenario, truth);
  EXPECT_NEAR(found.kernels[0].cost.arithmetic.at(0).ns, 30000, 300);
  EXPECT_NEAR(found.kernels[0].cost.launched.count(), 400, 60);
  expect_makespans(scenario, machine_with(scenario, found), truth, 0.03);
}

TEST(OwnKernelCalibration, FindsWhatBodiesTakeWhoseTimesGrowFasterThanTheirBytes) {
  const scenarios::Scenario scenario = scenarios::load_scenario("examples/moe-layer/moe-layer.yaml");
  Machine truth = scenario.machine;
  KernelCost& up = truth.kernels[kKernelCount + 2];
  up = {.cold = Nanoseconds{3000}, .arithmetic = {{.flops = 4194304, .ns = 92000}, {.flops = 16777216, .ns = 318000}}};
  KernelCost& down = truth.kernels[kKernelCount + 3];
  down = {.arithmetic = {{.flops = 2097152, .ns = 43000}, {.flops = 8388608, .ns = 155000}}};
  const scenarios::KernelCosts found = found_in(scenario, truth);
  const KernelCost& up_found = found.kernels[2].cost;
  ASSERT_EQ(up_found.arithmetic.size(), 3U);  // one and two rounds of 32 rows, and the shared expert's four
  EXPECT_NEAR(up_found.arithmetic[0].ns, 92000, 900);
  EXPECT_NEAR(up_found.arithmetic[1].ns, 167333, 1600);
  EXPECT_NEAR(up_found.arithmetic[2].ns, 318000, 3000);
  EXPECT_NEAR(up_found.cold.count(), 3000, 600);
  expect_makespans(scenario, machine_with(scenario, found), truth, 0.02);
}

/// What the first bodies of one size wait for beyond the code of all is not what bodies side by side do to each other.
TEST(OwnKernelCalibration, FirstBodiesOfOneSizeMayTakeLonger) {
  const scenarios::Scenario scenario = scenarios::load_scenario("examples/moe-layer/moe-layer.yaml");
  Machine truth = scenario.machine;
  constexpr std::int64_t kLarge = 8388608;
  const Kernel down = own_kernel(3);
  truth.kernels[kKernelCount + 3] = {.arithmetic = {{.flops = 2097152, .ns = 43000}, {.flops = 8388608, .ns = 155000}}};
  CalibrationBackend backend = tests::simulated(truth);
  backend.run = [down, run = backend.run](const TaskGraph& graph, const Machine& machine, const Design& design,
                                          const gpu::RunOptions& options) {
    auto result = run(graph, machine, design, options);
    std::vector<TaskTimes>& tasks = result.timeline.tasks;
    TimePoint first = TimePoint::max();
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (graph[task_id(i)].kernel == down) first = std::min(first, tasks[i].ended);
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const Task& task = graph[task_id(i)];
      if (task.kernel == down && task.cost.flops.count == kLarge && tasks[i].started < first) tasks[i].ended += Duration{30000};
    }
    return result;
  };
  const scenarios::KernelCosts found = calibrate_own_kernels(
      scenario, "2026-01-02", [](std::string_view) {}, backend);
  ASSERT_EQ(found.kernels[3].cost.arithmetic.size(), 3U);
  EXPECT_NEAR(found.kernels[3].cost.arithmetic[2].ns, 155000, 1600);
}

TEST(OwnKernelCalibration, BeginsWithWhatTheScenariosTasksLeave) {
  const scenarios::Scenario scenario = scenarios::load_scenario("examples/moe-layer/moe-layer.yaml");
  CalibrationBackend backend = tests::simulated(scenario.machine);
  std::size_t kept = 0;
  std::size_t begun = 0;
  backend.run = [&, run = backend.run](const TaskGraph& graph, const Machine& machine, const Design& design,
                                       const gpu::RunOptions& options) {
    if (options.kept_buffers != nullptr) {
      const auto left = static_cast<std::byte>(graph.size() == scenario.graph.size() ? 7 : 0);
      *options.kept_buffers = {{"x", std::vector<std::byte>(4)}, {"counts", std::vector<std::byte>(4, left)}};
      ++kept;
    } else {
      EXPECT_TRUE(options.first_contents != nullptr && options.first_contents->size() == 1 && options.first_contents->contains("counts"));
      ++begun;
    }
    return run(graph, machine, design, options);
  };
  calibrate_own_kernels(
      scenario, "2026-01-02", [](std::string_view) {}, backend);
  EXPECT_EQ(kept, 2U);
  EXPECT_GT(begun, 20U);
}

TEST(OwnKernelCalibration, NeedsAScenarioThatBringsSomeAlong) {
  const scenarios::Scenario scenario = scenarios::load_scenario("example");
  EXPECT_THROW(found_in(scenario, scenario.machine), InputError);
}

}  // namespace
}  // namespace tasktwin::verify
