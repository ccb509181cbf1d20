#include "gpu/run/memory_of_run.hpp"

#include <gtest/gtest.h>

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;

TEST(MemoryOfRun, MemoryThatComesAndGoesIsWaitedForByItsSize) {
  EXPECT_EQ(settling_time(0), 0ms);
  EXPECT_EQ(settling_time(1 << 20), 0ms);
  EXPECT_GE(settling_time(4'800'000'000), 9ms);
  EXPECT_LE(settling_time(4'800'000'000), 15ms);
}

TEST(MemoryOfRun, NobodyWaitsForever) { EXPECT_EQ(settling_time(std::int64_t{1} << 50), 200ms); }

}  // namespace
}  // namespace tasktwin::gpu
