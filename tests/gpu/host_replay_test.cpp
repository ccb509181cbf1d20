// A captured program's calls, made again on a GPU.
#include <gmock/gmock.h>

#include "gpu/program_run.hpp"
#include "tests/gpu/operation_cases.hpp"
#include "tests/models/host_programs.hpp"

namespace tasktwin::gpu {
namespace {

using Kind = HostCallKind;

class HostReplayOnTheGpu : public OperationsOnTheGpu {
 protected:
  Measurement replayed(const TaskGraph& graph, const Design& design, const HostProgram& program) {
    return run_program(graph, machine_, design, {.repeats = 3, .order_checks = 2}, program);
  }
};

/// Two kernels of two streams, the second behind the first.
TaskGraph two_kernels() {
  OperationGraph graph;
  graph.chain({graph.kernel(0, 200'000), graph.kernel(1, 50'000)});
  return graph.build();
}

TEST_F(HostReplayOnTheGpu, SpendsTheProgramsOwnTime) {
  HostProgramBuilder program(2);
  program.launch(0, 0, 2'000'000, 5'000).call({.kind = Kind::kDeviceSync}, 0, 5'000).launch(1, 1, 3'000'000, 5'000);
  for (const Design& design : {as_captured(2), hinted_streams(2)}) {
    const Measurement seen = replayed(two_kernels(), design, program.build());
    EXPECT_EQ(seen.ordering_violations, 0) << design.name;
    for (const Duration makespan : seen.makespans) {
      EXPECT_GT(makespan, Duration{5'000'000}) << design.name;
      EXPECT_LT(makespan, Duration{6'500'000}) << design.name;
    }
  }
}

TEST_F(HostReplayOnTheGpu, StreamsWaitForRecords) {
  HostProgramBuilder program(2);
  program.launch(0, 0, 0, 5'000);
  const std::uint32_t record = program.record(0);
  program.call({.kind = Kind::kWait, .stream = 1, .record = record}, 0, 1'000).launch(1, 1, 0, 5'000);
  EXPECT_EQ(replayed(two_kernels(), as_captured(2), program.build()).ordering_violations, 0);
}

TEST_F(HostReplayOnTheGpu, NoticesAProgramThatDoesNotWait) {
  HostProgramBuilder program(2);
  program.launch(0, 0, 0, 5'000).launch(1, 1, 0, 5'000);
  EXPECT_GT(replayed(two_kernels(), as_captured(2), program.build()).ordering_violations, 0);
}

TEST_F(HostReplayOnTheGpu, SynchronisationsHoldTheHostUp) {
  for (const Kind kind : {Kind::kEventSync, Kind::kStreamSync, Kind::kDeviceSync}) {
    HostProgramBuilder program(2);
    program.launch(0, 0, 0, 5'000);
    const std::uint32_t record = program.record(0);
    program.call({.kind = kind, .stream = 0, .record = record}, 0, 5'000).launch(1, 1, 0, 5'000);
    EXPECT_EQ(replayed(two_kernels(), as_captured(2), program.build()).ordering_violations, 0) << static_cast<int>(kind);
  }
}

TEST_F(HostReplayOnTheGpu, ThreadsMakeTheirCallsInTheCapturedOrder) {
  OperationGraph graph;
  HostProgramBuilder program(1);
  for (int i = 0; i < 40; ++i) {
    const TaskId task = graph.kernel(0, 5'000);
    if (i > 0) graph.after(task, task_id(static_cast<std::size_t>(i) - 1));
    program.launch(static_cast<std::uint32_t>(i), 0, 2'000, 1'000, static_cast<std::uint32_t>(i % 3));
  }
  EXPECT_EQ(replayed(graph.build(), as_captured(1), program.build()).ordering_violations, 0);
}

TEST_F(HostReplayOnTheGpu, LaunchesTheProgramsGraphs) {
  OperationGraph graph;
  graph.chain({graph.kernel(0, 20'000), graph.transfer(Operation::kMemset, 0, kMiB), graph.kernel(1, 20'000), graph.kernel(0, 5'000)});
  graph.chain({graph.kernel(0, 20'000), graph.kernel(0, 20'000)});
  graph.after(task_id(4), task_id(3));
  HostProgramBuilder program(2);
  program.call({.kind = Kind::kLaunch, .first = task_id(0), .tasks = 3, .graph = true}, 0, 10'000)
      .launch(3, 0, 0, 5'000)
      .call({.kind = Kind::kLaunch, .first = task_id(4), .tasks = 2, .graph = true}, 0, 10'000);
  const Measurement seen = replayed(graph.build(), as_captured(2), program.build());
  EXPECT_EQ(seen.ordering_violations, 0);
  EXPECT_GT(seen.makespans.front(), Duration{85'000});
}

TEST_F(HostReplayOnTheGpu, CopiesFromPageableMemoryKeepTheThread) {
  OperationGraph graph;
  graph.chain({graph.kernel(0, 20'000), graph.transfer(Operation::kCopyD2h, 0, 4 * kMiB, 0, true), graph.kernel(0, 5'000)});
  HostProgramBuilder program(1);
  program.launch(0, 0, 0, 5'000)
      .call({.kind = Kind::kLaunch, .first = task_id(1), .tasks = 1, .blocks = true}, 0, 5'000)
      .launch(2, 0, 0, 5'000);
  EXPECT_EQ(replayed(graph.build(), as_captured(1), program.build()).ordering_violations, 0);
}

TEST_F(HostReplayOnTheGpu, NeedsAProgram) { EXPECT_THROW(run(two_kernels(), machine_, as_captured(2), {.repeats = 1}), InputError); }

}  // namespace
}  // namespace tasktwin::gpu
