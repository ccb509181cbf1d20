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

}  // namespace
}  // namespace tasktwin::sim
