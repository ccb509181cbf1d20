#include <gmock/gmock.h>

#include "models/base/error.hpp"
#include "tests/sim/operation_programs.hpp"

namespace tasktwin::sim {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMiB = 1 << 20;

/// kernel(0); alloc, kernel, free in stream 1.
TaskGraph scratch_beside_kernel() {
  OperationGraph program;
  program.kernel(0, 1000);
  const TaskId alloc = program.alloc(1, 1, 3 * kMiB);
  const TaskId work = program.kernel(1, 10);
  const TaskId free = program.free(1, 1);
  program.after(work, alloc);
  program.after(free, work);
  return program.build();
}

TEST(Allocation, OfWhatMemoryComesByCudaFreeAloneWaitsForTheDevice) {
  Design design = hinted_streams(2);
  const Timeline pool = simulate(scratch_beside_kernel(), memory_machine(), design).timeline;
  EXPECT_EQ(ends(pool), (std::vector<std::int64_t>{1000, 20, 30, 40})) << "malloc_async, for the free as well";
  EXPECT_EQ(pool.peak_memory().used, 3 * kMiB);
  EXPECT_EQ(pool.peak_memory().reserved, 32 * kMiB);

  design.allocator = Allocator::kMalloc;
  const Timeline barrier = simulate(scratch_beside_kernel(), memory_machine(), design).timeline;
  EXPECT_EQ(to_ns(barrier.tasks[1].dispatched), 100) << "beside the kernel in the other stream";
  EXPECT_EQ(to_ns(barrier.tasks[2].ended), 110);
  EXPECT_EQ(to_ns(barrier.tasks[3].dispatched), 1070) << "behind it";
  EXPECT_EQ(barrier.peak_memory().reserved, 4 * kMiB) << "whole pages";
  EXPECT_EQ(barrier.memory.back().reserved, 0);

  design.allocator = Allocator::kCaching;
  const Timeline cache = simulate(scratch_beside_kernel(), memory_machine(), design).timeline;
  EXPECT_EQ(to_ns(cache.tasks[1].dispatched), 100) << "a cache asks cudaMalloc first";
  EXPECT_EQ(to_ns(cache.tasks[3].dispatched), 100) << "and keeps what is freed, ahead of the kernel";
  EXPECT_EQ(cache.memory.back().reserved, 20 * kMiB);
}

TEST(Allocation, ACacheWaitsForTheDeviceWhereItMustGiveMemoryBackFirst) {
  OperationGraph program;
  program.kernel(0, 1000);
  const TaskId first = program.alloc(1, 1, 3 * kMiB);
  const TaskId freed = program.free(1, 1);
  const TaskId second = program.alloc(2, 2, 3 * kMiB);
  program.after(freed, first);
  const TaskGraph graph = program.build();
  Design design = hinted_streams(3);
  design.allocator = Allocator::kCaching;
  Machine machine = memory_machine();
  const auto dispatched = [&] { return to_ns(simulate(graph, machine, design).timeline.tasks[index(second)].dispatched); };
  EXPECT_EQ(dispatched(), 200) << "two segments";
  machine.memory_limits.capacity = 30 * kMiB;
  EXPECT_EQ(dispatched(), 1000 + 70 + 100) << "the first is freed, once the kernel has ended, for the second";
}

TEST(Allocation, APoolWithoutThresholdGivesBackAtEachSynchronisation) {
  Machine machine = memory_machine();
  machine.allocators->pool_trim = Nanoseconds{1000};
  Design design = hinted_streams(2);
  design.stream_wait = StreamWait::kDeviceSync;
  design.replays = 3;
  const std::int64_t trims = to_ns(simulate(scratch_beside_kernel(), machine, design).timeline.tasks[1].dispatched);
  design.release_threshold = ReleaseThreshold::kMax;
  const Timeline kept = simulate(scratch_beside_kernel(), machine, design).timeline;
  EXPECT_EQ(trims - to_ns(kept.tasks[1].dispatched), 2 * 1000) << "two trims";
  EXPECT_EQ(kept.memory.back().reserved, 32 * kMiB);
}

TEST(Allocation, APoolMayGiveWhatAStreamHasFreedToThatStreamAlone) {
  Machine machine = memory_machine();
  machine.host_calls->launch = Nanoseconds{1000};
  OperationGraph program;
  const TaskId first = program.alloc(0, 1, 32 * kMiB);
  program.after(program.free(0, 1), first);
  program.kernel(1, 10);  // by the end of this launch the device has come to the free
  program.alloc(1, 2, 32 * kMiB);
  program.alloc(0, 3, 32 * kMiB);
  const TaskGraph graph = program.build();
  const auto reserved = [](const Timeline& timeline, std::size_t call) { return timeline.memory[call].reserved / kMiB; };
  Design design = hinted_streams(2);
  const Timeline passed = simulate(graph, machine, design).timeline;
  EXPECT_EQ(reserved(passed, 2), 32) << "the second stream takes what the first has freed";
  EXPECT_EQ(reserved(passed, 3), 64);
  design.pool_reuse = PoolReuse::kOwnStream;
  const Timeline own = simulate(graph, machine, design).timeline;
  EXPECT_EQ(reserved(own, 2), 64);
  EXPECT_EQ(reserved(own, 3), 64) << "the first stream takes its own again";
}

TEST(Allocation, APoolAsksTheOtherStreamsBeforeItGrows) {
  Machine machine = memory_machine();
  machine.allocators->pool_look = Nanoseconds{7};
  machine.allocators->pool_grow_per_mib = Nanoseconds{2};  // of a segment of 32 MiB 64
  machine.host_calls->launch = Nanoseconds{100};
  OperationGraph program;
  for (const int stream : {0, 1}) {
    program.after(program.free(stream, stream + 1), program.alloc(stream, stream + 1, 20 * kMiB));
    program.kernel(2, 10);  // by the end of this launch the device has come to the free
  }
  const TaskId last = program.alloc(2, 3, 36 * kMiB);
  const TaskGraph graph = program.build();
  Design design = hinted_streams(3);
  const auto seen = [&] {
    const Timeline timeline = simulate(graph, machine, design).timeline;
    return std::pair{to_ns(timeline.tasks[index(last)].dispatched), timeline.memory.back().reserved / kMiB};
  };
  const std::int64_t calls = 2 * (20 + 20 + 100) + 20;
  EXPECT_EQ(seen(), std::pair(calls + 64 + 7 + 2 * 2 * 7 + 64, std::int64_t{64}))
      << "the second takes what the first has freed; the third asks both twice, and the pool grows by what is missing";
  design.pool_reuse = PoolReuse::kOwnStream;
  EXPECT_EQ(seen(), std::pair(calls + 3 * 64, std::int64_t{96})) << "nobody is asked";
}

TEST(Allocation, APoolAsksTheStreamItselfOnceBeforeItGrows) {
  Machine machine = memory_machine();
  machine.allocators->pool_look = Nanoseconds{7};
  machine.allocators->pool_grow_per_mib = Nanoseconds{2};  // of a segment of 32 MiB 64
  machine.host_calls->launch = Nanoseconds{100};
  OperationGraph program;
  program.after(program.free(0, 1), program.alloc(0, 1, 20 * kMiB));
  program.kernel(1, 10);  // by the end of this launch the device has come to the free
  const TaskId last = program.alloc(0, 2, 36 * kMiB);
  const Timeline timeline = simulate(program.build(), machine, hinted_streams(2)).timeline;
  EXPECT_EQ(to_ns(timeline.tasks[index(last)].dispatched), 20 + 64 + 20 + 100 + 7 + 20 + 64);
}

TEST(Allocation, ACacheThatRecordsStreamsHasThoseOfAllDevices) {
  TaskGraphBuilder builder;
  for (int device = 0; device < 2; ++device) {
    for (int i = 0; i < 40; ++i)
      builder.add_task("t" + std::to_string(device) + "-" + std::to_string(i), {.cost = {.time = Duration{10}}, .device = device});
  }
  const TaskGraph graph = std::move(builder).build();
  Machine machine = memory_machine();
  machine.devices.per_node = 2;
  machine.peers->link_bandwidth = 10;
  Design design = named_design("cuda-streams");
  design.allocator = Allocator::kCaching;
  const Duration without = simulate(graph, machine, design).timeline.makespan();
  design.record_stream = RecordStream::kOn;
  EXPECT_EQ(simulate(graph, machine, design).timeline.makespan(), without) << "no task allocates";
}

TEST(Allocation, RunningOutIsAnOutcome) {
  Machine machine = memory_machine();
  machine.memory_limits.capacity = 40 * kMiB;
  OperationGraph program;
  program.alloc(0, 1, 30 * kMiB);
  program.alloc(1, 2, 30 * kMiB);
  const TaskGraph graph = program.build();
  for (const Allocator allocator : {Allocator::kPool, Allocator::kMalloc, Allocator::kCaching}) {
    Design design = hinted_streams(2);
    design.allocator = allocator;
    try {
      simulate(graph, machine, design);
      ADD_FAILURE() << "60 MiB in 40";
    } catch (const RunError& error) {
      EXPECT_THAT(error.what(), HasSubstr("out of memory at"));
      EXPECT_THAT(error.what(), HasSubstr("task 't1' asks for 31457280 bytes; 31457280 bytes are in use"));
      EXPECT_THAT(error.what(), HasSubstr("of the device's 41943040"));
    }
    EXPECT_EQ(to_ns(simulate(pipeline(1), copy_machine(), hinted_streams(1)).timeline.makespan()), 300) << "the next run is undisturbed";
  }
}

}  // namespace
}  // namespace tasktwin::sim
