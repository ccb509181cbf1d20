#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/sim/dispatched_world.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// One controller with so many slots and comparators: 10 ns to fill a slot, 5 to see a completion, 7 to a core.
DispatchedWorld queue_world(int cores, int slots, int comparators) {
  DispatchedWorld world(cores);
  world.design.ready_queue = ReadyQueue::kGroupQueue;
  world.machine.group_queue->slots = slots;
  world.machine.group_queue->comparators = comparators;
  world.machine.group_queue->submit = Nanoseconds{10};
  world.machine.group_queue->compare = Nanoseconds{5};
  world.machine.device_mailboxes->hop = Nanoseconds{7};
  return world;
}

TEST(GroupQueue, ATaskWaitsInItsSlotUntilItsPredecessorIsSeenDone) {
  const DispatchedWorld world = queue_world(2, 2, 1);
  const Timeline timeline = world.run(small_graph({{"a", 100}, {"b", 50}, {"c", 20}}, {{0, 1}}));
  // a: slot at 10, on its core at 17, ends at 117, seen at 122; b: slot at 20, handed over at 122; c: slot at 30, on the other core.
  EXPECT_THAT(started(timeline), ElementsAre(17, 129, 37));
  EXPECT_THAT(dispatched(timeline), ElementsAre(10, 122, 30));
}

TEST(GroupQueue, TheDispatcherWaitsWhileNoSlotIsFree) {
  const DispatchedWorld world = queue_world(2, 1, 1);
  EXPECT_THAT(started(world.run(small_graph({{"a", 100}, {"b", 50}, {"c", 20}}, {{0, 1}}))), ElementsAre(17, 129, 122 + 10 + 7));
}

TEST(GroupQueue, ATaskWithMorePredecessorsThanComparatorsHoldsUpThoseBehindIt) {
  // c is seen at 52 and b at 92: d then waits for a alone. e stands behind it.
  const TaskGraph graph = small_graph({{"a", 100}, {"b", 60}, {"c", 10}, {"d", 10}, {"e", 10}}, {{0, 3}, {1, 3}, {2, 3}});
  EXPECT_THAT(started(queue_world(3, 4, 1).run(graph)), ElementsAre(17, 27, 37, 129, 92 + 20 + 7));
  EXPECT_THAT(started(queue_world(3, 4, 3).run(graph)), ElementsAre(17, 27, 37, 129, 50 + 7 + 2)) << "e on c's core, seen free at 52";
}

TEST(GroupQueue, TheDispatcherIsBusyFillingSlotsAlone) {
  const Timeline timeline = queue_world(2, 2, 1).run(small_graph({{"a", 100}, {"b", 50}, {"c", 20}}, {{0, 1}}));
  Duration busy{};
  for (const Span& span : timeline.dispatchers.front()) busy += span.end - span.begin;
  EXPECT_EQ(busy, Duration{30});
}

TEST(GroupQueue, RefusesWhatASlotCannotHold) {
  DispatchedWorld world = queue_world(4, 2, 1);
  TaskGraphBuilder builder;
  builder.add_task("wide", {.cost = {.time = Duration{10}}, .traits = builder.add_traits({.blocks = 2})});
  const TaskGraph wide = std::move(builder).build();
  EXPECT_THAT([&] { world.run(wide); }, ThrowsMessage<InputError>(HasSubstr("'wide' occupies several cores, but a slot")));
  world.machine.group_queue.reset();
  EXPECT_THAT([&] { world.run(independent(1, 10)); }, ThrowsMessage<InputError>(HasSubstr("needs 'group_queue'")));
}

TEST(GroupQueue, AxesOfTheSoftwareLoopHaveNoEffect) {
  DispatchedWorld world = queue_world(2, 2, 1);
  world.design.loop = Loop::kInterleaved;
  EXPECT_THAT([&] { world.run(independent(1, 10)); }, ThrowsMessage<InputError>(HasSubstr("loop has no effect here")));
}

}  // namespace
}  // namespace tasktwin::sim
