// Blocks that a core holds at a time.
#include "models/cost/occupancy.hpp"

#include <gtest/gtest.h>

namespace tasktwin {
namespace {

/// Of an H100's core.
constexpr CoreLimits limits() { return {.blocks = 32, .threads = 2048, .registers = 65536, .shared_memory = 233472, .reserved = 1024}; }

std::int64_t blocks(std::int64_t threads, std::int64_t registers, std::int64_t shared_memory) {
  return blocks_a_core(block_room(threads, registers, shared_memory, limits()), limits());
}

TEST(Occupancy, BlocksOnACoreAreLimitedByWhatRunsOutFirst) {
  EXPECT_EQ(blocks(32, 16, 0), 32);
  EXPECT_EQ(blocks(256, 16, 0), 8);
  EXPECT_EQ(blocks(250, 16, 0), 8);  // whole warps
  EXPECT_EQ(blocks(256, 128, 0), 2);
  EXPECT_EQ(blocks(256, 16, 100 * 1024), 2);
  EXPECT_EQ(blocks(32, 16, 10 * 1024), 20);  // 22 without what the hardware reserves
}

TEST(Occupancy, AWarpHasItsRegistersInWholeUnits) {
  EXPECT_EQ(block_room(64, 17, 0, limits()).registers, 2 * 3 * 256);
  EXPECT_EQ(block_room(33, 8, 0, limits()).registers, 2 * 256);
}

TEST(Occupancy, ABlockLargerThanACoreFindsNoRoom) { EXPECT_EQ(blocks(4096, 16, 0), 0); }

}  // namespace
}  // namespace tasktwin
