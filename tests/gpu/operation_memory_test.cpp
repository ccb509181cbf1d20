// Memory that a graph allocates on a GPU: it is there, it is counted, it is given back, and running out of it is an outcome.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "gpu/operations/allocators/malloc_memory.hpp"
#include "tests/gpu/operation_cases.hpp"

namespace tasktwin::gpu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Bytes of the device that nobody has.
std::int64_t bytes_left() {
  std::size_t bytes = 0;
  std::size_t all = 0;
  check(cudaMemGetInfo(&bytes, &all), "asking for the GPU's memory");
  return static_cast<std::int64_t>(bytes);
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
  kept.pool_reuse = PoolReuse::kOwnStream;
  expect_order(buffers(16, 3 * kMiB), kept, "a pool that gives to a stream what that has freed");
}

TEST_F(OperationsOnTheGpu, LeaveNothingAllocatedBehind) {
  OperationGraph graph;
  for (int i = 0; i < 4; ++i) graph.alloc(i, i + 1, 64 * kMiB);
  const auto run_all = [&] {
    for (const auto& [allocator, word] : Words<Allocator>::entries) {
      Design design = hinted_streams(2);
      design.allocator = allocator;
      EXPECT_EQ(run(graph.build(), machine_, design, {.repeats = 2}).ordering_violations, 0) << word;
    }
  };
  run_all();  // what the driver itself keeps
  const std::int64_t before = bytes_left();
  run_all();
  EXPECT_LT(std::abs(before - bytes_left()), 64 * kMiB);
}

/// Of sizes that no allocator rounds up.
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
  MallocMemory memory(machine_.memory_limits.page);
  memory.free(memory.allocate(1000, {}), {});
  const std::int64_t before = bytes_left();
  std::vector<void*> blocks;
  for (const std::int64_t bytes : {10 * kMiB, 33 * kMiB + 1, 64 * kMiB}) blocks.push_back(memory.allocate(bytes, {}));
  EXPECT_EQ(memory.usage().reserved, before - bytes_left());
  for (void* const block : blocks) memory.free(block, {});
  EXPECT_EQ(memory.usage().reserved, 0);
  EXPECT_EQ(memory.usage().used, 0);
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

}  // namespace
}  // namespace tasktwin::gpu
