// An observer handed in from outside is told all that the Timeline says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/engine/timeline_observer.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/random_designs.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;

Simulation run(const RandomWorld& world, RunObserver* observer) {
  return simulate(world.graph, world.machine, world.design,
                  {.seed = world.seed,
                   .record_steps = true,
                   .replayed = world.replayed.tasks.empty() ? nullptr : &world.replayed,
                   .observer = observer});
}

TEST(RunObserver, IsToldAllOfTheTimelineUnderDesignsOfEveryKind) {
  int ran = 0;
  for (std::uint64_t number = 0; number < 3000; ++number) {
    const RandomWorld world = random_world(number);
    Timeline told;
    TimelineObserver observer(told, true, world.graph, world.design.gang);
    Timeline timeline;
    try {
      timeline = run(world, &observer).timeline;
    } catch (const InputError&) {
      continue;  // the design refuses a task of the graph, by name
    } catch (const RunError&) {
      continue;  // its window is too small
    }
    ++ran;
    ASSERT_EQ(told.tasks, timeline.tasks) << world.describe();
    ASSERT_EQ(told.cores, timeline.cores) << world.describe();
    ASSERT_EQ(told.dispatchers, timeline.dispatchers) << world.describe();
    ASSERT_EQ(told.roles, timeline.roles) << world.describe();
    ASSERT_EQ(told.steps, timeline.steps) << world.describe();
    ASSERT_EQ(told.memory, timeline.memory) << world.describe();
    ASSERT_EQ(told.seen, timeline.seen) << world.describe();
    ASSERT_THAT(told.blocks, testing::UnorderedElementsAreArray(timeline.blocks)) << world.describe();
    ASSERT_EQ(timeline, run(world, nullptr).timeline) << world.describe() << "\nwithout the observer";
  }
  EXPECT_GT(ran, 1000);
}

/// The phases of one task as they are told.
class Phases final : public RunObserver {
 public:
  explicit Phases(TaskId task) : task_(task) {}
  void ready(TaskId task, TimePoint at) override { note("ready", task, at); }
  void dispatched(TaskId task, DispatcherId /*by*/, TimePoint at) override { note("dispatched", task, at); }
  void received(TaskId task, CoreId /*core*/, TimePoint at) override { note("received", task, at); }
  void started(TaskId task, TimePoint at) override { note("started", task, at); }
  void ended(TaskId task, TimePoint at) override { note("ended", task, at); }
  void published(TaskId task, TimePoint at) override { note("published", task, at); }
  const std::vector<std::string>& told() const { return told_; }

 private:
  void note(const std::string& phase, TaskId task, TimePoint at) {
    if (task == task_) told_.push_back(phase + " " + std::to_string(to_ns(at)));
  }

  TaskId task_;
  std::vector<std::string> told_;
};

TEST(RunObserver, IsToldEachPhaseOnceAndFromTheOriginOfTheTimeline) {
  Machine machine = plain_machine(1);
  machine.first_poll->look = Nanoseconds{1000};
  machine.device_mailboxes->hop = Nanoseconds{100};
  machine.device_mailboxes->publish = Nanoseconds{7};
  Phases phases(task_id(1));
  simulate(small_graph({{"a", 20}, {"b", 30}}, {{0, 1}}), machine, named_design("central-dispatcher"), {.observer = &phases});
  EXPECT_THAT(phases.told(), ElementsAre("ready 1127", "dispatched 1127", "received 1227", "started 1227", "ended 1257", "published 1264"));
}

TEST(RunObserver, KnowsTasksByTheIdsOfTheGraphThatItWasGiven) {
  TaskGraphBuilder builder;
  const TaskId chooser = builder.add_task("chooser", {.cost = {.time = Duration{5}}, .traits = builder.add_traits({.probability = 0})});
  builder.set_spawner(builder.add_task("never", {.cost = {.time = Duration{5}}}), chooser);
  const TaskId last = builder.add_task("last", {.cost = {.time = Duration{30}}});
  const TaskGraph graph = std::move(builder).build();
  Phases never(task_id(1));
  Phases of_last(last);
  simulate(graph, plain_machine(1), named_design("central-dispatcher"), {.observer = &never});
  simulate(graph, plain_machine(1), named_design("central-dispatcher"), {.observer = &of_last});
  EXPECT_THAT(never.told(), testing::IsEmpty());
  EXPECT_EQ(of_last.told().size(), 6u);
}

}  // namespace
}  // namespace tasktwin::sim
