// Copies, memsets, allocations and functions of the host on a GPU: they keep the order, their bytes arrive, memory is counted, and what
// goes wrong is noticed and survived.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "gpu/operation_probes.hpp"
#include "gpu/operations/allocators/malloc_memory.hpp"
#include "gpu/operations/allocators/pool_memory.hpp"
#include "gpu/operations/timed_events.hpp"
#include "gpu/stream.hpp"
#include "gpu/streams/stream_kernels.hpp"
#include "models/error.hpp"
#include "scenarios/generators/copy_pipeline.hpp"
#include "scenarios/generators/inference_scratch.hpp"
#include "scenarios/generators/kv_cache.hpp"
#include "tests/gpu/executor_cases.hpp"
#include "tests/gpu/operation_graphs.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t kMiB = 1 << 20;

/// Each chunk is copied in, worked on, set, told of to the host, and copied out.
TaskGraph everything(int chunks, std::int64_t bytes, bool pageable) {
  OperationGraph graph;
  for (int i = 0; i < chunks; ++i) {
    graph.chain({graph.transfer(Operation::kCopyH2d, i, bytes, 0, pageable), graph.kernel(i, 5'000),
                 graph.transfer(Operation::kMemset, i, bytes / 2), graph.host(i, 1'000),
                 graph.transfer(Operation::kCopyD2h, i, bytes, 0, pageable)});
  }
  return graph.build();
}

/// Buffers that are allocated, filled, worked on, emptied and freed.
TaskGraph buffers(int count, std::int64_t bytes) {
  OperationGraph graph;
  for (int i = 0; i < count; ++i) {
    const auto buffer = static_cast<std::int32_t>(i + 1);
    const std::int64_t each = bytes + 1000 * i;
    graph.chain({graph.alloc(i, buffer, each), graph.transfer(Operation::kCopyH2d, i, each, buffer), graph.kernel(i, 3'000),
                 graph.transfer(Operation::kCopyD2h, i, each, buffer), graph.free(i, buffer)});
  }
  return graph.build();
}

class OperationsOnTheGpu : public OnTheGpu {
 protected:
  void expect_order(const TaskGraph& graph, const Design& design, const std::string& what) {
    const Measurement measured = run(graph, machine_, design, {.repeats = 2, .order_checks = 3});
    EXPECT_EQ(measured.ordering_violations, 0) << what;
    ASSERT_EQ(measured.timeline.tasks.size(), graph.size()) << what;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const TaskTimes& times = measured.timeline.tasks[i];
      ASSERT_TRUE(is_present(times.ended)) << what << " " << graph.name(task_id(i));
      const bool seen_to_start = !is_transfer(graph[task_id(i)].operation);
      EXPECT_EQ(is_present(times.started), seen_to_start) << what << " " << graph.name(task_id(i));
      for (const TaskId before : graph.predecessors(task_id(i))) {
        const Duration slack = 3us;  // two clocks, each set to about a microsecond
        EXPECT_GE(times.ended + slack, measured.timeline.tasks[index(before)].ended) << what << " " << graph.name(task_id(i));
      }
      EXPECT_LE(times.ended.time_since_epoch(), measured.stamped_makespans.front() + measured.stamped_makespans.back()) << what;
    }
    for (const Duration makespan : measured.makespans) EXPECT_GT(makespan, Duration{0}) << what;
  }

  std::string end_of(const TaskGraph& graph, const Design& design) {
    std::string words = "the run ended by itself";
    try {
      run(graph, machine_, design, {.repeats = 1});
    } catch (const RunError& error) {
      words = error.what();
    }
    EXPECT_EQ(run(buffers(4, kMiB), machine_, hinted_streams(2), {.repeats = 1}).ordering_violations, 0)
        << "the device is usable afterwards";
    return words;
  }
};

TEST_F(OperationsOnTheGpu, KeepTheOrderInStreamsUnderEveryWayOfWaiting) {
  const TaskGraph graph = everything(12, 300'000, false);
  for (const auto& [wait, word] : Words<StreamWait>::entries) {
    if (wait == StreamWait::kCallback) continue;
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

TEST_F(OperationsOnTheGpu, UseMemoryOfEveryAllocator) {
  for (const auto& [allocator, word] : Words<Allocator>::entries) {
    Design design = hinted_streams(4);
    design.allocator = allocator;
    expect_order(buffers(16, 3 * kMiB), design, std::string(word));
    design.stream_wait = StreamWait::kDeviceSync;
    design.replays = 3;
    expect_order(buffers(16, 3 * kMiB), design, std::string(word) + " replayed");
  }
  Design kept = hinted_streams(4);
  kept.release_threshold = ReleaseThreshold::kMax;
  expect_order(buffers(16, 3 * kMiB), kept, "a pool that keeps");
}

TEST_F(OperationsOnTheGpu, LeaveNothingAllocatedBehind) {
  OperationGraph graph;
  for (int i = 0; i < 4; ++i) graph.alloc(i, i + 1, 64 * kMiB);
  const auto left = [] {
    std::size_t bytes = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&bytes, &all), "asking for the GPU's memory");
    return static_cast<std::int64_t>(bytes);
  };
  const auto run_all = [&] {
    for (const auto& [allocator, word] : Words<Allocator>::entries) {
      Design design = hinted_streams(2);
      design.allocator = allocator;
      EXPECT_EQ(run(graph.build(), machine_, design, {.repeats = 2}).ordering_violations, 0) << word;
    }
  };
  run_all();  // what the driver itself keeps
  const std::int64_t before = left();
  run_all();
  EXPECT_LT(std::abs(before - left()), 64 * kMiB);
}

/// Scratch memory and growing caches, of which every allocator gives out exactly what was asked for.
TEST_F(OperationsOnTheGpu, CountTheMemoryInUse) {
  OperationGraph graph;
  const TaskId first = graph.alloc(0, 1, 3 * kMiB);
  const TaskId second = graph.alloc(0, 2, 40 * kMiB);
  const TaskId work = graph.kernel(0, 1'000);
  const TaskId freed = graph.free(0, 1);
  const TaskId last = graph.free(0, 2);
  graph.chain({first, second, work, freed, last});
  for (const auto& [allocator, word] : Words<Allocator>::entries) {
    Design design = hinted_streams(1);
    design.allocator = allocator;
    const Timeline timeline = run(graph.build(), machine_, design, {.repeats = 1}).timeline;
    ASSERT_EQ(timeline.memory.size(), 4u) << word;
    EXPECT_EQ(timeline.memory[0].used, 3 * kMiB) << word;
    EXPECT_EQ(timeline.memory[1].used, 43 * kMiB) << word;
    EXPECT_EQ(timeline.peak_memory().used, 43 * kMiB) << word;
    EXPECT_EQ(timeline.memory[3].used, 0) << word;
    for (const MemorySample& sample : timeline.memory) EXPECT_GE(sample.reserved, sample.used) << word;
    EXPECT_TRUE(std::ranges::is_sorted(timeline.memory, {}, &MemorySample::time)) << word;
  }
}

TEST_F(OperationsOnTheGpu, PagesOfCudaMallocAreWhatTheDeviceHasLess) {
  const auto left = [] {
    std::size_t bytes = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&bytes, &all), "asking for the GPU's memory");
    return static_cast<std::int64_t>(bytes);
  };
  MallocMemory memory(machine_.memory_limits.page);
  memory.free(memory.allocate(1000, {}), {});
  const std::int64_t before = left();
  std::vector<void*> blocks;
  for (const std::int64_t bytes : {10 * kMiB, 33 * kMiB + 1, 64 * kMiB}) blocks.push_back(memory.allocate(bytes, {}));
  EXPECT_EQ(memory.usage().reserved, before - left());
  for (void* const block : blocks) memory.free(block, {});
  EXPECT_EQ(memory.usage().reserved, 0);
  EXPECT_EQ(memory.usage().used, 0);
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

TEST_F(OperationsOnTheGpu, RunOutOfMemoryAsAnOutcome) {
  OperationGraph graph;
  const TaskId little = graph.alloc(0, 1, kMiB);
  graph.chain({little, graph.kernel(0, 1'000)});
  graph.after(graph.alloc(1, 2, std::int64_t{1} << 40), little);
  for (const auto& [allocator, word] : Words<Allocator>::entries) {
    Design design = hinted_streams(2);
    design.allocator = allocator;
    EXPECT_THAT(end_of(graph.build(), design),
                AllOf(HasSubstr("out of memory: task 't2' asks for 1099511627776 bytes"), HasSubstr("1048576 bytes are in use")))
        << word;
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
  const TaskId memory = freed.alloc(0, 1, kMiB);
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
  EXPECT_GT(allocations.free_async_ns, 0);
  EXPECT_GT(allocations.cached_ns, 0);
}

}  // namespace
}  // namespace tasktwin::gpu
