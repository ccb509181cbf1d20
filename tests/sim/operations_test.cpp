#include <gmock/gmock.h>

#include "models/error.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMiB = 1 << 20;

/// A graph whose tasks name their streams.
class Program {
 public:
  TaskId kernel(int stream, std::int64_t time_ns, std::int64_t bytes = 0) {
    return add(stream, {.cost = {.time = Duration{time_ns}, .bytes = {bytes}}});
  }
  TaskId operation(Operation operation, int stream, std::int64_t bytes, bool pageable = false) {
    return add(stream, {.cost = {.bytes = {bytes}}, .kernel = Kernel::kEmpty, .operation = operation}, pageable);
  }
  TaskId host(int stream, std::int64_t time_ns) {
    return add(stream, {.cost = {.time = Duration{time_ns}}, .kernel = Kernel::kEmpty, .operation = Operation::kHost});
  }
  TaskId alloc(int stream, std::int32_t buffer, std::int64_t bytes) {
    return add(stream, {.cost = {.bytes = {bytes}}, .args = {buffer}, .kernel = Kernel::kEmpty, .operation = Operation::kAlloc});
  }
  TaskId free(int stream, std::int32_t buffer) {
    return add(stream, {.args = {buffer}, .kernel = Kernel::kEmpty, .operation = Operation::kFree});
  }
  void after(TaskId task, TaskId before) { builder_.add_edge(before, task); }
  TaskGraph build() const { return TaskGraphBuilder(builder_).build(); }

 private:
  TaskId add(int stream, Task task, bool pageable = false) {
    task.traits = builder_.add_traits({.pageable = pageable, .stream = stream});
    return builder_.add_task("t" + std::to_string(builder_.size()), task);
  }
  TaskGraphBuilder builder_;
};

Design hinted(int streams) {
  Design design = named_design("cuda-streams");
  design.streams = streams;
  design.stream_granularity = StreamGranularity::kHinted;
  return design;
}

/// 10 bytes/ns each way; every latency zero.
Machine copy_machine() {
  Machine machine = plain_machine(1);
  machine.constants.h2d_bandwidth = machine.constants.d2h_bandwidth = 10;
  return machine;
}

std::vector<std::int64_t> ends(const Timeline& timeline) {
  std::vector<std::int64_t> ends;
  for (const TaskTimes& times : timeline.tasks) ends.push_back(to_ns(times.ended));
  return ends;
}

std::vector<std::int64_t> ends(const Program& program, const Machine& machine, const Design& design) {
  return ends(simulate(program.build(), machine, design).timeline);
}

TaskGraph pipeline(int chunks) {
  Program program;
  for (int i = 0; i < chunks; ++i) {
    program.operation(Operation::kCopyH2d, i, 1000);
    const TaskId work = program.kernel(i, 100);
    const TaskId out = program.operation(Operation::kCopyD2h, i, 1000);
    program.after(work, task_id(index(work) - 1));
    program.after(out, work);
  }
  return program.build();
}

/// Copies of 110 ns and kernels of 100. Three engines: the copy in of chunk i ends at 110 (i + 1), its kernel 100 later, its copy
/// out 110 after that: the last of four at 650. One engine: four copies in are queued before the first copy out can be: eight
/// copies one after another, 880.
TEST(CopyEngines, OneInPlaceOfThreeMakesThePipelineAsLongAsAllItsCopies) {
  Machine machine = copy_machine();
  machine.constants.copy_setup = Nanoseconds{10};
  for (const auto& [engines, makespan] : {std::pair{3, 650}, {2, 650}, {1, 880}}) {
    machine.memory_limits.copy_engines = engines;
    EXPECT_EQ(to_ns(simulate(pipeline(4), machine, hinted(4)).timeline.makespan()), makespan) << engines << " engines";
  }
}

TEST(CopyEngines, OneStreamDoesNotOverlap) {
  Machine machine = copy_machine();
  machine.memory_limits.copy_engines = 3;
  EXPECT_EQ(to_ns(simulate(pipeline(4), machine, hinted(1)).timeline.makespan()), 4 * 300);
}

TEST(CopyEngines, BothDirectionsShareDuplex) {
  Machine machine = copy_machine();
  machine.constants.duplex_bandwidth = 15;
  Program program;
  program.operation(Operation::kCopyH2d, 0, 1500);
  program.operation(Operation::kCopyD2h, 1, 750);
  // 7.5 each until the short one ends at 100; the other's last 750 at 10.
  EXPECT_EQ(ends(program, machine, hinted(2)), (std::vector<std::int64_t>{175, 100}));
}

TEST(CopyEngines, EngineBeyondThreeLetsCopiesOfOneDirectionShareTheirLink) {
  Machine machine = copy_machine();
  for (const auto& [engines, expected] : {std::pair{3, std::vector<std::int64_t>{100, 150}}, {4, std::vector<std::int64_t>{150, 100}}}) {
    machine.memory_limits.copy_engines = engines;
    Program program;
    program.operation(Operation::kCopyH2d, 0, 1000);
    program.operation(Operation::kCopyH2d, 1, 500);
    EXPECT_EQ(ends(program, machine, hinted(2)), expected) << engines;
  }
}

TEST(Copies, PageableOnesBlockTheHostAndSoSerialise) {
  Machine machine = copy_machine();
  machine.constants.staging_bandwidth = 2;
  machine.memory_limits.staging = 100;
  Program program;
  program.operation(Operation::kCopyH2d, 0, 1000, true);
  program.operation(Operation::kCopyD2h, 1, 1000, true);
  program.kernel(2, 7);
  const Timeline timeline = simulate(program.build(), machine, hinted(3)).timeline;
  // 10 ns for the first piece on the link, then 1000 bytes at 2.
  EXPECT_EQ(ends(timeline), (std::vector<std::int64_t>{510, 1020, 1027}));
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 510);
}

TEST(Copies, TakeTheirBandwidthFromKernels) {
  Machine machine = copy_machine();
  machine.constants.memory_bandwidth = machine.constants.core_bandwidth = 20;
  for (const BandwidthSolver solver : {BandwidthSolver::kVirtualTime, BandwidthSolver::kSimGrid}) {
    Program program;
    program.kernel(0, 0, 2000);
    program.operation(Operation::kCopyH2d, 1, 500);
    // Half of the memory's bandwidth for 50 ns, then all of it for the 1500 bytes left.
    EXPECT_EQ(ends(simulate(program.build(), machine, hinted(2), {.bandwidth_solver = solver}).timeline),
              (std::vector<std::int64_t>{125, 50}));
  }
}

/// A copy of 100 ns in, from 20 on; the kernel starts 7 later; the copy back is taken 7 after it and moves for 1 ns, the next is 3 behind.
TEST(Copies, EnginesSeeEachOthersEndsLate) {
  Machine machine = copy_machine();
  machine.constants.copy = Nanoseconds{1};
  machine.constants.launch = Nanoseconds{2};
  machine.constants.copy_latency = Nanoseconds{20};
  machine.constants.copy_gap = Nanoseconds{3};
  machine.constants.engine_gap = Nanoseconds{7};
  machine.constants.stream_gap = Nanoseconds{100};
  Program program;
  program.operation(Operation::kCopyH2d, 0, 1000);
  program.kernel(0, 50);
  program.operation(Operation::kCopyD2h, 0, 10);
  program.operation(Operation::kCopyD2h, 0, 10);
  EXPECT_EQ(ends(program, machine, hinted(1)), (std::vector<std::int64_t>{120, 177, 185, 189}));
}

/// Both copies back wait for kernels that end at 10: the engine takes one at 15, and looks for the other when it has done with it.
TEST(Copies, OfSeveralThatWaitForKernelsTheEngineSeesOneAtATime) {
  Machine machine = copy_machine();
  machine.compute_cores.front().count = 2;
  machine.memory_limits.copy_engines = 3;
  machine.constants.engine_gap = Nanoseconds{5};
  Program program;
  for (const int stream : {0, 1}) {
    program.kernel(stream, 10);
    program.operation(Operation::kCopyD2h, stream, 100);
  }
  EXPECT_EQ(ends(program, machine, hinted(2)), (std::vector<std::int64_t>{10, 25, 10, 40}));
}

/// Kernels that wait for copies do so side by side; a copy whose kernel had ended when the host called for it does not wait.
TEST(Copies, WhatHasEndedWhenTheHostCallsIsNotWaitedFor) {
  Machine machine = copy_machine();
  machine.constants.copy = Nanoseconds{50};
  machine.constants.engine_gap = Nanoseconds{5};
  Program program;
  program.kernel(0, 10);
  program.operation(Operation::kCopyH2d, 1, 10);
  program.operation(Operation::kCopyD2h, 0, 100);
  EXPECT_EQ(ends(program, machine, hinted(2)), (std::vector<std::int64_t>{10, 1, 60}));
}

TEST(HostTasks, RunOneAtATime) {
  Machine machine = plain_machine(1);
  machine.constants.host_task = Nanoseconds{5};
  Program program;
  program.host(0, 100);
  program.host(1, 30);
  program.kernel(1, 1);
  EXPECT_EQ(ends(program, machine, hinted(2)), (std::vector<std::int64_t>{105, 135, 136}));
}

TEST(Memsets, TakeNoEngineOfTheCopies) {
  Machine machine = copy_machine();
  machine.memory_limits.copy_engines = 1;
  machine.constants.memset_bandwidth = 100;
  Program program;
  program.operation(Operation::kCopyH2d, 0, 1000);
  program.operation(Operation::kMemset, 1, 1000);
  EXPECT_EQ(ends(program, machine, hinted(2)), (std::vector<std::int64_t>{100, 10}));
}

/// kernel(0); alloc, kernel, free in stream 1.
TaskGraph scratch_beside_kernel() {
  Program program;
  program.kernel(0, 1000);
  const TaskId alloc = program.alloc(1, 1, 3 * kMiB);
  const TaskId work = program.kernel(1, 10);
  const TaskId free = program.free(1, 1);
  program.after(work, alloc);
  program.after(free, work);
  return program.build();
}

Machine memory_machine() {
  Machine machine = plain_machine(2);
  machine.memory_limits = {.page = 2 * kMiB, .pool_segment = 32 * kMiB};
  machine.constants.malloc = machine.constants.malloc_new = Nanoseconds{100};
  machine.constants.malloc_free = Nanoseconds{70};
  machine.constants.malloc_async = Nanoseconds{20};
  machine.constants.free_async = Nanoseconds{5};
  machine.constants.pool_grow = Nanoseconds{50};
  machine.constants.cached = Nanoseconds{3};
  return machine;
}

TEST(Allocation, CudaMallocWaitsForTheDeviceAndAPoolDoesNot) {
  Design design = hinted(2);
  const Timeline pool = simulate(scratch_beside_kernel(), memory_machine(), design).timeline;
  EXPECT_EQ(ends(pool), (std::vector<std::int64_t>{1000, 70, 80, 80})) << "malloc_async + pool_grow";
  EXPECT_EQ(pool.peak_memory().used, 3 * kMiB);
  EXPECT_EQ(pool.peak_memory().reserved, 32 * kMiB);

  design.allocator = Allocator::kMalloc;
  const Timeline barrier = simulate(scratch_beside_kernel(), memory_machine(), design).timeline;
  EXPECT_EQ(to_ns(barrier.tasks[1].dispatched), 1100) << "at the end of the kernel in the other stream";
  EXPECT_EQ(to_ns(barrier.tasks[2].ended), 1110);
  EXPECT_EQ(to_ns(barrier.tasks[3].dispatched), 1180);
  EXPECT_EQ(barrier.peak_memory().reserved, 4 * kMiB) << "whole pages";
  EXPECT_EQ(barrier.memory.back().reserved, 0);

  design.allocator = Allocator::kCaching;
  const Timeline cache = simulate(scratch_beside_kernel(), memory_machine(), design).timeline;
  EXPECT_EQ(to_ns(cache.tasks[1].dispatched), 1103) << "a cache asks cudaMalloc first";
  EXPECT_EQ(to_ns(cache.tasks[3].dispatched), 1106) << "and keeps what is freed, ahead of the kernel";
  EXPECT_EQ(cache.memory.back().reserved, 20 * kMiB);
}

TEST(Allocation, APoolWithoutThresholdGivesBackAtEachSynchronisation) {
  Machine machine = memory_machine();
  machine.constants.pool_trim = Nanoseconds{1000};
  Design design = hinted(2);
  design.stream_wait = StreamWait::kDeviceSync;
  design.replays = 3;
  const std::int64_t trims = to_ns(simulate(scratch_beside_kernel(), machine, design).timeline.tasks[1].dispatched);
  design.release_threshold = ReleaseThreshold::kMax;
  const Timeline kept = simulate(scratch_beside_kernel(), machine, design).timeline;
  EXPECT_EQ(trims - to_ns(kept.tasks[1].dispatched), 2 * 1000 + 50)
      << "two trims and a growth; that of the second replay passes beside the kernel";
  EXPECT_EQ(kept.memory.back().reserved, 32 * kMiB);
}

TEST(Allocation, APoolMayGiveWhatAStreamHasFreedToThatStreamAlone) {
  Machine machine = memory_machine();
  machine.constants.launch = Nanoseconds{1000};
  Program program;
  const TaskId first = program.alloc(0, 1, 32 * kMiB);
  program.after(program.free(0, 1), first);
  program.kernel(1, 10);  // by the end of this launch the device has come to the free
  program.alloc(1, 2, 32 * kMiB);
  program.alloc(0, 3, 32 * kMiB);
  const TaskGraph graph = program.build();
  const auto reserved = [](const Timeline& timeline, std::size_t call) { return timeline.memory[call].reserved / kMiB; };
  Design design = hinted(2);
  const Timeline passed = simulate(graph, machine, design).timeline;
  EXPECT_EQ(reserved(passed, 2), 32) << "the second stream takes what the first has freed";
  EXPECT_EQ(reserved(passed, 3), 64);
  design.pool_reuse = PoolReuse::kOwnStream;
  const Timeline own = simulate(graph, machine, design).timeline;
  EXPECT_EQ(reserved(own, 2), 64);
  EXPECT_EQ(reserved(own, 3), 64) << "the first stream takes its own again";
}

TEST(Allocation, RunningOutIsAnOutcome) {
  Machine machine = memory_machine();
  machine.memory_limits.capacity = 40 * kMiB;
  Program program;
  program.alloc(0, 1, 30 * kMiB);
  program.alloc(1, 2, 30 * kMiB);
  const TaskGraph graph = program.build();
  for (const Allocator allocator : {Allocator::kPool, Allocator::kMalloc, Allocator::kCaching}) {
    Design design = hinted(2);
    design.allocator = allocator;
    try {
      simulate(graph, machine, design);
      ADD_FAILURE() << "60 MiB in 40";
    } catch (const RunError& error) {
      EXPECT_THAT(error.what(), HasSubstr("out of memory at"));
      EXPECT_THAT(error.what(), HasSubstr("task 't1' asks for 31457280 bytes; 31457280 bytes are in use"));
      EXPECT_THAT(error.what(), HasSubstr("of the device's 41943040"));
    }
    EXPECT_EQ(to_ns(simulate(pipeline(1), copy_machine(), hinted(1)).timeline.makespan()), 300) << "the next run is undisturbed";
  }
}

TEST(OperationCheck, RefusesByName) {
  const auto refusal = [](const Program& program, const Machine& machine, const Design& design) -> std::string {
    try {
      simulate(program.build(), machine, design);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  Program copy;
  copy.operation(Operation::kCopyH2d, 0, 8);
  EXPECT_THAT(refusal(copy, plain_machine(1), hinted(1)), HasSubstr("for which machine 'plain' states no bandwidth"));
  EXPECT_THAT(refusal(copy, copy_machine(), named_design("central-dispatcher")), HasSubstr("driver 'persistent' runs kernels only"));
  Design callback = hinted(1);
  callback.stream_wait = StreamWait::kCallback;
  EXPECT_THAT(refusal(copy, copy_machine(), callback), HasSubstr("stream_wait 'callback'"));
  Program leak;
  leak.alloc(0, 1, 8);
  Design again = hinted(1);
  again.replays = 2;
  EXPECT_THAT(refusal(leak, memory_machine(), again), HasSubstr("whose buffer nothing frees"));
  EXPECT_THAT(refusal(leak, memory_machine(), named_design("cuda-graph")), HasSubstr("memory nodes"));
  Program stray;
  stray.free(0, 1);
  EXPECT_THAT(refusal(stray, memory_machine(), hinted(1)), HasSubstr("has a buffer that no task which it waits for allocates"));
}

TEST(CudaGraph, HasNodesThatCopy) {
  Machine machine = copy_machine();
  machine.memory_limits.copy_engines = 3;
  EXPECT_EQ(to_ns(simulate(pipeline(4), machine, named_design("cuda-graph")).timeline.makespan()), 600);
}

}  // namespace
}  // namespace tasktwin::sim
