// Calibration of what lies between devices, against measurements that known constants make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/cost/collective_flows.hpp"
#include "tests/support/free_machine.hpp"
#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMiB = 1 << 20;

Machine two_devices() {
  Machine machine = tests::known_card();
  machine.devices.per_node = 2;
  machine.peers = mechanism::Peers{.link_bandwidth = 380,
                                   .link_latency = Nanoseconds{400},
                                   .copy_setup = Nanoseconds{1900},
                                   .copy_latency = machine.copies->latency,
                                   .read_bandwidth = 350,
                                   .core_read_bandwidth = 52,
                                   .read_latency = Nanoseconds{800},
                                   .flag_hop = Nanoseconds{2200},
                                   .system_release = Nanoseconds{1500},
                                   .event_hop = Nanoseconds{6600},
                                   .copy_hop = Nanoseconds{10400},
                                   .graph_hop = Nanoseconds{9700},
                                   .graph_begin = Nanoseconds{9200},
                                   .set_device = Nanoseconds{570}};
  machine.collectives = mechanism::Collectives{.group = Nanoseconds{9000},
                                               .call = Nanoseconds{7000},
                                               .latency = Nanoseconds{5000},
                                               .step = Nanoseconds{300},
                                               .graph_saving = Nanoseconds{700},
                                               .graph_leave = Nanoseconds{1900},
                                               .efficiency = 0.75,
                                               .blocks = 24,
                                               .block_bytes = 8192};
  return machine;
}

/// How many times as long as in the machine's file the host's calls take when they are measured.
constexpr double kPace = 1.25;

gpu::CollectiveTime collective(const Machine& machine, Operation kind, std::int64_t bytes) {
  const mechanism::Collectives& times = *machine.collectives;
  const int steps = kind == Operation::kAllReduce ? 2 : 1;
  const double share = kind == Operation::kAllReduce ? 1 : 0.5;
  const double ns = times.latency.count() + steps * (times.step + machine.peers->link_latency).count() +
                    share * static_cast<double>(bytes) / (times.efficiency * machine.peers->link_bandwidth);
  return {.kind = kind,
          .ranks = 2,
          .bytes = bytes,
          .stream_ns = ns + machine.streams->gap.count(),
          .graph_ns = ns - times.graph_saving.count() + machine.graph_launch->gap.count(),
          .call_ns = kPace * (times.group + 2 * times.call).count(),
          .pace_ns = kPace * machine.host_calls->reference_launch.count(),
          .blocks = rank_blocks(machine, bytes)};
}

/// As the probes' kernels and calls would show the machine: of 1.2 us each, with other gaps than between tasks.
gpu::PeerTimes peer_times(const Machine& machine) {
  const mechanism::Peers& peers = *machine.peers;
  constexpr double kKernel = 1200;
  gpu::PeerTimes times;
  const gpu::DevicePair across{0, 1};
  const gpu::DevicePair within{0, 0};
  times.flags = {{across, "st.release.sys", "ld.acquire.sys", false, 9999},
                 {across, "fence.release.sys + red.relaxed.sys", "ld.acquire.sys", true, peers.flag_hop.count()},
                 {within, "fence.release.sys + red.relaxed.sys", "ld.acquire.sys", true,
                  (peers.system_release + machine.resident_cores->counter_hop).count()}};
  times.loads = {{within, 140}, {across, peers.read_latency.count()}};
  times.chains = {{within, kKernel + (machine.streams->event_gap + machine.streams->waiting_queue).count(),
                   kKernel + machine.graph_launch->gap.count()},
                  {across, kKernel + peers.event_hop.count(), kKernel + peers.graph_hop.count()}};
  for (const std::int64_t bytes : {std::int64_t{8}, kMiB / 16, kMiB, 16 * kMiB, 128 * kMiB}) {
    const double ns = (peers.copy_setup + peers.link_latency).count() + static_cast<double>(bytes) / peers.link_bandwidth;
    times.copies.queued.push_back({across, gpu::CopyWay::kSource, 1, false, bytes, ns});
    times.copies.queued.push_back({across, gpu::CopyWay::kTarget, 1, false, bytes, 5 * ns});
  }
  times.copies.chained = {{8, kKernel + (machine.copies->engine_gap + peers.copy_setup + peers.link_latency + peers.copy_hop).count()},
                          {kMiB, 99999}};
  times.reads = {{across, 1, false, peers.core_read_bandwidth}, {across, 132, false, peers.read_bandwidth}, {across, 132, true, 1}};
  times.calls.launch_ns = 4600;
  for (const int nodes : {2, 16}) {
    times.calls.graphs.push_back({.nodes = nodes, .devices = 1, .makespan_ns = 9900.0 + 980 * (nodes - 1)});
    times.calls.graphs.push_back({.nodes = nodes, .devices = 2, .makespan_ns = 9900 + peers.graph_begin.count() + 6100 * (nodes - 1)});
  }
  times.calls.launch_by_turns_ns = 4600 + kPace * peers.set_device.count();
  times.calls.pace_ns = kPace * machine.host_calls->reference_launch.count();
  for (const Operation kind : {Operation::kAllReduce, Operation::kAllGather}) {
    for (const std::int64_t bytes : {std::int64_t{8}, kMiB / 16, kMiB, 16 * kMiB, 128 * kMiB})
      times.collectives.times.push_back(collective(machine, kind, bytes));
  }
  constexpr double kBeside = 2700;
  constexpr double kAlone = 6600;
  times.collectives.beside = {
      .graph_ns = kBeside + kAlone + machine.collectives->graph_leave.count(), .kernel_graph_ns = kBeside, .alone_graph_ns = kAlone};
  times.collectives.rank_call_ns = kPace * (machine.collectives->group + machine.collectives->call).count();
  times.collectives.rank_pace_ns = kPace * machine.host_calls->reference_launch.count();
  return times;
}

CalibrationBackend measured(const Machine& truth) {
  CalibrationBackend backend = tests::simulated(truth);
  backend.device = "two cards";
  backend.peers = [truth](int devices) {
    EXPECT_EQ(devices, 2);
    return peer_times(truth);
  };
  return backend;
}

TEST(CalibrationBetweenDevices, FindsTheConstantsOfTheHostItMeasures) {
  const Machine truth = two_devices();
  Machine skeleton = tests::known_card();
  skeleton.devices.per_node = 2;
  const Calibration found = calibrate_links(
      skeleton, "2026-11-26", [](std::string_view) {}, measured(truth));
  for (const ConstantField* constant : constants_of(found.machine)) {
    if (constant->section != "peers" && constant->section != "collectives") continue;
    EXPECT_NEAR(constant->get(found.machine), constant->get(truth), 0.01 * constant->get(truth)) << constant->key;
    const Provenance& provenance = found.machine.provenance.at(constant->key);
    if (provenance.source == Source::kAssumed) continue;
    EXPECT_THAT(provenance.text, HasSubstr("; on two cards")) << constant->key;
    EXPECT_EQ(provenance.date, "2026-11-26") << constant->key;
  }
  EXPECT_EQ(found.machine.measured, skeleton.measured);
  ASSERT_EQ(found.machine.collective_times.size(), 4u);
  for (const CollectiveTimes& table : found.machine.collective_times) {
    ASSERT_EQ(table.points.size(), 5u);
    EXPECT_EQ(table.ranks, 2);
    for (const CollectiveTimes::Point& point : table.points) {
      const gpu::CollectiveTime one = collective(truth, table.kind, point.bytes);
      const double gap = (table.in_graph ? truth.graph_launch->gap : truth.streams->gap).count();
      EXPECT_NEAR(point.time_ns, (table.in_graph ? one.graph_ns : one.stream_ns) - gap, 0.01) << point.bytes;
    }
  }
}

TEST(CalibrationBetweenDevices, LeavesAllElseAsItIs) {
  const Machine truth = two_devices();
  Machine skeleton = tests::known_card();
  skeleton.devices.per_node = 2;
  const Calibration found = calibrate_links(
      skeleton, "2026-11-26", [](std::string_view) {}, measured(truth));
  for (const ConstantField* constant : constants_of(skeleton)) {
    if (constant->section == "peers" || constant->section == "collectives") continue;
    EXPECT_EQ(constant->get(found.machine), constant->get(skeleton)) << constant->key;
  }
}

TEST(CalibrationBetweenDevices, StatesWhatTheFileDidNot) {
  const Machine truth = two_devices();
  Machine skeleton = truth;
  skeleton.peers->copy_hop = Nanoseconds{0};
  skeleton.unstated = {"peers.copy_hop_ns", "streams.waiting_queue_ns"};
  const Calibration found = calibrate_links(
      skeleton, "2026-11-26", [](std::string_view) {}, measured(truth));
  EXPECT_NEAR(found.machine.peers->copy_hop.count(), truth.peers->copy_hop.count(), 1);
  EXPECT_THAT(found.machine.unstated, testing::ElementsAre("streams.waiting_queue_ns"));  // which is no link's
}

TEST(CalibrationBetweenDevices, IsOfOneHost) {
  Machine cluster = two_devices();
  cluster.devices.nodes = 4;
  try {
    calibrate_links(
        cluster, "2026-11-26", [](std::string_view) {}, measured(two_devices()));
    FAIL() << "it was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("has 4 nodes; one host is measured at a time"));
  }
}

}  // namespace
}  // namespace tasktwin::verify
