// A run that contradicts its graph or itself is an internal error, and none that the simulator gives does.
#include "sim/run_check.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "models/base/internal_error.hpp"
#include "models/bounds/checked_bounds.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/models/host_programs.hpp"
#include "tests/sim/operation_programs.hpp"

namespace tasktwin::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What is said of a run of a → b under `design`, after `change`.
std::string said_of(const char* design_name, const std::function<void(Timeline&)>& change) {
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 20}}, {{0, 1}});
  const Machine machine = plain_machine(2);
  const Design design = named_design(design_name);
  Timeline timeline = simulate(graph, machine, design, {.seed = 7}).timeline;
  EXPECT_NO_THROW(check_run(graph, machine, design, 7, timeline));
  change(timeline);
  try {
    check_run(graph, machine, design, 7, timeline);
  } catch (const InternalError& fault) {
    return fault.what();
  }
  return "";
}

TEST(RunCheck, NamesTheEdgeThatIsBroken) {
  for (const char* const design : {"shared-queue", "central-dispatcher", "cuda-streams", "cuda-graph", "static-queues"}) {
    EXPECT_THAT(
        said_of(design, [](Timeline& run) { run.tasks[0].ended = run.tasks[0].published = run.tasks[1].started + Duration{1}; }),
        AllOf(StartsWith(std::string("design '") + design + "', seed 7: "), HasSubstr("the edge from task 'a' is broken: task 'b' ")))
        << design;
  }
  EXPECT_THAT(said_of("shared-queue", [](Timeline& run) { run.tasks[0].published = run.tasks[1].ready + Duration{1}; }),
              HasSubstr("before the completion of that is written"));
}

TEST(RunCheck, NamesTheTaskWhosePhasesAreOutOfOrder) {
  const std::vector<std::function<void(TaskTimes&)>> faults{[](TaskTimes& times) { times.started = TimePoint{} - Duration{1}; },
                                                            [](TaskTimes& times) { times.ready = TimePoint{} - Duration{1}; },
                                                            [](TaskTimes& times) { times.ended = times.started - Duration{1}; },
                                                            [](TaskTimes& times) { times.published = times.ended - Duration{1}; },
                                                            [](TaskTimes& times) { times.ready = times.started + Duration{1}; },
                                                            [](TaskTimes& times) { times.dispatched = times.started + Duration{1}; },
                                                            [](TaskTimes& times) { times.received = times.started + Duration{1}; }};
  for (std::size_t i = 0; i < faults.size(); ++i)
    EXPECT_THAT(said_of("central-dispatcher", [&](Timeline& run) { faults[i](run.tasks[1]); }), HasSubstr("task 'b'")) << i;
}

TEST(RunCheck, HoldsWhatIsSaidOfTheWholeAgainstTheLastEnd) {
  EXPECT_THAT(said_of("central-dispatcher", [](Timeline& run) { run.seen = TimePoint{} + Duration{1}; }),
              HasSubstr("the last completion is seen"));
  EXPECT_THAT(said_of("shared-queue", [](Timeline& run) { run.stopped = TimePoint{} + Duration{1}; }), HasSubstr("workers stop at 1 ns"));
}

TEST(RunCheck, BoundAboveTheMakespanIsNamed) {
  const TaskGraph graph = small_graph({{"a", 10}, {"b", 20}}, {{0, 1}});
  const Design design = named_design("shared-queue");
  EXPECT_EQ(checked_bounds(graph, plain_machine(2), design, {}, Duration{30}).critical_path, Duration{30});
  EXPECT_THAT([&] { checked_bounds(graph, plain_machine(2), design, {.seed = 5}, Duration{29}); },
              ::testing::ThrowsMessage<InternalError>(
                  "design 'shared-queue', seed 5: the run takes 29 ns, less than its bound 'critical_path' of 30 ns"));
}

TEST(RunCheck, BoundsAreOfWhatTheRunWasGiven) {
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 200}}, {{0, 1}});
  const std::vector<Duration> bodies{Duration{3}, Duration{-1}};
  const Design design = named_design("shared-queue");
  const Duration makespan = simulate(graph, plain_machine(2), design, {.bodies = bodies}).timeline.makespan();
  EXPECT_EQ(makespan, Duration{203});
  EXPECT_EQ(checked_bounds(graph, plain_machine(2), design, {.bodies = bodies}, makespan).critical_path, Duration{203});
}

TEST(RunCheck, BoundsOfCapturedCopiesLeaveOutWhatOthersMadeThemWait) {
  TaskGraphBuilder builder;
  Task copy;
  copy.operation = Operation::kCopyH2d;
  copy.kernel = Kernel::kEmpty;
  copy.cost.time = Duration{400};
  copy.cost.bytes = {1};
  builder.add_task("in", copy);
  const TaskGraph graph = std::move(builder).build();
  Machine machine = copy_machine();
  machine.links->duplex_bandwidth = 15;
  HostProgram program = HostProgramBuilder(1).launch(0, 0, 0, 0).build();
  program.beside = {1};
  const Duration makespan = simulate(graph, machine, as_captured(1), {.program = &program}).timeline.makespan();
  EXPECT_EQ(makespan, Duration{300});
  EXPECT_EQ(checked_bounds(graph, machine, as_captured(1), {.program = &program}, makespan).highest(), Duration{300});
}

}  // namespace
}  // namespace tasktwin::sim
