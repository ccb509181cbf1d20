// Cache lines of dependency counters that control cores take from each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/line_owners.hpp"
#include "tests/sim/dispatched_world.hpp"

namespace tasktwin::sim {
namespace {

TEST(LineOwners, ALineComesLateToWhoHasNotHadItLast) {
  LineOwners owners(100, 2);
  EXPECT_TRUE(owners.touch(0, 3, at_ns(0))) << "nobody has had it";
  EXPECT_FALSE(owners.touch(0, 3, at_ns(10)));
  EXPECT_TRUE(owners.touch(1, 3, at_ns(20)));
  EXPECT_FALSE(owners.touch(1, 3, at_ns(30)));
  EXPECT_TRUE(owners.touch(0, 3, at_ns(40)));
  EXPECT_TRUE(owners.touch(0, 4, at_ns(50))) << "another line";
}

TEST(LineOwners, WhoHadItBeforeTakesItBackAsLongAsItIsAtItsRows) {
  LineOwners owners(100, 2);
  owners.touch(0, 3, at_ns(0));
  owners.finish(0, at_ns(100));
  owners.touch(1, 3, at_ns(60));
  EXPECT_TRUE(owners.touch(1, 3, at_ns(90)));
  EXPECT_FALSE(owners.touch(1, 3, at_ns(100)));
}

TEST(LineOwners, DispatchersOfOneLaneFetchTheirSuccessorsCounters) {
  // a and b begin together, one dispatcher each. a ends at 20, b at 30, c 7 after it begins; the counters of all their successors share a
  // line.
  const TaskGraph graph = small_graph({{"a", 20}, {"b", 30}, {"c", 7}, {"d", 50}, {"e", 5}}, {{0, 2}, {1, 3}, {2, 4}});
  const auto ready = [&graph](int dispatchers) {
    DispatchedWorld world(2, dispatchers);
    world.design.dispatchers = dispatchers;
    world.machine.constants.resolve_line = Nanoseconds{7};
    return times<&TaskTimes::ready>(world.run(graph));
  };
  EXPECT_THAT(ready(1), testing::ElementsAre(0, 0, 20, 30, 27));
  EXPECT_THAT(ready(2), testing::ElementsAre(0, 0, 27, 37, 41));
}

}  // namespace
}  // namespace tasktwin::sim
