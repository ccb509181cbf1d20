#include "models/rules/fill.hpp"

#include <gtest/gtest.h>

#include "models/design/axes.hpp"

namespace tasktwin::rules {
namespace {

TEST(FillRule, AlwaysFillsAhead) { EXPECT_TRUE(may_fill(Fill::kAlways, {.idle_elsewhere = 9, .left = 0, .cores = 9})); }

TEST(FillRule, WhenNoCoreIsIdleWaitsForTheLastOfTheOthers) {
  EXPECT_FALSE(may_fill(Fill::kWhenNoCoreIdle, {.idle_elsewhere = 1, .left = 100, .cores = 4}));
  EXPECT_TRUE(may_fill(Fill::kWhenNoCoreIdle, {.idle_elsewhere = 0, .left = 1, .cores = 4}));
}

TEST(FillRule, TailBeginsWhereNoMoreBlocksAreLeftThanThereAreCores) {
  EXPECT_TRUE(may_fill(Fill::kNotInTail, {.idle_elsewhere = 4, .left = 5, .cores = 4}));
  EXPECT_FALSE(may_fill(Fill::kNotInTail, {.idle_elsewhere = 0, .left = 4, .cores = 4}));
}

TEST(FillRule, WhoTakesSeveralGetsAsManyAsOneAfterTheOther) {
  for (const auto& [fill, word] : Words<Fill>::entries) {
    for (std::uint32_t idle = 0; idle < 2; ++idle) {
      for (std::uint32_t left = 0; left < 12; ++left) {
        std::uint32_t one_by_one = 0;
        while (one_by_one < left && may_fill(fill, {idle, left - one_by_one, 4})) ++one_by_one;
        EXPECT_EQ(most_ahead(fill, {idle, left, 4}), one_by_one) << word << ' ' << left;
      }
    }
  }
}

}  // namespace
}  // namespace tasktwin::rules
