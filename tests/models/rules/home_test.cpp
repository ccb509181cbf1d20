#include "models/rules/home.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tasktwin::rules {
namespace {

using testing::ElementsAre;

constexpr auto kAny = [](std::uint32_t) { return true; };
constexpr auto kAllButTheSecond = [](std::uint32_t home) { return home != 1; };

TEST(HomeRule, ShardsArePerTakerUnlessTheDesignSaysHowManyAndNoneIsNobodys) {
  EXPECT_EQ(home_count(ReadyQueue::kPerDispatcher, 0, 4), 4u);
  EXPECT_EQ(home_count(ReadyQueue::kSharded, 0, 4), 4u);
  EXPECT_EQ(home_count(ReadyQueue::kSharded, 3, 4), 3u);
  EXPECT_EQ(home_count(ReadyQueue::kSharded, 9, 4), 4u);
  EXPECT_EQ(home_count(ReadyQueue::kShared, 0, 4), 1u);
}

TEST(HomeRule, OfATakerIsItsNumberModuloTheirs) {
  EXPECT_EQ(home_of(2, 3), 2u);
  EXPECT_EQ(home_of(3, 3), 0u);
}

TEST(HomeRule, WhatIsPushedStaysThereOrGoesToTheNextThatCanUseIt) {
  EXPECT_EQ(first_usable(1, 3, kAny), 1u);
  EXPECT_EQ(first_usable(1, 3, kAllButTheSecond), 2u);
  EXPECT_EQ(first_usable(2, 3, [](std::uint32_t home) { return home == 1; }), 1u) << "past the end";
  EXPECT_EQ(first_usable(2, 3, [](std::uint32_t) { return false; }), 2u);
}

TEST(HomeRule, WhatNobodyPushesIsDealtOutInTurnToThoseThatCanUseIt) {
  std::uint32_t turn = 0;
  std::vector<std::uint32_t> homes;
  for (int i = 0; i < 4; ++i) homes.push_back(deal(turn, 3, kAllButTheSecond));
  EXPECT_THAT(homes, ElementsAre(0, 2, 0, 2));
  homes.clear();
  for (int i = 0; i < 4; ++i) homes.push_back(deal(turn, 3, kAny));
  EXPECT_THAT(homes, ElementsAre(0, 1, 2, 0));
}

}  // namespace
}  // namespace tasktwin::rules
