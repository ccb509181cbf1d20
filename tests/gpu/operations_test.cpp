// Copies, memsets, allocations and functions of the host on a GPU: they keep the order, their bytes arrive, and an edge that nobody waits
// for is noticed.
#include <gmock/gmock.h>

#include <vector>

#include "gpu/cuda/stream_handle.hpp"
#include "gpu/operations/timed_events.hpp"
#include "gpu/probes/operation_probes.hpp"
#include "gpu/task_kernels/stream_kernels.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/generators/copy_pipeline.hpp"
#include "scenarios/generators/inference_scratch.hpp"
#include "scenarios/generators/kv_cache.hpp"
#include "tests/gpu/operation_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;

TEST_F(OperationsOnTheGpu, KeepTheOrderInStreamsUnderEveryWayOfWaiting) {
  const TaskGraph graph = everything(12, 300'000, false);
  for (const auto& [wait, word] : Words<StreamWait>::entries) {
    if (wait == StreamWait::kCallback || wait == StreamWait::kProgram) continue;
    Design design = hinted_streams(5);
    design.stream_wait = wait;
    expect_order(graph, design, std::string(word));
    design.stream_granularity = StreamGranularity::kPerCore;  // every edge crosses streams
    expect_order(graph, design, std::string(word) + " across streams");
    design.replays = 3;
    expect_order(graph, design, std::string(word) + " replayed");
  }
}

TEST_F(OperationsOnTheGpu, KeepTheOrderInGraphsUnderEveryUpdate) {
  const TaskGraph graph = everything(12, 300'000, false);
  for (const auto& [source, source_word] : Words<GraphSource>::entries) {
    for (const auto& [update, word] : Words<GraphUpdate>::entries) {
      Design design = named_design("cuda-graph");
      design.graph_source = source;
      design.graph_update = update;
      design.replays = 3;
      expect_order(graph, design, std::string(source_word) + " " + std::string(word));
    }
  }
}

TEST_F(OperationsOnTheGpu, CopyFromAndToPageableMemory) { expect_order(everything(6, 5 * kMiB, true), hinted_streams(3), "pageable"); }

TEST_F(OperationsOnTheGpu, MoveNoBytesAndFew) {
  for (const std::int64_t bytes : {0, 1, 3, 4, 513}) {
    expect_order(everything(4, bytes, false), hinted_streams(2), std::to_string(bytes));
    expect_order(everything(4, bytes, false), named_design("cuda-graph"), std::to_string(bytes) + " in a graph");
  }
}

TEST_F(OperationsOnTheGpu, GoThroughTheScenariosOfThisKind) {
  expect_order(scenarios::make_copy_pipeline({.chunks = 16, .bytes = 4 * kMiB, .time = 20us, .blocks = 132}), hinted_streams(4),
               "pipeline");
  const TaskGraph scratch = scenarios::make_inference_scratch({.requests = 200}, 1);
  const TaskGraph cache = scenarios::make_kv_cache({.sequences = 4, .steps = 16, .bytes = 2 * kMiB, .time = 20us});
  for (const auto& [allocator, word] : Words<Allocator>::entries) {
    Design design = hinted_streams(8);
    design.allocator = allocator;
    expect_order(scratch, design, "scratch " + std::string(word));
    expect_order(cache, design, "cache " + std::string(word));
  }
}

/// `slow` and `hasty` in streams of their own.
std::int64_t violations_without_edge(const Machine& machine, OperationGraph& graph, TaskId slow, TaskId hasty, const Design& design) {
  graph.after(hasty, slow);
  const TaskGraph built = graph.build();
  EXPECT_EQ(run(built, machine, design, {.repeats = 1, .order_checks = 3}).ordering_violations, 0) << "with the edge";
  return run(built, machine, design, {.repeats = 1, .ignored_edges = {{slow, hasty}}}).ordering_violations;
}

TEST_F(OperationsOnTheGpu, EdgesThatNobodyWaitsForAreNoticed) {
  for (const Design& design : {hinted_streams(2), named_design("cuda-graph")}) {
    for (const Operation operation : {Operation::kCopyH2d, Operation::kCopyD2h, Operation::kMemset}) {
      OperationGraph before;
      const TaskId slow = before.kernel(0, 3'000'000);
      const TaskId hasty = before.transfer(operation, 1, 1000);
      EXPECT_GT(violations_without_edge(machine_, before, slow, hasty, design), 0) << to_word(operation);
    }
    OperationGraph behind;
    const TaskId copy = behind.transfer(Operation::kCopyH2d, 0, 512 * kMiB);
    const TaskId kernel = behind.kernel(1, 0);
    EXPECT_GT(violations_without_edge(machine_, behind, copy, kernel, design), 0);
    OperationGraph function;
    const TaskId host = function.host(0, 5'000'000);
    const TaskId told = function.kernel(1, 0);
    EXPECT_GT(violations_without_edge(machine_, function, host, told, design), 0);
  }
  OperationGraph freed;
  const TaskId memory = freed.alloc(1, 1, kMiB);
  const TaskId user = freed.kernel(0, 3'000'000);
  freed.after(user, memory);
  const TaskId free = freed.free(1, 1);
  freed.after(free, memory);
  EXPECT_GT(violations_without_edge(machine_, freed, user, free, hinted_streams(2)), 0);
}

TEST_F(OperationsOnTheGpu, EventsTellTheTimeOfStamps) {
  const Stream stream;
  EventClock clock;
  clock.set(stream);
  constexpr std::size_t kStamps = 20;
  const DeviceBuffer<std::uint64_t> stamps(kStamps, "stamps");
  std::vector<TimedEvent> events(kStamps + 1);
  events.front().record(stream);
  for (std::size_t i = 0; i < kStamps; ++i) {
    launch_origin_stamp(stamps.data() + i, stream);
    events[i + 1].record(stream);
  }
  stream.synchronize();
  const std::vector<std::uint64_t> seen = stamps.to_host("stamps");
  constexpr std::uint64_t kSlack = 2'000;
  for (std::size_t i = 0; i < kStamps; ++i) {
    EXPECT_LE(clock.stamp(events[i]), seen[i] + kSlack) << i;
    EXPECT_GE(clock.stamp(events[i + 1]) + kSlack, seen[i]) << i;
  }
}

TEST_F(OperationsOnTheGpu, AreProbed) {
  const TransferTimes transfers = probe_transfers();
  for (const TransferTimes::Queued& one : transfers.queued) EXPECT_GT(one.ns, 0) << to_word(one.operation) << " " << one.bytes;
  for (const TransferTimes::Pageable& one : transfers.pageable) EXPECT_GT(one.ns, 0) << to_word(one.operation) << " " << one.bytes;
  EXPECT_GT(transfers.duplex_bytes_per_ns, 0);
  EXPECT_GT(transfers.call_ns, 0);
  EXPECT_GT(transfers.first_word_ns, 0);
  const AllocationTimes allocations = probe_allocations(machine_.memory_limits.pool_segment);
  for (const auto* calls : {&allocations.malloc, &allocations.free, &allocations.pool_grow}) {
    EXPECT_FALSE(calls->empty());
    for (const AllocationTimes::Sized& call : *calls) EXPECT_GT(call.ns, 0) << call.bytes;
  }
  for (const AllocationTimes::Trim& one : allocations.trims) EXPECT_GE(one.ns, 0) << one.segments;
  EXPECT_GT(allocations.malloc_async_ns, 0);
}

}  // namespace
}  // namespace tasktwin::gpu
