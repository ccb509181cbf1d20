// No simulated run beats a bound, and far into saturation the dispatchers' bound is what a run takes.
#include "models/bounds/bounds.hpp"

#include <map>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/random_designs.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::sim {
namespace {

TEST(Bounds, NoRunBeatsThem) {
  std::map<std::string_view, int> highest;
  for (std::uint64_t number = 0; number < 6000; ++number) {
    const RandomWorld world = random_world(number);
    Timeline timeline;
    try {
      timeline = simulate(world.graph, world.machine, world.design,
                          {.seed = world.seed, .replayed = world.replayed.tasks.empty() ? nullptr : &world.replayed})
                     .timeline;
    } catch (const InputError&) {
      continue;  // the design refuses a task of the graph
    } catch (const RunError&) {
      continue;  // a window too small for the graph
    }
    const Bounds bounds = run_bounds(world.graph, world.machine, world.design, world.seed);
    for (const auto& [name, bound] : bounds.entries()) ASSERT_LE(bound, timeline.makespan()) << name << ": " << world.describe();
    ++highest[bounds.highest_name()];
  }
  for (const std::string_view name : {"critical_path", "area", "memory", "head_tail", "dispatch"}) EXPECT_GT(highest[name], 20) << name;
}

/// A body takes 60 ns less right after another of its kernel: but for the first of each core all take 50.
TEST(Bounds, KnowThatBodiesTakeLessRightAfterOthersOfTheirKernel) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 40; ++i) builder.add_task("t" + std::to_string(i), {.cost = {.time = Duration{10}}, .core_type = CoreType::kAic});
  const TaskGraph graph = std::move(builder).build();
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kAic, 2}};
  machine.control_cores.count = 4;
  machine.kernels[static_cast<std::size_t>(Kernel::kSpin)].overhead = Nanoseconds{100};
  machine.kernels[static_cast<std::size_t>(Kernel::kSpin)].again = Nanoseconds{60};
  for (const char* const name :
       {"shared-queue", "static-queues", "central-dispatcher", "work-stealing", "layer-barrier", "host-dispatcher"}) {
    const Timeline timeline = simulate(graph, machine, named_design(name), {.seed = 1}).timeline;
    for (const auto& [bound, time] : run_bounds(graph, machine, named_design(name), 1).entries())
      EXPECT_LE(time, timeline.makespan()) << name << ": " << bound;
  }
}

/// 20 000 tasks of 10 ns on 24 cores: control cores are busy all the time.
double makespan_over_dispatch_bound(Design design) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 20'000; ++i) builder.add_task("t", {.cost = {.time = Duration{10}}, .core_type = CoreType::kAic});
  const TaskGraph graph = std::move(builder).build();
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kAic, 24}};
  machine.control_cores.count = 4;
  machine.device_control->poll = Nanoseconds{92};
  machine.device_control->complete = Nanoseconds{1000};
  machine.device_control->resolve = Nanoseconds{64};
  machine.device_control->dispatch = Nanoseconds{300};
  machine.device_mailboxes->hop = Nanoseconds{633};
  machine.device_mailboxes->publish = Nanoseconds{80};
  machine.resident_cores->start = Nanoseconds{491};
  const Bounds bounds = run_bounds(graph, machine, design, 1);
  EXPECT_EQ(bounds.highest_name(), "dispatch");
  const auto makespan = static_cast<double>(simulate(graph, machine, design, {.seed = 1}).timeline.makespan().count());
  return makespan / static_cast<double>(bounds.dispatch.count());
}

TEST(Bounds, ADispatcherFarIntoSaturationTakesItsBoundWithinAPercent) {
  for (const int dispatchers : {1, 4}) {
    for (const Loop loop : {Loop::kCompleteFirst, Loop::kInterleaved}) {
      Design design = named_design("central-dispatcher");
      design.mailbox_depth = 2;
      design.dispatchers = dispatchers;
      design.loop = loop;
      const double ratio = makespan_over_dispatch_bound(design);
      EXPECT_GE(ratio, 1.0) << dispatchers << " " << to_word(loop);
      EXPECT_LE(ratio, 1.01) << dispatchers << " " << to_word(loop);
    }
  }
}

}  // namespace
}  // namespace tasktwin::sim
