// Calibration of what lies between devices, against measurements that known constants make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/error.hpp"
#include "tests/support/free_machine.hpp"
#include "tests/verify/support/simulated_machine.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/mechanisms.hpp"

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
                                   .graph_hop = Nanoseconds{9700},
                                   .set_device = Nanoseconds{570}};
  machine.collectives = mechanism::Collectives{.group = Nanoseconds{9000},
                                               .call = Nanoseconds{7000},
                                               .latency = Nanoseconds{5000},
                                               .step = Nanoseconds{300},
                                               .graph_saving = Nanoseconds{700},
                                               .efficiency = 0.75};
  return machine;
}

gpu::CollectiveTime collective(const Machine& machine, Operation kind, std::int64_t bytes) {
  const mechanism::Collectives& times = *machine.collectives;
  const int steps = kind == Operation::kAllReduce ? 2 : 1;
  const double share = kind == Operation::kAllReduce ? 1 : 0.5;
  const double ns = times.latency.count() + steps * (times.step + machine.peers->link_latency).count() +
                    share * static_cast<double>(bytes) / (times.efficiency * machine.peers->link_bandwidth);
  return {.kind = kind,
          .ranks = 2,
          .bytes = bytes,
          .stream_ns = ns,
          .graph_ns = ns - times.graph_saving.count(),
          .call_ns = (times.group + 2 * times.call).count()};
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
  times.chains = {{within, kKernel + machine.streams->event_gap.count(), kKernel + machine.graph_launch->gap.count()},
                  {across, kKernel + peers.event_hop.count(), kKernel + peers.graph_hop.count()}};
  for (const std::int64_t bytes : {std::int64_t{8}, kMiB / 16, kMiB, 16 * kMiB, 128 * kMiB}) {
    const double ns = (peers.copy_setup + peers.link_latency).count() + static_cast<double>(bytes) / peers.link_bandwidth;
    times.copies.queued.push_back({across, gpu::CopyWay::kSource, 1, false, bytes, ns});
    times.copies.queued.push_back({across, gpu::CopyWay::kTarget, 1, false, bytes, 5 * ns});
  }
  times.reads = {{across, 1, false, peers.core_read_bandwidth}, {across, 132, false, peers.read_bandwidth}, {across, 132, true, 1}};
  times.calls.launch_ns = 4600;
  times.calls.launch_by_turns_ns = 4600 + peers.set_device.count();
  for (const Operation kind : {Operation::kAllReduce, Operation::kAllGather}) {
    for (const std::int64_t bytes : {std::int64_t{8}, kMiB / 16, kMiB, 16 * kMiB, 128 * kMiB})
      times.collectives.times.push_back(collective(machine, kind, bytes));
  }
  times.collectives.rank_call_ns = (machine.collectives->group + machine.collectives->call).count();
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
      EXPECT_NEAR(point.time_ns, table.in_graph ? one.graph_ns : one.stream_ns, 0.01) << point.bytes;
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
