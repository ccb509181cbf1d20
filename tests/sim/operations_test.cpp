#include <gmock/gmock.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/sim/operation_programs.hpp"

namespace tasktwin::sim {
namespace {

using ::testing::HasSubstr;

/// Copies of 110 ns and kernels of 100. Three engines: the copy in of chunk i ends at 110 (i + 1), its kernel 100 later, its copy
/// out 110 after that: the last of four at 650. One engine: four copies in are queued before the first copy out can be: eight
/// copies one after another, 880.
TEST(CopyEngines, OneInPlaceOfThreeMakesThePipelineAsLongAsAllItsCopies) {
  Machine machine = copy_machine();
  machine.copies->setup = Nanoseconds{10};
  for (const auto& [engines, makespan] : {std::pair{3, 650}, {2, 650}, {1, 880}}) {
    machine.memory_limits.copy_engines = engines;
    EXPECT_EQ(to_ns(simulate(pipeline(4), machine, hinted_streams(4)).timeline.makespan()), makespan) << engines << " engines";
  }
}

TEST(CopyEngines, OneStreamDoesNotOverlap) {
  Machine machine = copy_machine();
  machine.memory_limits.copy_engines = 3;
  EXPECT_EQ(to_ns(simulate(pipeline(4), machine, hinted_streams(1)).timeline.makespan()), 4 * 300);
}

TEST(CopyEngines, BothDirectionsShareDuplex) {
  Machine machine = copy_machine();
  machine.links->duplex_bandwidth = 15;
  OperationGraph program;
  program.transfer(Operation::kCopyH2d, 0, 1500);
  program.transfer(Operation::kCopyD2h, 1, 750);
  // 7.5 each until the short one ends at 100; the other's last 750 at 10.
  EXPECT_EQ(ends(program, machine, hinted_streams(2)), (std::vector<std::int64_t>{175, 100}));
}

TEST(CopyEngines, EngineBeyondThreeLetsCopiesOfOneDirectionShareTheirLink) {
  Machine machine = copy_machine();
  for (const auto& [engines, expected] : {std::pair{3, std::vector<std::int64_t>{100, 150}}, {4, std::vector<std::int64_t>{150, 100}}}) {
    machine.memory_limits.copy_engines = engines;
    OperationGraph program;
    program.transfer(Operation::kCopyH2d, 0, 1000);
    program.transfer(Operation::kCopyH2d, 1, 500);
    EXPECT_EQ(ends(program, machine, hinted_streams(2)), expected) << engines;
  }
}

TEST(Copies, PageableOnesBlockTheHostAndSoSerialise) {
  Machine machine = copy_machine();
  machine.links->staging_bandwidth = 2;
  machine.memory_limits.staging = 100;
  OperationGraph program;
  program.transfer(Operation::kCopyH2d, 0, 1000, 0, true);
  program.transfer(Operation::kCopyD2h, 1, 1000, 0, true);
  program.kernel(2, 7);
  const Timeline timeline = simulate(program.build(), machine, hinted_streams(3)).timeline;
  // 10 ns for the first piece on the link, then 1000 bytes at 2.
  EXPECT_EQ(ends(timeline), (std::vector<std::int64_t>{510, 1020, 1027}));
  EXPECT_EQ(to_ns(timeline.tasks[1].dispatched), 510);
}

TEST(Copies, TakeTheirBandwidthFromKernels) {
  Machine machine = copy_machine();
  machine.memory->bandwidth = machine.memory->core_bandwidth = 20;
  for (const BandwidthSolver solver : {BandwidthSolver::kVirtualTime, BandwidthSolver::kSimGrid}) {
    OperationGraph program;
    program.kernel(0, 0, 2000);
    program.transfer(Operation::kCopyH2d, 1, 500);
    // Half of the memory's bandwidth for 50 ns, then all of it for the 1500 bytes left.
    EXPECT_EQ(ends(simulate(program.build(), machine, hinted_streams(2), {.bandwidth_solver = solver}).timeline),
              (std::vector<std::int64_t>{125, 50}));
  }
}

TEST(Copies, TakeUpMoreOfTheMemoryThanTheirBytes) {
  Machine machine = copy_machine();
  machine.memory->bandwidth = machine.memory->core_bandwidth = 20;
  machine.copies->traffic = 1.5;
  OperationGraph program;
  program.kernel(0, 0, 2000);
  program.transfer(Operation::kCopyH2d, 1, 500);
  // A quarter of the memory's bandwidth for 50 ns, then all of it for the 1750 bytes left.
  EXPECT_EQ(ends(program, machine, hinted_streams(2)), (std::vector<std::int64_t>{138, 50}));
}

/// A copy of 100 ns in, from 20 on; the kernel starts 7 later; the copy back is taken 7 after it and moves for 1 ns, the next is 3 behind.
TEST(Copies, EnginesSeeEachOthersEndsLate) {
  Machine machine = copy_machine();
  machine.copies->call = Nanoseconds{1};
  machine.host_calls->launch = Nanoseconds{2};
  machine.copies->latency = Nanoseconds{20};
  machine.copies->gap = Nanoseconds{3};
  machine.copies->engine_gap = Nanoseconds{7};
  machine.streams->gap = Nanoseconds{100};
  OperationGraph program;
  program.transfer(Operation::kCopyH2d, 0, 1000);
  program.kernel(0, 50);
  program.transfer(Operation::kCopyD2h, 0, 10);
  program.transfer(Operation::kCopyD2h, 0, 10);
  EXPECT_EQ(ends(program, machine, hinted_streams(1)), (std::vector<std::int64_t>{120, 177, 185, 189}));
}

/// Both copies back wait for kernels that end at 10: the engine takes one at 15, and looks for the other when it has done with it.
TEST(Copies, OfSeveralThatWaitForKernelsTheEngineSeesOneAtATime) {
  Machine machine = copy_machine();
  machine.compute_cores.front().count = 2;
  machine.memory_limits.copy_engines = 3;
  machine.copies->engine_gap = Nanoseconds{5};
  OperationGraph program;
  for (const int stream : {0, 1}) {
    program.kernel(stream, 10);
    program.transfer(Operation::kCopyD2h, stream, 100);
  }
  EXPECT_EQ(ends(program, machine, hinted_streams(2)), (std::vector<std::int64_t>{10, 25, 10, 40}));
}

/// Kernels that wait for copies do so side by side; a copy whose kernel had ended when the host called for it does not wait.
TEST(Copies, WhatHasEndedWhenTheHostCallsIsNotWaitedFor) {
  Machine machine = copy_machine();
  machine.copies->call = Nanoseconds{50};
  machine.copies->engine_gap = Nanoseconds{5};
  OperationGraph program;
  program.kernel(0, 10);
  program.transfer(Operation::kCopyH2d, 1, 10);
  program.transfer(Operation::kCopyD2h, 0, 100);
  EXPECT_EQ(ends(program, machine, hinted_streams(2)), (std::vector<std::int64_t>{10, 1, 60}));
}

TEST(HostTasks, RunOneAtATime) {
  Machine machine = plain_machine(1);
  machine.host_calls->callback_latency = Nanoseconds{5};
  OperationGraph program;
  program.host(0, 100);
  program.host(1, 30);
  program.kernel(1, 1);
  EXPECT_EQ(ends(program, machine, hinted_streams(2)), (std::vector<std::int64_t>{105, 135, 136}));
}

TEST(Memsets, TakeNoEngineOfTheCopies) {
  Machine machine = copy_machine();
  machine.memory_limits.copy_engines = 1;
  machine.copies->memset_bandwidth = 100;
  OperationGraph program;
  program.transfer(Operation::kCopyH2d, 0, 1000);
  program.transfer(Operation::kMemset, 1, 1000);
  EXPECT_EQ(ends(program, machine, hinted_streams(2)), (std::vector<std::int64_t>{100, 10}));
}

TEST(OperationCheck, RefusesByName) {
  const auto refusal = [](const OperationGraph& program, const Machine& machine, const Design& design) -> std::string {
    try {
      simulate(program.build(), machine, design);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  OperationGraph copy;
  copy.transfer(Operation::kCopyH2d, 0, 8);
  EXPECT_THAT(refusal(copy, plain_machine(1), hinted_streams(1)), HasSubstr("for which machine 'plain' states no bandwidth"));
  EXPECT_THAT(refusal(copy, copy_machine(), named_design("central-dispatcher")), HasSubstr("driver 'persistent' runs kernels only"));
  Design callback = hinted_streams(1);
  callback.stream_wait = StreamWait::kCallback;
  EXPECT_THAT(refusal(copy, copy_machine(), callback), HasSubstr("stream_wait 'callback'"));
  OperationGraph leak;
  leak.alloc(0, 1, 8);
  Design again = hinted_streams(1);
  again.replays = 2;
  EXPECT_THAT(refusal(leak, memory_machine(), again), HasSubstr("whose buffer nothing frees"));
  EXPECT_THAT(refusal(leak, memory_machine(), named_design("cuda-graph")), HasSubstr("memory nodes"));
  OperationGraph stray;
  stray.free(0, 1);
  EXPECT_THAT(refusal(stray, memory_machine(), hinted_streams(1)), HasSubstr("has a buffer that no task which it waits for allocates"));
}

TEST(CudaGraph, HasNodesThatCopy) {
  Machine machine = copy_machine();
  machine.memory_limits.copy_engines = 3;
  EXPECT_EQ(to_ns(simulate(pipeline(4), machine, named_design("cuda-graph")).timeline.makespan()), 600);
}

}  // namespace
}  // namespace tasktwin::sim
