#include <gtest/gtest.h>

#include <vector>

#include "models/memory/pool.hpp"

namespace tasktwin {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

TEST(StreamPool, TakesFromOneOtherStreamAfterAnother) {
  CountedMemory memory(0, 1);
  StreamPool pool(memory, 32 * kMiB);
  std::vector<std::uint64_t> blocks;
  for (const std::uint32_t stream : {0u, 1u, 2u}) blocks.push_back(pool.allocate(stream, (stream + 1) * kMiB)->address);
  for (const std::uint32_t stream : {0u, 1u, 2u}) pool.pass(pool.free(blocks[stream], stream));
  EXPECT_EQ(pool.users(), 3U);
  EXPECT_FALSE(pool.take(0, 2 * kMiB)) << "neither its own nor everybody's";
  EXPECT_FALSE(pool.take_from(1, 0, 3 * kMiB));
  EXPECT_EQ(pool.take_from(1, 0, 2 * kMiB)->address, blocks[1]);
  EXPECT_FALSE(pool.take_from(2, 0, 4 * kMiB)) << "no stream alone has it";
  const auto joined = pool.allocate(0, 4 * kMiB);
  EXPECT_EQ(joined->segment_bytes, 0) << "but what has passed and the end are joined";
  EXPECT_EQ(joined->address, blocks[2]);
}

TEST(StreamPool, AsksStreamsOfWhichNothingTellsHowFarTheyHaveCome) {
  CountedMemory memory(0, 1);
  StreamPool pool(memory, 32 * kMiB);
  const auto block = pool.allocate(0, kMiB);
  EXPECT_TRUE(pool.must_ask(0));
  pool.launched(0);
  EXPECT_FALSE(pool.must_ask(0)) << "the launch tells";
  const std::uint32_t free = pool.free(block->address, 0);
  EXPECT_FALSE(pool.must_ask(0)) << "the launch before it has not ended";
  pool.pass(free);
  EXPECT_TRUE(pool.must_ask(0));
}

TEST(StreamPool, TakesWhatIsEverybodysBeforeOthersButAtTheEndBehind) {
  CountedMemory memory(0, 1);
  StreamPool pool(memory, 32 * kMiB);
  const auto low = pool.allocate(0, 10 * kMiB);
  const auto held = pool.allocate(0, kMiB);
  pool.pass(pool.free(low->address, 0));
  pool.collect();
  EXPECT_EQ(pool.take(1, 8 * kMiB)->address, low->address);
  EXPECT_FALSE(pool.take(1, 8 * kMiB)) << "all that is left lies behind what is held";
  const auto end = pool.grow(1, 8 * kMiB);
  EXPECT_EQ(end->address, held->address + kMiB);
  EXPECT_EQ(end->segment_bytes, 0);
}

TEST(StreamPool, MapsSegmentsThatLieFreeElsewhereBeforeNewOnes) {
  CountedMemory memory(0, 1);
  StreamPool pool(memory, 32 * kMiB);
  std::vector<std::uint64_t> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(pool.allocate(0, 32 * kMiB)->address);
  for (const int i : {0, 2}) pool.pass(pool.free(blocks[static_cast<std::size_t>(i)], 0));
  pool.collect();
  const auto large = pool.allocate(1, 96 * kMiB);
  EXPECT_EQ(large->address, blocks[3] + 32 * kMiB);
  EXPECT_EQ(large->segment_bytes, 96 * kMiB);
  EXPECT_EQ(pool.reserved(), 160 * kMiB) << "two moved, one new";
  const auto back = pool.allocate(2, 32 * kMiB);
  EXPECT_EQ(back->address, blocks[0]) << "addresses stay, and are mapped again";
  EXPECT_EQ(back->segment_bytes, 32 * kMiB);
  EXPECT_EQ(pool.reserved(), 192 * kMiB);
  EXPECT_EQ(pool.reserved(), memory.in_use());
}

}  // namespace
}  // namespace tasktwin
