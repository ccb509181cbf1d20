#include "models/rules/claim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tasktwin::rules {
namespace {

/// The sizes of the claims that take `blocks`, one after the other.
std::vector<std::uint32_t> claims(const ClaimRule& rule, std::uint32_t blocks, std::uint32_t usable) {
  std::vector<std::uint32_t> sizes;
  while (blocks > 0) {
    sizes.push_back(std::min(blocks, claim_size(rule, blocks, usable)));
    blocks -= sizes.back();
  }
  return sizes;
}

TEST(ClaimRule, AllIsWhatCanBeUsedAtOnce) { EXPECT_THAT(claims({Claim::kAll, 2, 3}, 10, 4), testing::ElementsAre(4, 4, 2)); }

TEST(ClaimRule, FixedIsTheDesignsSizeWhateverCanBeUsed) {
  EXPECT_THAT(claims({Claim::kFixed, 4, 3}, 10, 1), testing::ElementsAre(4, 4, 2));
}

TEST(ClaimRule, GuidedIsWhatIsUnclaimedOverTwiceTheTakersAndShrinks) {
  EXPECT_THAT(claims({Claim::kGuided, 1, 2}, 20, 1), testing::ElementsAre(5, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1));
}

TEST(ClaimRule, GuidedIsNeverLessThanTheDesignsSize) {
  EXPECT_THAT(claims({Claim::kGuided, 4, 2}, 20, 1), testing::ElementsAre(5, 4, 4, 4, 3));
}

TEST(BatchRule, GraphHoldsWhatIsClaimedAndOfAGuidedClaimWhatFillsTheMachine) {
  EXPECT_EQ(largest_batch({Claim::kAll, 200, 1}, 132), 132u);
  EXPECT_EQ(largest_batch({Claim::kFixed, 16, 1}, 132), 16u);
  EXPECT_EQ(largest_batch({Claim::kGuided, 16, 1}, 132), 132u);
  EXPECT_EQ(largest_batch({Claim::kGuided, 200, 1}, 132), 200u) << "at least the design's size";
}

TEST(BatchRule, GuidedBatchFillsTheMachineUntilLessThanTwiceItsCoresIsLeft) {
  const ClaimRule rule{Claim::kGuided, 16, 1};
  EXPECT_EQ(next_batch(rule, 1000, 132), 132u);
  EXPECT_EQ(next_batch(rule, 200, 132), 100u);
  EXPECT_EQ(next_batch(rule, 10, 132), 16u);
  EXPECT_EQ(next_batch({Claim::kAll, 1, 1}, 10, 132), 132u);
  EXPECT_EQ(next_batch({Claim::kFixed, 16, 1}, 10, 16), 16u);
}

}  // namespace
}  // namespace tasktwin::rules
