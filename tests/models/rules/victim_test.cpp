#include "models/rules/victim.hpp"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tasktwin::rules {
namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> victims(Victim victim, std::uint32_t thief, std::uint32_t queues, std::uint64_t round = 0) {
  const VictimRound order(victim, thief, queues, 1, round);
  std::vector<std::uint32_t> tried;
  for (std::uint32_t attempt = 0; attempt < order.attempts(); ++attempt) tried.push_back(order.queue(attempt));
  return tried;
}

TEST(VictimRule, NextGoesRoundFromTheOneAfterTheThief) { EXPECT_THAT(victims(Victim::kNext, 2, 5), ElementsAre(3, 4, 0, 1)); }

TEST(VictimRule, NearestGoesOutwardsOnBothSides) { EXPECT_THAT(victims(Victim::kNearest, 1, 6), ElementsAre(2, 0, 3, 5, 4)); }

TEST(VictimRule, RandomStridesMeetEachOfTheOthersOnceHoweverManyThereAre) {
  for (const std::uint32_t queues : {2u, 3u, 8u, 132u, (1u << 16) + 2}) {
    std::vector<std::uint32_t> tried = victims(Victim::kRandom, 1, queues, 7);
    std::ranges::sort(tried);
    EXPECT_EQ(std::ranges::adjacent_find(tried), tried.end()) << queues;
    EXPECT_EQ(tried.size(), queues - 1);
    EXPECT_FALSE(std::ranges::binary_search(tried, 1u)) << queues;
    EXPECT_LT(tried.back(), queues);
  }
}

TEST(VictimRule, RandomDrawsAreTheSameFromOneVersionToTheNext) {
  EXPECT_THAT(victims(Victim::kRandom, 3, 8, 5), ElementsAre(6, 7, 0, 1, 2, 4, 5));
  EXPECT_THAT(victims(Victim::kRandom, 0, 6, 0), ElementsAre(2, 1, 5, 4, 3));
}

TEST(VictimRule, AloneThereIsNobody) { EXPECT_TRUE(victims(Victim::kRandom, 0, 1).empty()); }

TEST(VictimRule, CompilerAndRunDrawTheSame) {
  constexpr VictimRound kOrder(Victim::kRandom, 3, 8, 1, 5);
  EXPECT_EQ(victims(Victim::kRandom, 3, 8, 5).front(), kOrder.queue(0));
}

TEST(VictimRule, MostLoadedTriesTheLongestAndOfEqualOnesTheLowest) {
  EXPECT_TRUE(is_tried_before(5, 7, 4, 0));
  EXPECT_FALSE(is_tried_before(4, 0, 5, 7));
  EXPECT_TRUE(is_tried_before(5, 1, 5, 2));
  EXPECT_FALSE(is_tried_before(5, 2, 5, 1));
}

}  // namespace
}  // namespace tasktwin::rules
