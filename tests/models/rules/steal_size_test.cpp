#include "models/rules/steal_size.hpp"

#include <gtest/gtest.h>

namespace tasktwin::rules {
namespace {

TEST(StealSize, IsNothingOneHalfOrABatch) {
  EXPECT_EQ((StealSize{Stealing::kOff, 4}(9)), 0u);
  EXPECT_EQ((StealSize{Stealing::kOne, 4}(9)), 1u);
  EXPECT_EQ((StealSize{Stealing::kHalf, 4}(8)), 4u);
  EXPECT_EQ((StealSize{Stealing::kBatch, 4}(9)), 4u);
}

TEST(StealSize, LargerHalfOfAnOddNumber) {
  EXPECT_EQ((StealSize{Stealing::kHalf, 4}(9)), 5u);
  EXPECT_EQ((StealSize{Stealing::kHalf, 4}(1)), 1u);
}

TEST(StealSize, BatchIsNoMoreThanIsThere) { EXPECT_EQ((StealSize{Stealing::kBatch, 4}(3)), 3u); }

}  // namespace
}  // namespace tasktwin::rules
