// Calibration of the host's waits and of graphs, against a machine whose constants are known: the simulator.
#include <gtest/gtest.h>

#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/launch_costs/prediction.hpp"

namespace tasktwin::verify {
namespace {

using tests::calibration_of;
using tests::expect_found;
using tests::simulated;

/// An H200 whose launch constants all differ.
Machine true_machine() {
  Machine machine = tests::known_card();
  double value = 100;
  for (const ConstantField& field : constant_fields()) {
    if (field.name == "host_sync_ns" || field.name == "callback_ns" || field.name == "event_query_ns") {
      field.set(machine.constants, value += 37);
    }
  }
  Constants& c = machine.constants;
  c.sync_latency = Nanoseconds{3100};
  c.callback_latency = Nanoseconds{12000};
  c.programmatic_gap = Nanoseconds{450};
  c.graph_launch = Nanoseconds{5200};
  c.graph_launch_per_node = Nanoseconds{4};
  c.graph_launch_per_leaf = Nanoseconds{310};
  c.graph_launch_per_root = Nanoseconds{1100};
  c.graph_root_growth = Nanoseconds{130};
  c.graph_inner_growth = Nanoseconds{9};
  c.graph_latency = Nanoseconds{7700};
  c.graph_gap = Nanoseconds{690};
  c.graph_service = Nanoseconds{180};
  c.graph_join = Nanoseconds{30};
  c.graph_launch_per_inner = Nanoseconds{40};
  c.graph_launch_between = Nanoseconds{60};
  c.graph_launch_per_edge = Nanoseconds{3};
  c.graph_release = Nanoseconds{350};
  c.graph_fetch = Nanoseconds{1300};
  c.launched_body = Nanoseconds{170};
  c.graph_replay_gap = Nanoseconds{1500};
  c.graph_set_node = Nanoseconds{210};
  c.graph_update = Nanoseconds{2500};
  c.graph_update_per_node = Nanoseconds{240};
  c.graph_instantiate = Nanoseconds{60000};
  c.graph_instantiate_per_node = Nanoseconds{9000};
  c.graph_call = Nanoseconds{21000};
  c.graph_launch_per_conditional = Nanoseconds{1700};
  c.conditional_decide = Nanoseconds{420};
  c.conditional_enter = Nanoseconds{4900};
  c.conditional_skip = Nanoseconds{3300};
  c.conditional_leave = Nanoseconds{2600};
  c.conditional_again = Nanoseconds{1100};
  c.conditional_service = Nanoseconds{380};
  c.conditional_poll = Nanoseconds{0};
  c.conditional_return = Nanoseconds{610};
  c.conditional_release = Nanoseconds{1450};
  c.launched_release = Nanoseconds{900};
  c.launched_retire = Nanoseconds{190};
  c.launched_release_busy = Nanoseconds{480};
  c.launched_body_busy = Nanoseconds{260};
  c.device_graph_launch = Nanoseconds{2700};
  c.device_graph_latency = Nanoseconds{3600};
  c.device_graph_tail = Nanoseconds{4400};
  c.device_graph_start = Nanoseconds{8300};
  c.device_graph_turn = Nanoseconds{2100};
  c.device_graph_look = Nanoseconds{700};
  c.device_graph_sigma = Nanoseconds{130};
  c.device_graph_block = Nanoseconds{9};
  c.device_graph_uncached_launch = Nanoseconds{800};
  c.device_graph_uncached_latency = Nanoseconds{1200};
  c.device_launch_end = Nanoseconds{75};
  c.device_launch_uncached = Nanoseconds{40};
  c.device_launch = Nanoseconds{8800};
  c.device_launch_latency = Nanoseconds{9400};
  c.device_launch_again = Nanoseconds{6100};
  c.device_launch_per_lane = Nanoseconds{210};
  c.device_launch_further = Nanoseconds{4100};
  c.device_launch_busy = Nanoseconds{1300};
  c.device_launch_beside = Nanoseconds{160};
  c.device_launch_spread = Nanoseconds{70};
  c.device_launch_start = Nanoseconds{11800};
  c.device_launch_block = Nanoseconds{390};
  c.device_launch_crowd = Nanoseconds{27};
  c.device_launch_service = Nanoseconds{110};
  return machine;
}

/// The host gets slower from one of the 21 graphs to the next, from 0.6 to 1.4 times as slow as the machine's.
CalibrationBackend measured(const Machine& machine) {
  CalibrationBackend backend = simulated(machine);
  backend.graph_calls = [machine, calls = 0](const TaskGraph& graph) mutable {
    Machine now = machine;
    now.host_slowdown = 1 + 0.04 * (calls++ % 21 - 10);
    return predict_graph_calls(graph, now);
  };
  backend.host_calls = [c = machine.constants] {
    const double sync = c.host_sync.count();
    return gpu::HostCallTimes{sync, sync, sync, c.event_query.count(), c.callback.count()};
  };
  return backend;
}

Calibration fresh(const Machine& truth) {
  Machine skeleton = truth;
  skeleton.constants = {};
  return calibration_of(skeleton, measured(truth));
}

TEST(GraphCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  Calibration calibration = fresh(truth);
  calibrate_graphs(calibration);
  expect_found(calibration, truth,
               {"programmatic_gap_ns",
                "graph_launch_ns",
                "graph_launch_per_node_ns",
                "graph_launch_per_leaf_ns",
                "graph_launch_per_root_ns",
                "graph_latency_ns",
                "graph_gap_ns",
                "graph_service_ns",
                "graph_join_ns",
                "graph_replay_gap_ns",
                "graph_set_node_ns",
                "graph_launch_per_inner_ns",
                "graph_release_ns",
                "graph_fetch_ns",
                "launched_body_ns",
                "graph_update_ns",
                "graph_update_per_node_ns",
                "graph_instantiate_ns",
                "graph_instantiate_per_node_ns",
                "graph_call_ns",
                "graph_inner_growth_ns",
                "graph_root_growth_ns",
                "graph_launch_between_ns",
                "graph_launch_per_edge_ns"});
}

TEST(ConditionalNodeCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  Calibration calibration = fresh(truth);
  calibrate_graphs(calibration);
  calibrate_conditionals(calibration);
  expect_found(
      calibration, truth,
      {"graph_launch_per_conditional_ns", "conditional_decide_ns", "conditional_enter_ns", "conditional_skip_ns", "conditional_leave_ns",
       "conditional_again_ns", "conditional_service_ns", "conditional_return_ns", "conditional_release_ns"});
}

TEST(ConditionalNodeCalibration, FindsHowLongRoundsOfLooksTake) {
  Machine truth = true_machine();
  truth.constants.conditional_poll = Nanoseconds{300};
  Calibration calibration = fresh(truth);
  calibrate_graphs(calibration);
  calibrate_conditionals(calibration);
  expect_found(calibration, truth, {"conditional_poll_ns"});
}

TEST(DeviceLaunchCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  Machine skeleton = truth;
  skeleton.constants = {};
  skeleton.constants.release_per_successor = truth.constants.release_per_successor;  // of an earlier step
  Calibration calibration = calibration_of(skeleton, measured(truth));
  calibrate_device_launches(calibration);
  calibrate_device_graphs(calibration);
  expect_found(calibration, truth,
               {"launched_release_ns",       "launched_retire_ns",       "launched_release_busy_ns", "launched_body_busy_ns",
                "device_graph_launch_ns",    "device_graph_latency_ns",  "device_graph_tail_ns",     "device_graph_start_ns",
                "device_graph_turn_ns",      "device_graph_look_ns",     "device_launch_ns",         "device_launch_latency_ns",
                "device_launch_per_lane_ns", "device_launch_again_ns",   "device_launch_start_ns",   "device_launch_block_ns",
                "device_launch_crowd_ns",    "device_launch_service_ns", "device_launch_end_ns",     "device_launch_uncached_ns",
                "device_graph_block_ns"});
  // What is drawn comes out as its draws do.
  EXPECT_NEAR(calibration.get("device_graph_sigma_ns"), 130, 26);  // a hundred draws, the same in every run
  EXPECT_NEAR(calibration.get("device_graph_uncached_latency_ns"), 1200, 15);
  EXPECT_NEAR(calibration.get("device_graph_uncached_launch_ns"), 800, 15);
  const Constants& c = truth.constants;
  EXPECT_NEAR(calibration.get("device_launch_busy_ns"), c.device_launch_busy.count(), 0.03 * c.device_launch_busy.count());
  EXPECT_NEAR(calibration.get("device_launch_beside_ns"), c.device_launch_beside.count(), 0.01 * c.device_launch_beside.count());
  EXPECT_NEAR(calibration.get("device_launch_spread_ns"), c.device_launch_spread.count(), 0.03 * c.device_launch_spread.count());
  // A mean over a dozen hubs, each of which takes as much longer or shorter as it is drawn.
  const double further = truth.constants.device_launch_further.count();
  EXPECT_NEAR(calibration.get("device_launch_further_ns"), further, 0.06 * further);
}

TEST(HostWaitCalibration, FindsTheConstantsOfTheMachineItMeasures) {
  const Machine truth = true_machine();
  Calibration calibration = fresh(truth);
  calibrate_host_waits(calibration);
  expect_found(calibration, truth, {"host_sync_ns", "sync_latency_ns", "event_query_ns", "callback_ns", "callback_latency_ns"});
}

TEST(GraphCalibration, KeepsWhatTheConstantsWereFittedTo) {
  Calibration calibration = fresh(true_machine());
  calibrate_graphs(calibration);
  const auto count = [&](std::string_view constant) {
    return std::ranges::count(calibration.samples(), constant, &CalibrationSample::constant);
  };
  EXPECT_EQ(count("graph_launch_ns"), 21);
  EXPECT_EQ(count("graph_launch_per_root_ns"), 4);
  EXPECT_EQ(count("graph_join_ns"), 4);
  EXPECT_EQ(count("graph_service_ns"), 3);
  EXPECT_EQ(count("graph_launch_per_inner_ns"), 11);
  for (const CalibrationSample& sample : calibration.samples()) EXPECT_GT(sample.value_ns, 0) << sample.constant << ' ' << sample.setting;
}

}  // namespace
}  // namespace tasktwin::verify
