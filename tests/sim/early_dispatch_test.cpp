// When tasks are handed over before they are ready, to how many cores, and what that costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/checks/remarks.hpp"
#include "models/checks/stalls.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/sim/dispatched_world.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;
using World = DispatchedWorld;

World early_world(int cores, EarlyDispatch early = EarlyDispatch::kOn) {
  World world(cores);
  world.machine.device_control->dispatch = Nanoseconds{10};
  world.machine.device_control->stage = Nanoseconds{100};
  world.machine.device_mailboxes->doorbell = Nanoseconds{3};
  world.design.early_dispatch = early;
  return world;
}

/// A root of 1000 ns and `behind` tasks of 10 ns behind it.
TaskGraph fan(std::uint32_t behind) { return star(behind, 1000, 10); }

TEST(EarlyDispatch, StagedTasksCostMoreAndStartOnceTheirDoorbellIsHeard) {
  const World world = early_world(2);
  const Timeline timeline = world.run(fan(1));
  EXPECT_THAT(dispatched(timeline), ElementsAre(10, 10 + 10 + 100));
  EXPECT_THAT(started(timeline), ElementsAre(10, 1010 + 10 + 3));
  World off = early_world(2, EarlyDispatch::kOff);
  EXPECT_THAT(dispatched(off.run(fan(1))), ElementsAre(10, 1020));
}

TEST(EarlyDispatch, AnIdlePassIsOneThatHandsOverNothingElse) {
  World world = early_world(2, EarlyDispatch::kIdlePass);
  world.machine.device_control->poll = Nanoseconds{50};
  EXPECT_THAT(dispatched(world.run(fan(1))), ElementsAre(60, 60 + 50 + 110)) << "in the sweep after the one that handed the root over";
  world.design.early_dispatch = EarlyDispatch::kOn;
  EXPECT_THAT(dispatched(world.run(fan(1))), ElementsAre(60, 60 + 110));
}

TEST(EarlyDispatch, BehindARunningTaskOnlyUnderAnySlot) {
  World world = early_world(1);
  world.design.mailbox_depth = 2;
  EXPECT_THAT(dispatched(world.run(fan(1))), ElementsAre(10, 1020));
  world.design.early_dispatch = EarlyDispatch::kAnySlot;
  const Timeline timeline = world.run(fan(1));
  EXPECT_THAT(dispatched(timeline), ElementsAre(10, 10 + 110));
  EXPECT_THAT(started(timeline), ElementsAre(10, 1010 + 10 + 3));
}

/// How many of the tasks behind the root were handed over before it ended.
int staged(const World& world, std::uint32_t behind) {
  const Timeline timeline = world.run(fan(behind));
  return static_cast<int>(std::ranges::count_if(timeline.tasks, [](const TaskTimes& task) { return task.dispatched < at_ns(1000); })) - 1;
}

TEST(EarlyDispatch, ALimitBoundsTheCoresThatWait) {
  World world = early_world(6);
  EXPECT_EQ(staged(world, 5), 5);
  world.design.early_limit = 2;
  EXPECT_EQ(staged(world, 5), 2);
  world.design.early_bound = EarlyBound::kPerEdge;
  EXPECT_EQ(staged(world, 5), 5) << "each holds one core";
  world.design.early_bound = EarlyBound::kPerDispatcher;
  EXPECT_EQ(staged(world, 5), 2);
  world.machine.control_cores.count = world.design.dispatchers = 2;
  EXPECT_EQ(staged(world, 5), 4) << "each dispatcher two";
}

TEST(EarlyDispatch, ACoreWhereATaskWaitsTakesNoOther) {
  // The second root ends while the task behind the first waits on its core; what is ready then goes to the core that is free.
  World world = early_world(3);
  world.design.mailbox_depth = 2;
  const TaskGraph graph =
      small_graph({{"long", 2000}, {"short", 500}, {"waits", 10}, {"next", 10}, {"after", 10}}, {{0, 2}, {1, 3}, {1, 4}, {0, 4}});
  const Timeline timeline = world.run(graph);
  EXPECT_LT(started(timeline)[3], 1000) << "'next' is not behind 'waits'";
}

/// A producer for each of two tasks of five blocks that start together, on six cores.
TaskGraph two_cohorts() {
  TaskGraphBuilder builder;
  const std::uint32_t wide = builder.add_traits({.blocks = 5});
  for (const char* const name : {"a", "b"}) {
    const TaskId producer = builder.add_task(std::string("p") + name, {.cost = {.time = Duration{1000}}});
    builder.add_edge(producer, builder.add_task(name, {.cost = {.time = Duration{50}}, .traits = wide}));
  }
  return std::move(builder).build();
}

TEST(EarlyDispatch, BlocksOfOneTaskStartTogether) {
  World world = early_world(6);
  world.design.early_limit = 3;
  const Timeline timeline = world.run(two_cohorts());
  EXPECT_EQ(timeline.blocks.size(), 10u);
  for (const BlockTimes& block : timeline.blocks) EXPECT_EQ(block.started, timeline.tasks[index(block.task)].started);
  EXPECT_GE(timeline.tasks[1].dispatched, at_ns(1000)) << "the last of its blocks";
}

TEST(EarlyDispatch, TwoTasksWithPartOfTheirBlocksStallEachOther) {
  World world = early_world(6);
  world.design.early_limit = 2;
  world.design.early_bound = EarlyBound::kPerEdge;
  EXPECT_THAT([&] { world.run(two_cohorts()); },
              ThrowsMessage<RunError>(testing::AllOf(HasSubstr("stands still with 2 of 4 tasks left"),
                                                     HasSubstr("in some orders the run hangs"), HasSubstr("2 tasks, 'a' and 'b'"))));
  EXPECT_THAT(possible_stalls(two_cohorts(), world.machine, world.design), testing::SizeIs(1));
  world.design.early_bound = EarlyBound::kSum;
  EXPECT_NO_THROW(world.run(two_cohorts()));
  EXPECT_THAT(possible_stalls(two_cohorts(), world.machine, world.design), IsEmpty());
}

/// Chains of producers and tasks of several blocks, on a few cores of two types.
TaskGraph random_cohorts(Random& random) {
  TaskGraphBuilder builder;
  const auto chains = static_cast<int>(random.between(1, 5));
  for (int chain = 0; chain < chains; ++chain) {
    TaskId before{};
    const auto length = static_cast<int>(random.between(1, 4));
    for (int i = 0; i < length; ++i) {
      const std::uint32_t traits = builder.add_traits({.blocks = i % 2 == 0 ? 1 : static_cast<int>(random.between(1, 6))});
      const TaskId task = builder.add_task("t" + std::to_string(builder.size()),
                                           {.cost = {.time = Duration{random.between(1, 300)}},
                                            .core_type = i % 2 == 0 && random.uniform() < 0.8 ? CoreType::kAic : CoreType::kAiv,
                                            .traits = traits});
      if (i > 0) builder.add_edge(before, task);
      before = task;
    }
  }
  return std::move(builder).build();
}

TEST(EarlyDispatch, EveryRunThatHangsIsKnownBefore) {
  Random random(5);
  int hung = 0;
  int ended = 0;
  for (int i = 0; i < 3000; ++i) {
    const TaskGraph graph = random_cohorts(random);
    World world = early_world(1);
    world.machine.compute_cores = {{.type = CoreType::kAic, .count = 4}, {.type = CoreType::kAiv, .count = 6}};
    world.machine.control_cores.count = 2;
    world.design.dispatchers = static_cast<int>(random.between(1, 2));
    world.design.mailbox_depth = static_cast<int>(random.between(1, 2));
    world.design.early_dispatch = static_cast<EarlyDispatch>(random.between(1, 3));
    world.design.early_bound = static_cast<EarlyBound>(random.between(0, 2));
    world.design.early_limit = static_cast<int>(random.between(1, 5));
    if (random.uniform() < 0.3) world.design.ownership = Ownership::kShared;
    const bool known = !possible_stalls(graph, world.machine, world.design).empty();
    try {
      world.run(graph);
      ++ended;
    } catch (const RunError& error) {
      ++hung;
      EXPECT_TRUE(known) << i << " " << error.what();
    }
    EXPECT_TRUE(!known || world.design.early_bound == EarlyBound::kPerEdge) << i;
  }
  EXPECT_GT(hung, 10);
  EXPECT_GT(ended, 1000);
}

TEST(EarlyDispatch, BadValuesAreRefusedByName) {
  const auto refused = [](auto change, const char* why) {
    World world = early_world(2);
    change(world.design);
    EXPECT_THAT([&] { world.run(fan(1)); }, ThrowsMessage<InputError>(HasSubstr(why)));
  };
  refused([](Design& d) { d.early_limit = 0; }, "early_limit is 0; it must be 1 to 1000000");
  refused([](Design& d) { d.early_bound = EarlyBound::kPerEdge; }, "early_bound");
  refused(
      [](Design& d) {
        d.early_dispatch = EarlyDispatch::kOff;
        d.early_limit = 4;
      },
      "early_limit");
}

TEST(EarlyDispatch, RemarksSayWhatChangesNothing) {
  World world = early_world(2);
  world.machine.compute_cores.push_back({.type = CoreType::kAiv, .count = 2});
  Design base = world.design;
  base.early_dispatch = EarlyDispatch::kOff;
  const auto remarks = [&](const TaskGraph& graph) { return axis_remarks(graph, world.machine, world.design, base); };
  EXPECT_THAT(remarks(independent(3, 10)), ElementsAre(HasSubstr("early_dispatch 'on' changes nothing here: no task waits for another")));
  EXPECT_THAT(remarks(fan(1)), IsEmpty());
  base = world.design;
  world.design.early_limit = 7;
  EXPECT_THAT(remarks(fan(1)), ElementsAre(HasSubstr("early_limit 7 changes nothing here")));
}

}  // namespace
}  // namespace tasktwin::sim
