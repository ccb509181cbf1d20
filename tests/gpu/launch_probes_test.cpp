#include "gpu/probes/launch_probes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "gpu/executor.hpp"
#include "gpu/probes/memory_probes.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::gpu {
namespace {

/// Two chains side by side.
TaskGraph two_chains(int length) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 2 * length; ++i) {
    const TaskId task = builder.add_task("t" + std::to_string(i), {});
    if (i % length > 0) builder.add_edge(task_id(index(task) - 1), task);
  }
  return std::move(builder).build();
}

class LaunchProbes : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << "no GPU: " << *why;
  }
};

TEST_F(LaunchProbes, GraphCallsOfEveryKindAreTimed) {
  const GraphCallTimes times = probe_graph_calls(two_chains(8));
  EXPECT_EQ(times.nodes, 16U);
  EXPECT_EQ(times.roots, 2U);
  for (const double time :
       {times.build_ns, times.instantiate_ns, times.upload_ns, times.launch_ns, times.first_launch_ns, times.first_start_ns})
    EXPECT_GT(time, 0);
  EXPECT_GE(times.set_nodes_ns, 0);
  EXPECT_GE(times.update_ns, 0);
  EXPECT_GT(times.makespan_ns, times.first_start_ns);
}

TEST_F(LaunchProbes, HostCallsAreTimed) {
  const HostCallTimes times = probe_host_calls();
  for (const double time : {times.event_sync_ns, times.stream_sync_ns, times.device_sync_ns}) EXPECT_GT(time, 0);
}

TEST_F(LaunchProbes, AStreamHoldsAsManyLaunchesAsTheMachineFileSaysAndFreeAloneWaits) {
  const BesideKernelTimes times = probe_beside_kernel();
  const int stated = scenarios::load_machine("nvidia-h200").launch_limits.stream_launches;
  EXPECT_NEAR(times.launches, stated, 0.01 * stated);
  EXPECT_LT(times.malloc_ns, 2e6);
  EXPECT_NEAR(times.free_ns, times.left_ns, 0.1 * times.left_ns);
}

TEST_F(LaunchProbes, HostThreadsHoldEachOtherUp) {
  const HostContentionTimes times = probe_host_contention(4);
  EXPECT_GT(times.queue_ns, 0);
  EXPECT_GT(times.line_ns, 0);
  EXPECT_GT(times.contended_queue_ns, times.line_ns) << "whose turn it is comes in a cache line";
}

TEST_F(LaunchProbes, FlagsAreSeenByTurnsAndAlongARing) {
  for (const FlagHop& hop : probe_flag_hops()) EXPECT_GT(hop.ns, 0) << hop.release << "; " << hop.wait;
  for (const FlagHop& hop : probe_flag_rings()) EXPECT_GT(hop.ns, 0) << hop.release << "; " << hop.wait;
}

TEST_F(LaunchProbes, PortsTakeAllMultiprocessorsAndNoMoreOfThemThanTheyCarry) {
  const MemoryPortProbe probe = probe_memory_ports();
  if (probe.by_placement.empty()) GTEST_SKIP() << "no port of this GPU's holds its multiprocessors back";
  std::map<int, int> behind;
  for (const int port : probe.by_placement) ++behind[port];
  EXPECT_GT(behind.size(), 1U);
  EXPECT_GT(probe.bytes_per_ns, 100);
  // Found again: how many are behind each does not depend on which blocks were where.
  std::map<int, int> again;
  for (const int port : probe_memory_ports().by_placement) ++again[port];
  std::multiset<int> sizes;
  std::multiset<int> sizes_again;
  for (const auto& [port, count] : behind) sizes.insert(count);
  for (const auto& [port, count] : again) sizes_again.insert(count);
  EXPECT_EQ(sizes, sizes_again);
}

TEST_F(LaunchProbes, QueuesHoldSeveralMultiprocessorsAndAreFoundAgain) {
  const MemoryQueueProbe probe = probe_memory_queues();
  if (probe.by_multiprocessor.empty()) GTEST_SKIP() << "no queue of this GPU's holds its multiprocessors back";
  std::map<int, int> in;
  for (const int queue : probe.by_multiprocessor) ++in[queue];
  EXPECT_LT(in.size(), probe.by_multiprocessor.size());
  EXPECT_GT(in.size(), 1U);
  EXPECT_GT(probe.bytes_per_ns, 100);
  const MemoryQueueProbe again = probe_memory_queues();
  EXPECT_EQ(again.by_multiprocessor, probe.by_multiprocessor);
  EXPECT_NEAR(again.bytes_per_ns / probe.bytes_per_ns, 1, 0.1);
}

}  // namespace
}  // namespace tasktwin::gpu
