// What holds up bodies that run in kernels launched by kernels.
#include "sim/device_launch/stalls.hpp"

#include <gtest/gtest.h>

namespace tasktwin::sim {
namespace {

constexpr TimePoint at(std::int64_t ns) { return TimePoint{Duration{ns}}; }

TEST(Stalls, AddUpOneBehindTheOtherAndPassTogetherWhereTheyOverlap) {
  Stalls stalls;
  EXPECT_EQ(stalls.until(at(10)), Duration{0});
  stalls.add(at(100), Duration{20});
  stalls.add(at(50), Duration{5});
  EXPECT_EQ(stalls.until(at(49)), Duration{0});
  EXPECT_EQ(stalls.until(at(50)), Duration{5});
  EXPECT_EQ(stalls.until(at(99)), Duration{5}) << "the one to come is not counted yet";
  EXPECT_EQ(stalls.until(at(100)), Duration{25});
  stalls.add(at(105), Duration{10});
  EXPECT_EQ(stalls.until(at(110)), Duration{25}) << "within the one before";
  stalls.add(at(115), Duration{10});
  EXPECT_EQ(stalls.until(at(130)), Duration{30}) << "half of it";
}

}  // namespace
}  // namespace tasktwin::sim
