#include "models/program/program_end.hpp"

#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "tests/models/host_programs.hpp"

namespace tasktwin {
namespace {

using Kind = HostCallKind;
using Program = HostProgramBuilder;

/// A task that ends then, and a host that is busy until then.
Timeline ended(std::int64_t device, std::int64_t host) {
  Timeline timeline;
  timeline.tasks.resize(1);
  timeline.tasks[0].ended = at_ns(device);
  timeline.dispatchers = {{{at_ns(0), at_ns(host)}}};
  timeline.roles = {ControlRole::kHost};
  return timeline;
}

HostProgram program(bool waits) {
  Program made(1);
  made.launch(0, 0, 100, 10).call({.kind = Kind::kRecord}, 20, 3);
  if (waits) made.call({.kind = Kind::kDeviceSync}, 30, 5);
  return made.build();
}

/// A blocking call returns 5 ns after what it waits for.
Duration end(const HostProgram& program, const Design& design, const Timeline& timeline) {
  Machine machine;
  machine.host_calls.emplace().sync_latency = Nanoseconds{5};
  return program_end(program, machine, design, timeline);
}

TEST(ProgramEnd, IsTheHostsReturnFromItsWaitForTheDevice) {
  const Design graph = named_design("cuda-graph");
  EXPECT_EQ(end(program(true), graph, ended(1000, 40)), Duration{1000 + 5});
  // The host comes to its wait at 1200 + 20 + 3 + 30, when the device has ended.
  EXPECT_EQ(end(program(true), graph, ended(1000, 1200)), Duration{1253});
}

TEST(ProgramEnd, OfAProgramThatDoesNotWaitIsTheLaterOfHostAndDevice) {
  const Design graph = named_design("cuda-graph");
  EXPECT_EQ(end(program(false), graph, ended(1000, 40)), Duration{1000});
  EXPECT_EQ(end(program(false), graph, ended(1000, 990)), Duration{990 + 20 + 3});
}

TEST(ProgramEnd, OfTheProgramsOwnCallsHasThemInTheRun) { EXPECT_EQ(end(program(true), as_captured(1), ended(1000, 1007)), Duration{1007}); }

TEST(ProgramEnd, CopyThatBlocksIsAWait) {
  Program made(1);
  made.call({.kind = Kind::kLaunch, .first = task_id(0), .tasks = 1, .blocks = true}, 10, 4);
  EXPECT_EQ(end(made.build(), named_design("cuda-streams"), ended(500, 10)), Duration{505});
}

}  // namespace
}  // namespace tasktwin
