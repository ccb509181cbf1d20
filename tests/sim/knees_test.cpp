// Where makespans jump: one kernel more than may be resident, one stream more than there are hardware queues, one launch more than may
// be pending.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

constexpr std::int64_t kKernel = 1'000'000;

std::int64_t makespan(const TaskGraph& graph, const Machine& machine, const Design& design) {
  return simulate(graph, machine, design).timeline.makespan().count();
}

/// An H200's limits and about its times: a launch takes 3 µs, its kernel comes 7 µs after its begin.
Machine gpu() {
  Machine machine = plain_machine(132);
  machine.launch_limits.resident_kernels = 128;
  machine.launch_limits.hardware_queues = 32;
  machine.host_calls->launch = Nanoseconds{3000};
  machine.streams->launch_latency = Nanoseconds{7000};
  machine.streams->gap = Nanoseconds{1500};
  return machine;
}

Design own_streams(int streams) {
  Design design = named_design("cuda-streams");
  design.streams = streams;
  return design;
}

TEST(Knees, KernelsInStreamsOfTheirOwnTakeAsManyWavesAsMoreThanMayBeResident) {
  for (const int resident : {100, 128, 130}) {
    Machine machine = gpu();
    machine.launch_limits.resident_kernels = resident;
    for (int kernels = 100; kernels <= 256; ++kernels) {
      const std::int64_t measured = makespan(independent(kernels, kKernel), machine, own_streams(kernels));
      const int waves = (kernels + resident - 1) / resident;
      EXPECT_GE(measured, waves * kKernel) << kernels << " of " << resident;
      EXPECT_LT(measured, (waves + 1) * kKernel) << kernels << " of " << resident;  // launching all takes less than a kernel
    }
  }
}

TEST(Knees, MultiprocessorsAreTheLimitWhereTheyAreFewerThanMayBeResident) {
  Machine machine = gpu();
  machine.launch_limits.resident_kernels = 200;
  EXPECT_LT(makespan(independent(132, kKernel), machine, own_streams(132)), 2 * kKernel);
  EXPECT_GE(makespan(independent(133, kKernel), machine, own_streams(133)), 2 * kKernel);
}

/// Chains side by side, whose launches come chain by chain.
TaskGraph chains(std::uint32_t count, std::uint32_t length) {
  std::vector<SmallTask> tasks;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t i = 0; i < count * length; ++i) {
    tasks.push_back({"t" + std::to_string(i), kKernel});
    if (i % length > 0) edges.emplace_back(i - 1, i);
  }
  return small_graph(tasks, edges);
}

TEST(Knees, AStreamMoreThanHardwareQueuesWaitsForAnother) {
  constexpr int kLength = 4;
  for (const int queues : {24, 32}) {
    Machine machine = gpu();
    machine.launch_limits.hardware_queues = queues;
    for (int streams = 16; streams <= 64; ++streams) {
      Design design = own_streams(streams);
      design.stream_granularity = StreamGranularity::kListScheduled;
      const std::int64_t measured = makespan(chains(static_cast<std::uint32_t>(streams), kLength), machine, design);
      // The last kernel of a stream lets the next stream in its queue begin when it starts, not when it ends.
      const int rounds = (streams + queues - 1) / queues;
      const std::int64_t kernels = rounds * (kLength - 1) + 1;
      EXPECT_GE(measured, kernels * kKernel) << streams << " on " << queues;
      EXPECT_LT(measured, (kernels + 1) * kKernel) << streams << " on " << queues;
    }
  }
}

TEST(Knees, ALaunchBeyondThePendingOnesIsMadeAloneAndInVain) {
  constexpr std::int64_t kLaunch = 1000;
  constexpr std::int64_t kAgain = 700;
  Machine machine = plain_machine(1);
  machine.launch_limits.resident_kernels = 1;  // nothing gets in beside the hub, so that all that was launched is pending
  machine.dynamic_parallelism->launch = Nanoseconds{kLaunch};
  machine.dynamic_parallelism->again = Nanoseconds{kAgain};
  for (const int pending : {0, 1024, 4096}) {
    Design design = named_design("dynamic-parallelism");
    design.pending_launches = pending;
    const std::int64_t limit = pending == 0 ? kDefaultPendingLaunches : pending;
    for (std::int64_t children = 1; children <= 8192; children = children < limit ? std::min(2 * children, limit) : children + limit / 4) {
      // The root's kernel launches the hub. The hub launches 32 at a time, tries each one beyond the limit once more and runs it.
      const std::int64_t beyond = std::max<std::int64_t>(0, children - limit);
      const std::int64_t expected = kLaunch + 1 + (children + 31) / 32 * kLaunch + beyond * kAgain + children;
      EXPECT_EQ(makespan(star(static_cast<std::uint32_t>(children), 1, 1), machine, design), expected) << children << " of " << limit;
      EXPECT_EQ(makespan(star(static_cast<std::uint32_t>(limit + 1), 1, 1), machine, design) -
                    makespan(star(static_cast<std::uint32_t>(limit), 1, 1), machine, design),
                kLaunch + kAgain + 1);  // another 32 that are one, and once more
    }
  }
}

}  // namespace
}  // namespace tasktwin::sim
