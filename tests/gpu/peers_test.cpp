// Executors over several GPUs of one host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/executors.hpp"
#include "gpu/peers/devices/communicators.hpp"
#include "gpu/peers/devices/device_clocks.hpp"
#include "gpu/peers/devices/peer_access.hpp"
#include "gpu/probes/peer_probes.hpp"
#include "gpu/supported/supported.hpp"
#include "models/base/error.hpp"
#include "models/graph/collective_kernels.hpp"
#include "models/program/device_graph.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/peer_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Tests that need two GPUs, skipped by name without them.
class OnTwoGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = why_no_gpu()) GTEST_SKIP() << *why;
    if (const auto why = why_no_peers(2)) GTEST_SKIP() << *why;
    devices_ = std::min(visible_devices(), 4);
    machine_ = several_devices(devices_);
  }

  int devices_ = 2;
  Machine machine_;
};

class WithNccl : public OnTwoGpus {
 protected:
  void SetUp() override {
    OnTwoGpus::SetUp();
    if (IsSkipped()) return;
    if (const auto why = why_no_nccl()) GTEST_SKIP() << *why;
  }
};

Design captured_graph() {
  Design design = named_design("cuda-graph");
  design.graph_source = GraphSource::kCapture;
  return design;
}

Design threads_of_the_host() {
  Design design = named_design("cuda-streams");
  design.launching = Launching::kThreadPerDevice;
  return design;
}

/// Stamps of two devices are held against each other to what their timers are compared to.
std::string order_fault(const TaskGraph& graph, const Timeline& timeline) {
  constexpr Duration kSlack{300};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    if (!is_present(times.ended)) return std::string(graph.name(task_id(i))) + " has not ended";
    if (!is_present(times.started)) continue;
    for (const TaskId before : graph.predecessors(task_id(i))) {
      if (times.started + kSlack >= timeline.tasks[index(before)].ended) continue;
      return std::string(graph.name(task_id(i))) + " started " +
             std::to_string((timeline.tasks[index(before)].ended - times.started).count()) + " ns before " +
             std::string(graph.name(before)) + " ended";
    }
  }
  return "";
}

void expect_right(const TaskGraph& graph, const Machine& machine, const Design& design, const std::string& what) {
  const Measurement measured = run(graph, machine, design, {.repeats = 2});
  EXPECT_EQ(measured.ordering_violations, 0) << what;
  EXPECT_EQ(measured.timeline.tasks.size(), graph.size()) << what;
  EXPECT_EQ(order_fault(graph, measured.timeline), "") << what;
  EXPECT_EQ(measured.timeline.core_devices.size(), measured.timeline.cores.size()) << what;
  for (const Duration makespan : measured.makespans) EXPECT_GT(makespan, 0ns) << what;
}

TEST_F(OnTwoGpus, KernelsAndCopiesKeepTheirOrderAndBringTheirBytes) {
  for (const std::uint64_t seed : {1, 2}) {
    for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{4096}, std::int64_t{1} << 20}) {
      const TaskGraph graph = random_over_devices(devices_, 12, 8, bytes, seed);
      for (const Design& design : {named_design("cuda-streams"), threads_of_the_host(), named_design("cuda-graph"), captured_graph()})
        expect_right(graph, machine_, design, design.name + ", " + std::to_string(bytes) + " bytes");
    }
  }
}

TEST_F(OnTwoGpus, KernelsThatReadTheOthersMemoryKeepTheirOrder) {
  for (const std::int64_t bytes : {std::int64_t{1000}, std::int64_t{1} << 20}) {
    const TaskGraph graph = random_over_devices(devices_, 12, 8, bytes, 6);
    for (Design design : {named_design("cuda-streams"), threads_of_the_host(), named_design("cuda-graph"), captured_graph()}) {
      design.peer_data = PeerData::kRead;
      expect_right(graph, machine_, design, design.name + ", " + std::to_string(bytes) + " bytes");
    }
  }
}

TEST_F(OnTwoGpus, ReplaysKeepTheirOrder) {
  Design design = named_design("cuda-streams");
  design.replays = 3;
  expect_right(random_over_devices(devices_, 6, 6, 4096, 3), machine_, design, "streams");
  design = named_design("cuda-graph");
  design.replays = 3;
  expect_right(random_over_devices(devices_, 6, 6, 4096, 3), machine_, design, "graph");
}

TEST_F(OnTwoGpus, ATransferIsToldOfEachCopyThatTheDesignPutsIn) {
  const TaskGraph graph = random_over_devices(devices_, 6, 6, 65536, 4);
  const Measurement measured = run(graph, machine_, named_design("cuda-streams"), {.repeats = 1});
  const tasktwin::DeviceGraph placed = on_devices(graph, machine_, named_design("cuda-streams"));
  ASSERT_EQ(measured.timeline.transfers.size(), placed.graph.size() - placed.tasks);
  for (const PeerTransfer& transfer : measured.timeline.transfers) {
    EXPECT_NE(transfer.from, transfer.to);
    EXPECT_EQ(transfer.bytes, 65536);
    EXPECT_GE(transfer.ended + Duration{1500}, measured.timeline.tasks[index(transfer.of)].ended);  // events are right to a microsecond
  }
}

/// What workers that stay on the multiprocessors run, whether designs of them over several devices are simulated or not.
RunResult run_resident(const TaskGraph& graph, const Machine& machine, const Design& design, RunMode mode, const RunOptions& options = {}) {
  return make_peer_queues({graph, machine, design, options})->run(mode);
}

TEST_F(OnTwoGpus, ResidentWorkersReleaseEachOthersTasks) {
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;
  for (const int workers : {1, 7, 132}) {
    Machine machine = machine_;
    machine.compute_cores = {{CoreType::kSm, workers}};
    for (const std::uint64_t seed : {1, 2, 3}) {
      const TaskGraph graph = random_over_devices(devices_, 60, 40, 0, seed);
      EXPECT_EQ(run_resident(graph, machine, design, RunMode::kCheckOrder).ordering_violations, 0) << workers;
      const RunResult stamped = run_resident(graph, machine, design, RunMode::kStamped);
      EXPECT_EQ(order_fault(graph, stamped.timeline), "") << workers;
      EXPECT_GT(run_resident(graph, machine, design, RunMode::kPlain).makespan, 0ns);
    }
  }
}

TEST_F(OnTwoGpus, ResidentWorkersReadEachOthersMemory) {
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;
  design.peer_data = PeerData::kRead;
  for (const std::int64_t bytes : {std::int64_t{1000}, std::int64_t{1} << 20}) {
    const TaskGraph graph = random_over_devices(devices_, 12, 8, bytes, 6);
    EXPECT_EQ(run_resident(graph, machine_, design, RunMode::kCheckOrder).ordering_violations, 0) << bytes;
    const RunResult stamped = run_resident(graph, machine_, design, RunMode::kStamped);
    EXPECT_EQ(order_fault(graph, stamped.timeline), "") << bytes;
  }
}

TEST_F(OnTwoGpus, CollectivesOfTheGraphsOwnKernelsKeepTheirOrder) {
  for (const CollectivesBy by : {CollectivesBy::kOneShot, CollectivesBy::kTwoShot}) {
    const TaskGraph graph = with_kernels_for_collectives(every_collective(devices_, 100'000, 2), {.by = by, .pieces = 4, .blocks = 1});
    Design resident = named_design("static-queues");
    for (Design design : {resident, named_design("cuda-streams"), named_design("cuda-graph")}) {
      design.peer_data = PeerData::kRead;
      expect_right(graph, machine_, design, design.name + " " + std::string(to_word(by)));
    }
  }
}

TEST_F(OnTwoGpus, AWaitThatNobodyReleasesIsEndedAndNamesTheDevice) {
  Design design = named_design("static-queues");
  design.placement = Placement::kRoundRobin;
  const TaskGraph graph = random_over_devices(devices_, 3, 4, 0, 5);
  RunOptions options;
  options.watchdog = 200ms;
  options.never_released = {task_id(graph.size() - 1)};
  try {
    run_resident(graph, machine_, design, RunMode::kPlain, options);
    FAIL() << "it ended by itself";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("of GPU " + std::to_string(graph[task_id(graph.size() - 1)].device)));
  }
}

TEST_F(OnTwoGpus, AnEdgeThatIsNotWaitedForIsCounted) {
  TaskGraphBuilder builder;
  const TaskId slow = builder.add_task("slow", {.cost = {.time = 500us}, .device = 0});
  const TaskId quick = builder.add_task("quick", {.cost = {.time = 1us}, .device = 1});
  builder.add_edge(slow, quick);
  const TaskGraph graph = std::move(builder).build();
  RunOptions options;
  options.ignored_edges = {{slow, quick}};
  options.repeats = 1;
  for (const char* name : {"cuda-streams", "cuda-graph"})
    EXPECT_GT(run(graph, machine_, named_design(name), options).ordering_violations, 0) << name;
  Design resident = named_design("static-queues");
  resident.placement = Placement::kRoundRobin;
  EXPECT_GT(run_resident(graph, machine_, resident, RunMode::kCheckOrder, options).ordering_violations, 0);
}

TEST_F(WithNccl, EveryCollectiveComputesWhatItShould) {
  for (const std::int64_t bytes : {std::int64_t{8}, std::int64_t{4000}, std::int64_t{3} << 20}) {
    const TaskGraph graph = every_collective(devices_, bytes, 2);
    for (const Design& design : {named_design("cuda-streams"), threads_of_the_host(), captured_graph()})
      expect_right(graph, machine_, design, design.name + ", " + std::to_string(bytes) + " bytes");
  }
}

TEST_F(WithNccl, RingsAndTreesComputeTheSame) {
  TaskGraphBuilder builder;
  const std::vector<std::vector<TaskId>> none(static_cast<std::size_t>(devices_));
  for (int number = 1; number <= 3; ++number) add_collective(builder, Operation::kAllReduce, number, 100'000, devices_, none);
  const TaskGraph graph = std::move(builder).build();
  for (const CollectiveAlgorithm way : {CollectiveAlgorithm::kRing, CollectiveAlgorithm::kTree}) {
    Design design = named_design("cuda-streams");
    design.collective = way;
    expect_right(graph, machine_, design, std::string(to_word(way)));
  }
}

TEST_F(WithNccl, ATensorParallelDecodeStepGetsTheNumbersOfOneDevice) {
  const TaskGraph graph = tensor_parallel_decode(small_decode(), 2, 4);
  const Machine machine = several_devices(2);
  for (const Design& design : {named_design("cuda-streams"), threads_of_the_host(), captured_graph()}) {
    const Measurement measured = run(graph, machine, design, {.repeats = 1});
    EXPECT_EQ(measured.ordering_violations, 0) << design.name;
    ASSERT_TRUE(measured.residual.has_value()) << design.name;
    EXPECT_LE(*measured.residual, measured.residual_limit) << design.name;
  }
}

TEST_F(OnTwoGpus, TimersComparedTwiceAgreeToASmallPartOfAMicrosecond) {
  allow_peer_access(devices_);
  DeviceClocks clocks(devices_);
  clocks.compare();
  const std::int64_t first = clocks.ahead_ns(1);
  clocks.compare();
  EXPECT_NEAR(static_cast<double>(clocks.ahead_ns(1) - first), 0, 200);
}

TEST_F(OnTwoGpus, ProbesOfFlagsChainsAndReadsFindWhatIsPossible) {
  allow_peer_access(devices_);
  for (const PeerFlagHop& hop : probe_peer_flags(2)) EXPECT_GT(hop.ns, 100) << hop.release << ", " << hop.wait;
  for (const PeerChain& chain : probe_peer_chains(2)) {
    EXPECT_GT(chain.by_events_ns, 500);
    EXPECT_GT(chain.in_graph_ns, 200);
  }
  for (const PeerReads& reads : probe_peer_reads(2)) EXPECT_GT(reads.bytes_per_ns, 1) << reads.blocks;
}

}  // namespace
}  // namespace tasktwin::gpu
