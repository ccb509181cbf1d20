// Calibration of the host's waits and of graphs, against a machine whose constants are known: the simulator.
#include <gtest/gtest.h>

#include "tests/support/free_machine.hpp"
#include "tests/verify/support/simulated_machine.hpp"
#include "verify/bench/launch_costs/predicted_launch_costs.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"

namespace tasktwin::verify {
namespace {

using tests::expect_found;
using tests::found_by;
using tests::probes_of;
using tests::simulated;

/// An H200 whose launch constants all differ.
Machine true_machine() {
  Machine machine = tests::known_card();
  machine.host_calls->sync = Nanoseconds{137};
  machine.host_calls->sync_latency = Nanoseconds{3100};
  machine.host_calls->callback_latency = Nanoseconds{12000};
  machine.streams->programmatic_gap = Nanoseconds{450};
  machine.graph_launch->launch = Nanoseconds{5200};
  machine.graph_launch->per_node = Nanoseconds{4};
  machine.graph_launch->per_leaf = Nanoseconds{310};
  machine.graph_launch->per_root = Nanoseconds{1100};
  machine.graph_launch->root_growth = Nanoseconds{130};
  machine.graph_launch->inner_growth = Nanoseconds{9};
  machine.graph_launch->latency = Nanoseconds{7700};
  machine.graph_launch->gap = Nanoseconds{690};
  machine.graph_launch->service = Nanoseconds{180};
  machine.graph_launch->per_inner = Nanoseconds{40};
  machine.graph_launch->between = Nanoseconds{60};
  machine.graph_launch->per_edge = Nanoseconds{3};
  machine.graph_launch->fetch = Nanoseconds{1300};
  machine.graph_launch->pass = Nanoseconds{350};
  machine.graph_launch->pass_service = Nanoseconds{95};
  machine.launched_kernels->around = Nanoseconds{410};
  machine.launched_kernels->per_block = Nanoseconds{0.5};
  machine.launched_kernels->body = Nanoseconds{170};
  machine.graph_launch->replay_gap = Nanoseconds{1500};
  machine.graph_launch->set_node = Nanoseconds{210};
  machine.graph_launch->update_per_node = Nanoseconds{240};
  machine.graph_launch->instantiate_per_node = Nanoseconds{9000};
  machine.graph_launch->reference_launch = Nanoseconds{21000};
  machine.conditional_nodes->enter = Nanoseconds{4900};
  machine.conditional_nodes->skip = Nanoseconds{3300};
  machine.conditional_nodes->leave = Nanoseconds{2600};
  machine.conditional_nodes->again = Nanoseconds{1100};
  machine.conditional_nodes->service = Nanoseconds{380};
  machine.conditional_nodes->poll = Nanoseconds{0};
  machine.launched_kernels->release = Nanoseconds{900};
  machine.device_graph_launch->launch = Nanoseconds{2700};
  machine.device_graph_launch->latency = Nanoseconds{3600};
  machine.device_graph_launch->look = Nanoseconds{700};
  machine.device_graph_launch->uncached_launch = Nanoseconds{800};
  machine.dynamic_parallelism->end = Nanoseconds{75};
  machine.dynamic_parallelism->launch = Nanoseconds{8800};
  machine.dynamic_parallelism->latency = Nanoseconds{9400};
  machine.dynamic_parallelism->again = Nanoseconds{6100};
  machine.dynamic_parallelism->per_lane = Nanoseconds{210};
  machine.dynamic_parallelism->further = Nanoseconds{4100};
  machine.dynamic_parallelism->beside = Nanoseconds{160};
  machine.dynamic_parallelism->block = Nanoseconds{390};
  machine.dynamic_parallelism->crowd = Nanoseconds{27};
  machine.dynamic_parallelism->service = Nanoseconds{110};
  return machine;
}

/// The host gets slower from one of the 21 graphs to the next, from 0.6 to 1.4 times as slow as the machine's.
CalibrationBackend measured(const Machine& machine) {
  CalibrationBackend backend = simulated(machine);
  backend.graph_calls = [machine, calls = 0](const TaskGraph& graph) mutable {
    return predict_graph_calls(graph, machine, 1 + 0.04 * (calls++ % 21 - 10));
  };
  backend.host_calls = [machine] {
    const double sync = machine.host_calls->sync.count();
    return gpu::HostCallTimes{sync, sync, sync, sync};
  };
  return backend;
}

Probes fresh(const Machine& truth) { return probes_of(without_mechanisms(truth), measured(truth)); }

Machine conditional_nodes_found(const Machine& truth) {
  Probes probes = fresh(truth);
  return found_by(probes, calibrate_conditional_nodes(probes, calibrate_graph_launch(probes)));
}

TEST(GraphCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  Probes probes = fresh(truth);
  const Machine found = found_by(probes, calibrate_streams(probes, *truth.host_calls), calibrate_graph_launch(probes));
  expect_found(found, truth,
               {"streams.programmatic_gap_ns",
                "graph_launch.launch_ns",
                "graph_launch.per_node_ns",
                "graph_launch.per_leaf_ns",
                "graph_launch.per_root_ns",
                "graph_launch.latency_ns",
                "graph_launch.gap_ns",
                "graph_launch.service_ns",
                "graph_launch.replay_gap_ns",
                "graph_launch.set_node_ns",
                "graph_launch.per_inner_ns",
                "graph_launch.fetch_ns",
                "graph_launch.update_per_node_ns",
                "graph_launch.instantiate_per_node_ns",
                "graph_launch.reference_launch_ns",
                "graph_launch.inner_growth_ns",
                "graph_launch.root_growth_ns",
                "graph_launch.between_ns",
                "graph_launch.per_edge_ns",
                "graph_launch.pass_ns"});
  EXPECT_NEAR(found.graph_launch->pass_service.count(), 95, 10) << "makespans refine it";
}

TEST(StreamCalibration, FindsWhatOnlyThisProjectsKernelsTakeAroundBodies) {
  const Machine truth = true_machine();
  Probes probes = fresh(truth);
  expect_found(found_by(probes, calibrate_around(probes, *truth.streams, *truth.graph_launch)), truth,
               {"launched_kernels.around_ns", "launched_kernels.per_block_ns"}, 0.01);
}

TEST(ConditionalNodeCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  expect_found(conditional_nodes_found(truth), truth,
               {"conditional_nodes.enter_ns", "conditional_nodes.skip_ns", "conditional_nodes.leave_ns", "conditional_nodes.again_ns",
                "conditional_nodes.service_ns"});
}

TEST(ConditionalNodeCalibration, FindsHowLongRoundsOfLooksTake) {
  Machine truth = true_machine();
  truth.conditional_nodes->poll = Nanoseconds{300};
  expect_found(conditional_nodes_found(truth), truth, {"conditional_nodes.poll_ns"});
}

TEST(DeviceLaunchCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  Probes probes = fresh(truth);
  const Machine found = found_by(probes, calibrate_device_launches(probes, *truth.streams), calibrate_device_graph_launch(probes));
  expect_found(
      found, truth,
      {"launched_kernels.body_ns", "launched_kernels.release_ns", "device_graph_launch.launch_ns", "device_graph_launch.latency_ns",
       "device_graph_launch.look_ns", "dynamic_parallelism.launch_ns", "dynamic_parallelism.latency_ns", "dynamic_parallelism.per_lane_ns",
       "dynamic_parallelism.again_ns", "dynamic_parallelism.block_ns", "dynamic_parallelism.crowd_ns", "dynamic_parallelism.service_ns",
       "dynamic_parallelism.end_ns"});
  EXPECT_NEAR(found.device_graph_launch->uncached_launch.count(), 800, 15);
  EXPECT_NEAR(found.dynamic_parallelism->beside.count(), truth.dynamic_parallelism->beside.count(),
              0.01 * truth.dynamic_parallelism->beside.count());
  // A mean over a dozen hubs, each of which takes as much longer or shorter as it is drawn.
  const double further = truth.dynamic_parallelism->further.count();
  EXPECT_NEAR(found.dynamic_parallelism->further.count(), further, 0.06 * further);
}

TEST(HostWaitCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  Probes probes = fresh(truth);
  expect_found(found_by(probes, calibrate_host_calls(probes)), truth,
               {"host_calls.sync_ns", "host_calls.sync_latency_ns", "host_calls.callback_latency_ns"});
}

TEST(GraphCalibration, KeepsWhatTheConstantsWereFittedTo) {
  Probes probes = fresh(true_machine());
  calibrate_graph_launch(probes);
  const auto count = [&](std::string_view constant) {
    return std::ranges::count(probes.samples(), constant, &CalibrationSample::constant);
  };
  EXPECT_EQ(count("graph_launch.launch_ns"), 21);
  EXPECT_EQ(count("graph_launch.per_root_ns"), 7);
  EXPECT_EQ(count("graph_launch.service_ns"), 3);
  EXPECT_EQ(count("graph_launch.per_inner_ns"), 11);
  for (const CalibrationSample& sample : probes.samples()) EXPECT_GT(sample.value_ns, 0) << sample.constant << ' ' << sample.setting;
}

}  // namespace
}  // namespace tasktwin::verify
