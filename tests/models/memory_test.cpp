#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "models/base/random.hpp"
#include "models/memory/caching_allocator.hpp"
#include "models/memory/pool.hpp"

namespace tasktwin {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

/// A block as a list of all blocks knows it.
struct Piece {
  std::uint64_t segment;
  std::uint64_t address;
  std::int64_t bytes;
  std::uint32_t stream;
  bool small;
  bool free;
};

/// PyTorch's allocator again, by looking at every block each time.
class NaiveCache {
 public:
  explicit NaiveCache(MemorySource& source) : source_(source) {}

  std::optional<std::uint64_t> allocate(std::uint32_t stream, std::int64_t bytes) {
    const std::int64_t want = std::max<std::int64_t>(512, (bytes + 511) / 512 * 512);
    const bool small = want <= kMiB;
    Piece* best = nullptr;
    for (Piece& piece : pieces_) {
      if (!piece.free || piece.stream != stream || piece.small != small || piece.bytes < want) continue;
      if (!best || piece.bytes < best->bytes || (piece.bytes == best->bytes && piece.address < best->address)) best = &piece;
    }
    if (!best) {
      const std::int64_t segment = small ? 2 * kMiB : want < 10 * kMiB ? 20 * kMiB : (want + 2 * kMiB - 1) / (2 * kMiB) * (2 * kMiB);
      auto address = source_.allocate(segment);
      if (!address) {
        empty();
        address = source_.allocate(segment);
      }
      if (!address) return std::nullopt;
      pieces_.push_back({*address, *address, segment, stream, small, true});
      best = &pieces_.back();
    }
    const std::int64_t rest = best->bytes - want;
    best->free = false;
    const std::uint64_t address = best->address;
    if (small ? rest >= 512 : rest > kMiB) {
      best->bytes = want;
      pieces_.push_back({best->segment, address + static_cast<std::uint64_t>(want), rest, stream, small, true});
    }
    return address;
  }

  void free(std::uint64_t address) {
    for (Piece& piece : pieces_) piece.free |= piece.address == address;
    std::ranges::sort(pieces_, {}, &Piece::address);
    for (std::size_t i = 0; i + 1 < pieces_.size();) {
      Piece& a = pieces_[i];
      const Piece& b = pieces_[i + 1];
      if (a.segment == b.segment && a.free && b.free) {
        a.bytes += b.bytes;
        pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      } else {
        ++i;
      }
    }
  }

  void empty() {
    std::map<std::uint64_t, int> pieces;
    for (const Piece& piece : pieces_) ++pieces[piece.segment];
    std::erase_if(pieces_, [&](const Piece& piece) {
      const bool whole = piece.free && pieces[piece.segment] == 1;
      if (whole) source_.release(piece.address, piece.bytes);
      return whole;
    });
  }

  std::int64_t sum(bool in_use_only) const {
    std::int64_t bytes = 0;
    for (const Piece& piece : pieces_) bytes += in_use_only && piece.free ? 0 : piece.bytes;
    return bytes;
  }

 private:
  MemorySource& source_;
  std::vector<Piece> pieces_;
};

void expect_tiled(const Segments& segments) {
  const Segments::Block* before = nullptr;
  std::uint64_t end = 0;
  for (const auto& [address, block] : segments.blocks()) {
    ASSERT_GT(block.bytes, 0);
    if (before && before->segment == block.segment) {
      ASSERT_EQ(address, end);
      ASSERT_FALSE(before->free && block.free && before->owner == block.owner) << "free neighbours are joined";
    } else {
      ASSERT_EQ(address, block.segment);
      ASSERT_GE(address, end);
    }
    before = &block;
    end = address + static_cast<std::uint64_t>(block.bytes);
  }
}

TEST(CachingAllocator, RoundsAsPyTorchDoes) {
  EXPECT_EQ(caching_block_bytes(1), 512);
  EXPECT_EQ(caching_block_bytes(512), 512);
  EXPECT_EQ(caching_block_bytes(513), 1024);
  EXPECT_EQ(caching_segment_bytes(kMiB), 2 * kMiB);
  EXPECT_EQ(caching_segment_bytes(kMiB + 512), 20 * kMiB);
  EXPECT_EQ(caching_segment_bytes(10 * kMiB - 512), 20 * kMiB);
  EXPECT_EQ(caching_segment_bytes(10 * kMiB), 10 * kMiB);
  EXPECT_EQ(caching_segment_bytes(10 * kMiB + 512), 12 * kMiB);
}

TEST(CachingAllocator, KeepsWhatIsFreedForItsStream) {
  CountedMemory memory(0, 2 * kMiB);
  CachingAllocator cache(memory);
  const auto first = cache.allocate(1, 3 * kMiB);
  cache.free(first->address);
  EXPECT_EQ(cache.reserved(), 20 * kMiB);
  EXPECT_EQ(cache.used(), 0);
  EXPECT_EQ(cache.asks_for(1, 20 * kMiB), 0);
  EXPECT_EQ(cache.asks_for(2, 3 * kMiB), 20 * kMiB);
  EXPECT_EQ(cache.asks_for(1, kMiB), 2 * kMiB) << "small blocks lie elsewhere";
  EXPECT_EQ(cache.allocate(1, 2 * kMiB)->address, first->address);
  EXPECT_EQ(cache.allocate(2, 2 * kMiB)->segment_bytes, 20 * kMiB);
}

TEST(CachingAllocator, DoesNotSplitOffALargeRestOfAMiBOrLess) {
  CountedMemory memory(0, 1);
  CachingAllocator cache(memory);
  cache.allocate(0, 19 * kMiB);
  EXPECT_EQ(cache.used(), 20 * kMiB);
  cache.allocate(0, 19 * kMiB - 512);
  EXPECT_EQ(cache.used(), 20 * kMiB + 19 * kMiB - 512);
}

TEST(CachingAllocator, EmptiesItselfBeforeItRunsOut) {
  CountedMemory memory(40 * kMiB, 2 * kMiB);
  CachingAllocator cache(memory);
  const auto small = cache.allocate(0, 100);
  const auto large = cache.allocate(0, 30 * kMiB);
  cache.free(large->address);
  EXPECT_FALSE(cache.allocate(1, 39 * kMiB)) << "the small segment is in use";
  EXPECT_EQ(cache.reserved(), 2 * kMiB) << "and the large one is given back in vain";
  const auto other = cache.allocate(1, 38 * kMiB);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->released, 0);
  cache.free(small->address);
  cache.free(other->address);
  const auto all = cache.allocate(2, 40 * kMiB);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->released, 2);
  EXPECT_EQ(all->released_bytes, 40 * kMiB);
}

TEST(CachingAllocator, AgreesWithOneThatLooksAtEveryBlock) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const std::int64_t capacity = seed % 3 == 0 ? 0 : random.between(20, 200) * kMiB;
    CountedMemory memory(capacity, 2 * kMiB);
    CountedMemory shadow(capacity, 2 * kMiB);
    CachingAllocator cache(memory);
    NaiveCache naive(shadow);
    std::vector<std::uint64_t> held;
    for (int step = 0; step < 400; ++step) {
      if (!held.empty() && random.between(0, 1) == 0) {
        const auto i = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(held.size()) - 1));
        cache.free(held[i]);
        naive.free(held[i]);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
      } else if (random.between(0, 60) == 0) {
        cache.empty();
        naive.empty();
      } else {
        const std::int64_t bytes = random.between(1, std::int64_t{1} << random.between(1, 25));
        const auto stream = static_cast<std::uint32_t>(random.between(0, 2));
        const auto grant = cache.allocate(stream, bytes);
        const auto expected = naive.allocate(stream, bytes);
        ASSERT_EQ(grant.has_value(), expected.has_value()) << "seed " << seed << " step " << step;
        if (!grant) continue;
        ASSERT_EQ(grant->address, *expected) << "seed " << seed << " step " << step;
        held.push_back(grant->address);
      }
      ASSERT_EQ(cache.reserved(), naive.sum(false));
      ASSERT_EQ(cache.used(), naive.sum(true));
      ASSERT_EQ(memory.in_use(), cache.reserved()) << "segments are multiples of pages";
      expect_tiled(cache.segments());
    }
  }
}

TEST(StreamPool, GivesAFreedBlockToItsStreamAtOnceAndToOthersOncePassed) {
  CountedMemory memory(0, 1);
  StreamPool pool(memory, 32 * kMiB);
  const auto first = pool.allocate(0, 32 * kMiB);
  EXPECT_EQ(first->segment_bytes, 32 * kMiB);
  const std::uint32_t free = pool.free(first->address, 0);
  EXPECT_EQ(pool.used(), 0);
  EXPECT_EQ(pool.allocate(1, 32 * kMiB)->segment_bytes, 32 * kMiB) << "the device has not come to the free";
  const auto again = pool.allocate(0, kMiB);
  EXPECT_EQ(again->address, first->address);
  pool.pass(free);
  const auto other = pool.allocate(1, 31 * kMiB);
  EXPECT_EQ(other->address, first->address + kMiB) << "the rest of it";
  EXPECT_EQ(pool.reserved(), 64 * kMiB);
}

TEST(StreamPool, PassesAllFreesOfAllStreamsTogether) {
  CountedMemory memory(0, 1);
  StreamPool pool(memory, 32 * kMiB);
  for (const std::uint32_t stream : {0u, 1u}) pool.free(pool.allocate(stream, 32 * kMiB)->address, stream);
  EXPECT_EQ(pool.allocate(2, 32 * kMiB)->segment_bytes, 32 * kMiB);
  pool.pass_all();
  EXPECT_EQ(pool.allocate(2, 32 * kMiB)->segment_bytes, 0);
  EXPECT_EQ(pool.allocate(2, 32 * kMiB)->segment_bytes, 0);
  EXPECT_EQ(pool.reserved(), 96 * kMiB);
}

TEST(StreamPool, GrowsByWhatItsLastBlockLeavesMissing) {
  CountedMemory memory(0, 1);
  StreamPool pool(memory, 32 * kMiB);
  const auto first = pool.allocate(0, 34 * kMiB);
  EXPECT_EQ(first->segment_bytes, 64 * kMiB);
  const auto second = pool.allocate(1, 34 * kMiB);
  EXPECT_EQ(second->segment_bytes, 32 * kMiB) << "30 of 64 were left";
  EXPECT_EQ(second->address, first->address + 34 * kMiB);
  for (int i = 2; i < 16; ++i) pool.allocate(static_cast<std::uint32_t>(i), 34 * kMiB);
  EXPECT_EQ(pool.reserved(), 544 * kMiB);

  StreamPool apart(memory, 32 * kMiB, false);
  for (int i = 0; i < 16; ++i) apart.allocate(static_cast<std::uint32_t>(i), 34 * kMiB);
  EXPECT_EQ(apart.reserved(), 16 * 64 * kMiB);
}

TEST(StreamPool, GivesBackTheSegmentsThatAFreeBlockFills) {
  CountedMemory memory(0, 1);
  StreamPool pool(memory, 32 * kMiB);
  const auto low = pool.allocate(0, 10 * kMiB);
  const auto middle = pool.allocate(0, 100 * kMiB);  // from 10 to 110 of 128: the second and the third segment lie in it
  const auto high = pool.allocate(0, 10 * kMiB);
  pool.pass(pool.free(middle->address, 0));
  const StreamPool::Trimmed trimmed = pool.trim();
  EXPECT_EQ(trimmed.segments, 2);
  EXPECT_EQ(trimmed.bytes, 64 * kMiB);
  EXPECT_EQ(pool.reserved(), 64 * kMiB);
  expect_tiled(pool.segments());
  EXPECT_EQ(pool.allocate(1, 22 * kMiB)->address, low->address + 10 * kMiB) << "what is left below";
  EXPECT_EQ(pool.allocate(1, 14 * kMiB)->address, high->address - 14 * kMiB) << "and above";
}

TEST(StreamPool, TrimsOnlyWhatIsWhollyFreeAndPassed) {
  CountedMemory memory(64 * kMiB, 1);
  StreamPool pool(memory, 32 * kMiB);
  const auto a = pool.allocate(0, 10 * kMiB);
  const auto b = pool.allocate(0, 10 * kMiB);
  const std::uint32_t free_a = pool.free(a->address, 0);
  pool.pass(free_a);
  EXPECT_EQ(pool.trim().bytes, 0);
  const std::uint32_t free_b = pool.free(b->address, 0);
  EXPECT_EQ(pool.trim().bytes, 0) << "not passed";
  pool.pass(free_b);
  EXPECT_EQ(pool.trim().bytes, 32 * kMiB);
  EXPECT_EQ(pool.reserved(), 0);
  EXPECT_EQ(memory.in_use(), 0);
  EXPECT_FALSE(pool.allocate(0, 65 * kMiB));
}

TEST(StreamPool, NeverGivesOutWhatIsInUse) {
  struct Held {
    std::uint64_t address;
    std::int64_t bytes;
  };
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    CountedMemory memory(random.between(0, 1) * 256 * kMiB, 1);
    StreamPool pool(memory, random.between(1, 32) * kMiB);
    std::vector<std::map<std::uint64_t, Held>> by_stream(3);
    std::vector<std::vector<std::pair<std::uint32_t, Held>>> pending(3);  // in stream order
    std::int64_t used = 0;
    for (int step = 0; step < 500; ++step) {
      const auto s = static_cast<std::size_t>(random.between(0, 2));
      const std::int64_t what = random.between(0, 9);
      if (what < 5) {
        const std::int64_t bytes = random.between(1, std::int64_t{1} << random.between(1, 24));
        const auto grant = pool.allocate(static_cast<std::uint32_t>(s), bytes);
        if (!grant) continue;
        const std::uint64_t end = grant->address + static_cast<std::uint64_t>(bytes);
        const auto apart = [&](const Held& other) {
          return end <= other.address || other.address + static_cast<std::uint64_t>(other.bytes) <= grant->address;
        };
        for (std::size_t stream = 0; stream < 3; ++stream) {
          for (const auto& [address, other] : by_stream[stream]) ASSERT_TRUE(apart(other)) << "seed " << seed << " step " << step;
          if (stream == s) continue;
          for (const auto& [number, other] : pending[stream]) ASSERT_TRUE(apart(other)) << "freed elsewhere, and not passed";
        }
        by_stream[s].emplace(grant->address, Held{grant->address, bytes});
        used += (bytes + 255) / 256 * 256;
      } else if (what < 8 && !by_stream[s].empty()) {
        const Held held = by_stream[s].begin()->second;
        by_stream[s].erase(by_stream[s].begin());
        pending[s].emplace_back(pool.free(held.address, static_cast<std::uint32_t>(s)), held);
        used -= (held.bytes + 255) / 256 * 256;
      } else if (what == 8 && !pending[s].empty()) {
        pool.pass(pending[s].front().first);
        pending[s].erase(pending[s].begin());
      } else if (what == 9) {
        pool.trim();
      }
      ASSERT_EQ(pool.used(), used);
      ASSERT_EQ(pool.reserved(), memory.in_use());
      expect_tiled(pool.segments());
    }
  }
}

}  // namespace
}  // namespace tasktwin
