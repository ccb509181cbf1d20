// Tasks for cores of several types: who may take them, and who is told that they can be taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/sim/dispatched_world.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TaskGraph independent_of_types(const std::vector<CoreType>& types, const TaskTraits& traits = {}) {
  TaskGraphBuilder builder;
  for (const CoreType type : types)
    builder.add_task("t" + std::to_string(builder.size()),
                     {.cost = {.time = Duration{100}}, .core_type = type, .traits = builder.add_traits(traits)});
  return std::move(builder).build();
}

TEST(StrictLine, WhatHeadsItNextIsToldToThoseWhoseCoresItNeeds) {
  for (const ReadyQueue queue : {ReadyQueue::kShared, ReadyQueue::kSharded}) {
    DispatchedWorld world(1, 2);
    world.machine.compute_cores = {{CoreType::kAic, 1}, {CoreType::kAiv, 1}};
    world.design.dispatchers = 2;
    world.design.ready_queue = queue;
    world.design.shards = queue == ReadyQueue::kSharded ? 1 : 0;
    const TaskGraph graph = independent_of_types({CoreType::kAic, CoreType::kAic, CoreType::kAiv});
    world.design.head_of_line = HeadOfLine::kStrict;
    // The dispatcher of the aiv finds t1 ahead of t2 and parks; t1 leaves when t0 has ended.
    EXPECT_THAT(started(world.run(graph)), ElementsAre(0, 100, 100)) << to_word(queue);
  }
}

TEST(Mix, OfOneCoreIsRefusedWhereNobodyChoosesTheCore) {
  DispatchedWorld world(1);
  world.machine.compute_cores = {{CoreType::kAic, 1, 1}, {CoreType::kAiv, 2, 2}};
  const TaskGraph graph = independent_of_types({CoreType::kMix}, {.aic = 1, .aiv = 0});
  world.design.ready_queue = ReadyQueue::kPerCoreType;
  EXPECT_THAT(started(world.run(graph)), ElementsAre(0));
  world.design.ready_queue = ReadyQueue::kPerWorker;
  world.design.placement = Placement::kLeastLoaded;
  EXPECT_THAT([&] { world.run(graph); }, ThrowsMessage<InputError>(HasSubstr("'t0' is 'mix', which the queue of one worker cannot hold")));
}

/// One cluster of a matrix core and two vector cores.
TEST(Mix, PartsOfTheirOwnLengthFreeTheirCores) {
  DispatchedWorld world(1);
  world.machine.compute_cores = {{CoreType::kAic, 1, 1}, {CoreType::kAiv, 2, 2}};
  TaskGraphBuilder builder;
  const TaskTraits unlike{.aic = 1, .aiv = 2, .parts = {Duration{30}, Duration{100}, Duration{40}}};
  builder.add_task("t0", {.cost = {.time = Duration{100}}, .core_type = CoreType::kMix, .traits = builder.add_traits(unlike)});
  for (const CoreType type : {CoreType::kAic, CoreType::kAiv, CoreType::kAiv})
    builder.add_task("t" + std::to_string(builder.size()), {.cost = {.time = Duration{50}}, .core_type = type});
  const TaskId last = builder.add_task("last", {.cost = {.time = Duration{50}}, .core_type = CoreType::kAiv});
  builder.add_edge(task_id(0), last);
  const TaskGraph graph = std::move(builder).build();
  const Timeline timeline = world.run(graph);
  EXPECT_THAT(started(timeline), ElementsAre(0, 30, 40, 90, 100)) << "t3 follows t2 on the core that is free first";
  EXPECT_EQ(to_ns(timeline.tasks[0].ended), 100);
}

}  // namespace
}  // namespace tasktwin::sim
