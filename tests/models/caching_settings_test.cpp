// Settings of the caching allocator, by hand.
#include <gtest/gtest.h>

#include "models/memory/caching_allocator.hpp"

namespace tasktwin {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

TEST(CachingSettings, ABlockOfTheLimitIsNotSplitForASmallerRequest) {
  CountedMemory memory(0, 1);
  CachingAllocator plain(memory);
  plain.free(plain.allocate(0, 64 * kMiB)->address);
  EXPECT_EQ(plain.allocate(0, 10 * kMiB)->segment_bytes, 0);
  CachingAllocator limited(memory, {.max_split = 32 * kMiB});
  limited.free(limited.allocate(0, 64 * kMiB)->address);
  EXPECT_EQ(limited.allocate(0, 10 * kMiB)->segment_bytes, 10 * kMiB);
  EXPECT_EQ(limited.reserved(), 74 * kMiB);
}

TEST(CachingSettings, ABlockOfTheLimitGoesToARequestThatIsLessThan20MiBSmaller) {
  CountedMemory memory(0, 1);
  CachingAllocator cache(memory, {.max_split = 32 * kMiB});
  cache.free(cache.allocate(0, 64 * kMiB)->address);
  EXPECT_EQ(cache.allocate(0, 44 * kMiB)->segment_bytes, 44 * kMiB) << "20 MiB smaller";
  EXPECT_EQ(cache.allocate(0, 45 * kMiB)->segment_bytes, 0);
  EXPECT_EQ(cache.used(), (44 + 64) * kMiB) << "the block is given whole";
}

TEST(CachingSettings, AnExpandableSegmentGrowsByWhatItsEndLacks) {
  CountedMemory memory(0, 1);
  CachingAllocator cache(memory, {.expandable = true});
  const auto first = cache.allocate(0, 12 * kMiB);
  EXPECT_EQ(first->segment_bytes, 20 * kMiB);
  const auto second = cache.allocate(0, 12 * kMiB);  // 8 MiB are left at the end
  EXPECT_EQ(second->segment_bytes, 20 * kMiB);
  EXPECT_EQ(second->address, first->address + 12 * kMiB);
  cache.free(first->address);
  cache.free(second->address);
  EXPECT_EQ(cache.allocate(0, 30 * kMiB)->segment_bytes, 0) << "one block of 40 MiB";
  EXPECT_EQ(cache.reserved(), 40 * kMiB);
  EXPECT_EQ(cache.allocate(1, 512)->segment_bytes, 2 * kMiB) << "another stream has a segment of its own";
}

TEST(CachingSettings, WholePagesAreGivenBackWhereMemoryRunsOut) {
  CountedMemory memory(40 * kMiB, 1);
  CachingAllocator cache(memory, {.expandable = true});
  const auto first = cache.allocate(0, 12 * kMiB);
  const auto second = cache.allocate(0, 12 * kMiB);
  EXPECT_FALSE(cache.allocate(0, 30 * kMiB)) << "the free 16 MiB are no whole page";
  cache.free(first->address);
  cache.free(second->address);
  const auto small = cache.allocate(0, 1024);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->released_bytes, 40 * kMiB);
  EXPECT_EQ(cache.reserved(), 2 * kMiB);
  EXPECT_EQ(cache.allocate(0, 5 * kMiB)->segment_bytes, 20 * kMiB) << "mapped anew";
}

}  // namespace
}  // namespace tasktwin
