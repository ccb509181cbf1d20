// Fences that end together.
#include "sim/cores/fence_rounds.hpp"

#include <gtest/gtest.h>

namespace tasktwin::sim {
namespace {

constexpr TimePoint at(std::int64_t ns) { return TimePoint{Duration{ns}}; }

TEST(FenceRounds, OneByItselfTakesItsOwnTime) {
  FenceRounds fences(Nanoseconds{8});
  EXPECT_EQ(fences.end(at(3), at(18)), at(18));
  EXPECT_EQ(fences.end(at(18), at(33)), at(33)) << "the one before has just ended";
  EXPECT_EQ(fences.end(at(100), at(115)), at(115));
}

TEST(FenceRounds, OneThatComesMeanwhileEndsWithTheFirstRoundThatLeavesItItsTime) {
  FenceRounds fences(Nanoseconds{8});
  EXPECT_EQ(fences.end(at(0), at(15)), at(15));
  EXPECT_EQ(fences.end(at(0), at(15)), at(15)) << "together with it";
  EXPECT_EQ(fences.end(at(1), at(16)), at(23));
  EXPECT_EQ(fences.end(at(8), at(23)), at(23));
  EXPECT_EQ(fences.end(at(20), at(35)), at(39)) << "rounds go on from those under way";
  EXPECT_EQ(fences.end(at(39), at(54)), at(54)) << "nothing is under way any more";
}

TEST(FenceRounds, ReachBackToThoseToldLater) {
  FenceRounds fences(Nanoseconds{8});
  EXPECT_EQ(fences.end(at(100), at(115)), at(115));
  EXPECT_EQ(fences.end(at(50), at(60)), at(67));
  EXPECT_EQ(fences.end(at(52), at(67)), at(67));
}

TEST(FenceRounds, OfNoLengthEndEachByItself) {
  FenceRounds fences(Nanoseconds{0});
  EXPECT_EQ(fences.end(at(0), at(15)), at(15));
  EXPECT_EQ(fences.end(at(1), at(16)), at(16));
}

}  // namespace
}  // namespace tasktwin::sim
