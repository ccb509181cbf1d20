// Parts of the control loop by themselves: what each decides, on inputs small enough to follow by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/control/hand_over/mailbox_hops.hpp"
#include "sim/control/intake/successor_work.hpp"
#include "sim/control/state/fill_rules.hpp"
#include "sim/control/state/mailboxes.hpp"
#include "sim/control/state/queue_access.hpp"
#include "tests/sim/small_worlds.hpp"

namespace tasktwin::sim {
namespace {

using testing::ElementsAre;

/// Two hubs: 0 before 2 to 8, 1 before 9 and 10.
TaskGraph two_hubs() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t leaf = 2; leaf < 9; ++leaf) edges.emplace_back(0, leaf);
  edges.emplace_back(1, 9);
  edges.emplace_back(1, 10);
  return small_graph(std::vector<SmallTask>(11, {"t", 10}), edges);
}

class SuccessorWorkOfTwoHubs : public testing::Test {
 protected:
  SuccessorWorkOfTwoHubs() : semaphores_(graph_, as_run(Design{}, plain_machine(1)), Design{}) { times_.resolve = Nanoseconds{10}; }
  std::unique_ptr<SuccessorWork> make(int lanes, RowHeads heads = RowHeads::kComeWithCompletions) {
    return make_successor_work(graph_, semaphores_, times_, Lanes(lanes), 2, heads);
  }
  Resolution tell(SuccessorWork& work) {
    Resolution found;
    work.tell(0, std::vector<TaskId>{task_id(0), task_id(1)}, found);
    return found;
  }
  static std::vector<std::size_t> ids(const std::vector<TaskId>& tasks) {
    std::vector<std::size_t> all;
    for (const TaskId task : tasks) all.push_back(index(task));
    return all;
  }

  TaskGraph graph_ = two_hubs();
  mechanism::ControlLoop times_;
  EventSemaphores semaphores_;
};

TEST_F(SuccessorWorkOfTwoHubs, OneLaneGoesRowByRow) {
  const auto work = make(1);
  const Resolution found = tell(*work);
  EXPECT_THAT(ids(found.ready), ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(found.by_head, ElementsAre(7, 2));
  EXPECT_EQ(work->cost(found), Nanoseconds{9 * 10});
  EXPECT_FALSE(work->in_steps());
}

TEST_F(SuccessorWorkOfTwoHubs, SeveralLanesTellTheHeadsOfRowsFirst) {
  const auto work = make(4);
  const Resolution found = tell(*work);
  EXPECT_THAT(ids(found.ready), ElementsAre(2, 3, 4, 5, 9, 10, 6, 7, 8));
  EXPECT_THAT(found.by_head, ElementsAre(4, 2));
  EXPECT_TRUE(found.beyond_heads);
  EXPECT_EQ(work->cost(found), Nanoseconds{10}) << "three beyond heads in one round";
  EXPECT_EQ(work->group(), 4u);
}

TEST_F(SuccessorWorkOfTwoHubs, HeadsTakeARoundWhereTheyDoNotComeWithCompletions) {
  const auto work = make(4, RowHeads::kTakeTime);
  EXPECT_EQ(work->cost(tell(*work)), Nanoseconds{2 * 10});
}

TEST_F(SuccessorWorkOfTwoHubs, OneLaneAmongSeveralControlCoresWalksAlongCacheLines) {
  times_.resolve_line = Nanoseconds{80};
  const auto work = make(1);
  const Resolution found = tell(*work);
  EXPECT_TRUE(work->in_steps());
  EXPECT_EQ(work->cost(found), Nanoseconds{0}) << "counters are decremented in steps";
  EXPECT_EQ(work->go_on(0, at_ns(1000)), at_ns(1120)) << "the line is there at 1080, and four counters fit before it can be taken away";
}

TEST(MailboxHops, NoneOvertakesAnother) {
  mechanism::Mailboxes times;
  times.hop = Nanoseconds{100};
  MailboxHops alike(times, 1, 2);
  EXPECT_EQ(alike.arrival(0, task_id(0), at_ns(10)), at_ns(110));
  EXPECT_EQ(alike.arrival(0, task_id(1), at_ns(20)), at_ns(120));
  EXPECT_EQ(alike.arrival(1, task_id(2), at_ns(20)), at_ns(120));

  times.hop_sigma = Nanoseconds{40};
  MailboxHops varied(times, 1, 1);
  TimePoint before = varied.arrival(0, task_id(0), at_ns(0));
  int waiting = 0;
  for (std::uint32_t task = 1; task < 100; ++task) {
    const TimePoint at = varied.arrival(0, task_id(task), at_ns(1000 + task));
    ASSERT_GE(at, before);
    if (at == before) ++waiting;
    before = at;
  }
  EXPECT_GT(waiting, 0) << "some would have overtaken the one before";
}

TEST(QueueAccess, ThreadsPayForWhatAnotherHasLeft) {
  mechanism::ControlLoop times;
  times.queue_fetch = Nanoseconds{50};
  const auto access = make_access_of_threads(times);
  EXPECT_EQ(access->to_take(0), Nanoseconds{0}) << "nobody has been there";
  EXPECT_EQ(access->to_take(1), Nanoseconds{50});
  access->pushes(1);
  EXPECT_EQ(access->to_take(1), Nanoseconds{0}) << "what it has pushed itself";
  access->pushes(0);
  EXPECT_EQ(access->to_take(1), Nanoseconds{50});
  access->emptied(at_ns(100));
  EXPECT_TRUE(access->looks_filled(at_ns(99)));
  EXPECT_FALSE(access->looks_filled(at_ns(100)));
}

class FillRules : public testing::Test {
 protected:
  /// Four cores, two in each of two shares.
  FillRules() {
    for (std::uint32_t share = 0; share < 2; ++share)
      shares_.push_back({.owned = OwnedCores(types_, std::vector<std::uint32_t>{share, share + 2}, 2), .clusters = {}, .dispatchers = {}});
  }
  std::unique_ptr<FillRule> make(Fill fill) {
    return make_fill_rule({.name = "tested", .mailbox_depth = 2, .fill = fill}, shares_, blocks_, 4);
  }

  std::vector<CoreType> types_ = std::vector<CoreType>(4, CoreType::kSm);
  std::vector<CoreShare> shares_;
  BlockCounts blocks_;
};

TEST_F(FillRules, NotInTailCountsBlocksThatNobodyHasTaken) {
  const auto rule = make(Fill::kNotInTail);
  blocks_ = {.known = 10, .taken = 5};
  EXPECT_EQ(rule->levels(0, CoreType::kSm), 2u);
  blocks_.taken = 6;
  EXPECT_EQ(rule->levels(0, CoreType::kSm), 1u);
}

TEST_F(FillRules, WhenNoCoreIsIdleAsksWhatOthersHaveTold) {
  const auto rule = make(Fill::kWhenNoCoreIdle);
  shares_[1].owned.move(1, 0, 1);
  shares_[1].owned.move(3, 0, 1);
  EXPECT_FALSE(rule->may_fill(0, CoreType::kSm)) << "it has not told yet";
  EXPECT_EQ(rule->tell_idle(1), 1u << static_cast<unsigned>(CoreType::kSm));
  EXPECT_TRUE(rule->may_fill(0, CoreType::kSm));
  EXPECT_FALSE(rule->may_fill(1, CoreType::kSm)) << "share 0 has idle ones";
  EXPECT_EQ(rule->tell_idle(1), 0u) << "no fewer than before";
}

}  // namespace
}  // namespace tasktwin::sim
