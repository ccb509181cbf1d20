#pragma once

#include "gpu/memory_order.cuh"
#include "gpu/persistent/persistent_run.hpp"
#include "gpu/warp.cuh"

namespace tasktwin::gpu {

/// The words that the dispatcher's warps share about their ready queue.
struct ReadyState {
  std::uint32_t head;  ///< tasks taken
  std::uint32_t tail;  ///< tasks pushed, or on a stack its height
  std::uint32_t lock;  ///< of a stack
};

/// A dispatcher block's ready queue, shared by its warps; whole warps call
///   waiting()      tasks in it, of which another warp may take some first; before take
///   push(items)    a lane's items; kStopTask for none
///   take(wanted)   removes up to so many, and returns how many; at(i), lane by lane, is the i-th of them
/// What a warp has seen before it pushes, whoever takes the task has seen too.
class ReadyQueueBase {
 protected:
  __device__ ReadyQueueBase(ReadyState& state, std::uint32_t* words) : state_(state), words_(words) {}

  template <int kItems>
  __device__ static std::uint32_t count(const std::uint32_t (&items)[kItems]) {
    std::uint32_t total = 0;
#pragma unroll
    for (int i = 0; i < kItems; ++i) total += __popc(__ballot_sync(kAllLanes, items[i] != kStopTask));
    return total;
  }

  /// Calls f(item, its number from `first` on) for every lane's items.
  template <int kItems, class F>
  __device__ static void number(const std::uint32_t (&items)[kItems], std::uint32_t first, F&& f) {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const std::uint32_t lanes = __ballot_sync(kAllLanes, items[i] != kStopTask);
      if (items[i] != kStopTask) f(items[i], first + rank_in(lanes));
      first += __popc(lanes);
    }
  }

  ReadyState& state_;
  std::uint32_t* words_;
};

/// First in, first out. The p-th task pushed stands in entry p of a ring in shared memory, with p, or, where that entry is
/// not yet read, in word p of an overflow in global memory.
class FifoReady : ReadyQueueBase {
 public:
  /// Far more than the places that can be claimed for writing and not yet written: no two writers look at one free entry.
  static constexpr std::uint32_t kEntries = 4096;

  /// The first `roots` tasks stand in the overflow before the run.
  __device__ FifoReady(ReadyState& state, std::uint64_t* ring, std::uint32_t* overflow, std::uint32_t roots)
      : ReadyQueueBase(state, overflow), ring_(ring), roots_(roots) {}

  __device__ std::uint32_t waiting() {
    first_ = __shfl_sync(kAllLanes, BlockWord(state_.head).load(kRelaxed), 0);
    end_ = __shfl_sync(kAllLanes, BlockWord(state_.tail).load(kRelaxed), 0);
    return end_ - first_;
  }

  template <int kItems>
  __device__ void push(const std::uint32_t (&items)[kItems]) {
    const std::uint32_t total = count(items);
    if (total == 0) return;
    std::uint32_t first = 0;
    if (lane_id() == 0) first = BlockWord(state_.tail).fetch_add(total, kRelaxed);
    first = __shfl_sync(kAllLanes, first, 0);
    number(items, first, [this](std::uint32_t item, std::uint32_t place) {
      BlockWord64 entry(ring_[place % kEntries]);
      if (entry.load(kRelaxed) == 0) {
        entry.store(tagged(place, item), kRelease);
      } else {
        BlockWord(words_[place]).store(1 + item, kRelease);
      }
    });
    __syncwarp();
  }

  /// Of those that waiting() has seen.
  __device__ std::uint32_t take(std::uint32_t wanted) {
    std::uint32_t got = 0;
    if (lane_id() == 0) {
      BlockWord head(state_.head);
      do {
        got = first_ < end_ ? min(wanted, end_ - first_) : 0;
      } while (got > 0 && !head.compare_exchange_weak(first_, first_ + got, kRelaxed));
    }
    first_ = __shfl_sync(kAllLanes, first_, 0);
    return __shfl_sync(kAllLanes, got, 0);
  }

  /// Whoever claimed the place for writing has written it, or is about to.
  __device__ std::uint32_t at(std::uint32_t i) const {
    const std::uint32_t place = first_ + i;
    if (place < roots_) return words_[place] - 1;
    BlockWord64 entry(ring_[place % kEntries]);
    for (;;) {
      const std::uint64_t found = entry.load(kAcquire);
      if (static_cast<std::uint32_t>(found >> 32) == 1 + place) {
        entry.store(0, kRelaxed);
        return static_cast<std::uint32_t>(found);
      }
      if (const std::uint32_t word = BlockWord(words_[place]).load(kAcquire); word != 0) return word - 1;
    }
  }

 private:
  __device__ static std::uint64_t tagged(std::uint32_t place, std::uint32_t item) { return std::uint64_t{1 + place} << 32 | item; }

  std::uint64_t* ring_;
  std::uint32_t roots_;
  std::uint32_t first_ = 0;
  std::uint32_t end_ = 0;
};

/// Tasks that a warp has taken, for the queues that cannot give them by number: kStaged words of shared memory a warp.
inline constexpr std::uint32_t kStaged = 64;

/// Last in, first out: a stack of items behind a lock.
class LifoReady : ReadyQueueBase {
 public:
  __device__ LifoReady(ReadyState& state, std::uint32_t* words, std::uint32_t* staged) : ReadyQueueBase(state, words), staged_(staged) {}

  __device__ std::uint32_t waiting() const {
    return __shfl_sync(kAllLanes, lane_id() == 0 ? BlockWord(state_.tail).load(kRelaxed) : 0u, 0);
  }

  template <int kItems>
  __device__ void push(const std::uint32_t (&items)[kItems]) {
    const std::uint32_t total = count(items);
    if (total == 0) return;
    const std::uint32_t height = lock();
    number(items, height, [this](std::uint32_t item, std::uint32_t place) { words_[place] = item; });
    unlock(height + total);
  }

  __device__ std::uint32_t take(std::uint32_t wanted) {
    const std::uint32_t height = lock();
    const std::uint32_t got = min(min(wanted, height), kStaged);
    for (std::uint32_t i = lane_id(); i < got; i += 32) staged_[i] = words_[height - 1 - i];
    unlock(height - got);
    return got;
  }

  __device__ std::uint32_t at(std::uint32_t i) const { return staged_[i]; }

 private:
  __device__ std::uint32_t lock() {
    if (lane_id() == 0) {
      while (BlockWord(state_.lock).exchange(1, kAcquire) != 0) {
      }
    }
    __syncwarp();
    return __shfl_sync(kAllLanes, lane_id() == 0 ? state_.tail : 0u, 0);
  }

  __device__ void unlock(std::uint32_t height) {
    __syncwarp();
    if (lane_id() != 0) return;
    BlockWord(state_.tail).store(height, kRelaxed);
    BlockWord(state_.lock).store(0, kRelease);
  }

  std::uint32_t* staged_;
};

/// By a fixed order: an item is its rank, a bit of a map; a second map has a bit for each word of the first that may hold any.
class RankedReady : ReadyQueueBase {
 public:
  /// Words of both maps for `items`; the second begins behind the first.
  __host__ __device__ static constexpr std::uint32_t words(std::uint32_t items) { return summary_at(items) + bit_words(summary_at(items)); }
  __host__ __device__ static constexpr std::uint32_t summary_at(std::uint32_t items) { return bit_words(items); }

  __device__ RankedReady(ReadyState& state, std::uint32_t* words, std::uint32_t items, std::uint32_t* staged)
      : ReadyQueueBase(state, words), summary_(words + summary_at(items)), summary_words_(bit_words(summary_at(items))), staged_(staged) {}

  __device__ std::uint32_t waiting() const {
    const std::uint32_t end = lane_id() < 2 ? BlockWord(lane_id() == 0 ? state_.head : state_.tail).load(kRelaxed) : 0;
    const auto left = static_cast<std::int32_t>(__shfl_sync(kAllLanes, end, 1) - __shfl_sync(kAllLanes, end, 0));
    return static_cast<std::uint32_t>(max(left, 0));
  }

  template <int kItems>
  __device__ void push(const std::uint32_t (&items)[kItems]) {
    const std::uint32_t total = count(items);
    if (total == 0) return;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (items[i] != kStopTask) set(items[i]);
    }
    __syncwarp();
    if (lane_id() == 0) BlockWord(state_.tail).fetch_add(total, kRelaxed);
  }

  __device__ std::uint32_t take(std::uint32_t wanted) {
    wanted = min(wanted, kStaged);
    std::uint32_t got = 0;
    for (std::uint32_t base = 0; base < summary_words_ && got < wanted; base += 32) {
      std::uint32_t some = base + lane_id() < summary_words_ ? BlockWord(summary_[base + lane_id()]).load(kRelaxed) : 0;
      std::uint32_t lanes;
      while (got < wanted && (lanes = __ballot_sync(kAllLanes, some != 0)) != 0) {
        const int lowest = __ffs(static_cast<int>(lanes)) - 1;
        const std::uint32_t bits = __shfl_sync(kAllLanes, some, lowest);
        got = take_from(32 * (base + static_cast<std::uint32_t>(lowest)) + lane_id(), (bits >> lane_id() & 1u) != 0, got, wanted);
        if (lane_id() == static_cast<std::uint32_t>(lowest)) some = 0;
      }
    }
    __syncwarp();
    if (lane_id() == 0 && got > 0) BlockWord(state_.head).fetch_add(got, kRelaxed);
    return got;
  }

  __device__ std::uint32_t at(std::uint32_t i) const { return staged_[i]; }

 private:
  __host__ __device__ static constexpr std::uint32_t bit_words(std::uint32_t bits) { return (bits + 31) / 32; }

  __device__ void set(std::uint32_t item) {
    BlockWord(words_[item / 32]).fetch_or(1u << item % 32, kAcqRel);
    BlockWord(summary_[item / 1024]).fetch_or(1u << item / 32 % 32, kAcqRel);
  }

  /// Takes the lowest items of 32 words, a lane each, into `staged_` from `got` on; returns how many are there then.
  __device__ std::uint32_t take_from(std::uint32_t word, bool looks, std::uint32_t got, std::uint32_t wanted) {
    std::uint32_t bits = looks ? BlockWord(words_[word]).load(kRelaxed) : 0;
    std::uint32_t before = sum_before(__popc(bits));
    std::uint32_t mine = 0;  // the lowest bits, as far as they are wanted
    for (std::uint32_t left = got + before < wanted ? wanted - got - before : 0; left > 0 && bits != 0; --left) {
      mine |= bits & (0u - bits);
      bits &= bits - 1;
    }
    if (mine != 0) mine &= BlockWord(words_[word]).fetch_and(~mine, kAcqRel);
    if (looks && bits == 0) close(word);
    const auto taken = static_cast<std::uint32_t>(__popc(mine));
    before = sum_before(taken);
    for (std::uint32_t i = got + before; mine != 0; ++i, mine &= mine - 1) {
      staged_[i] = 32 * word + static_cast<std::uint32_t>(__ffs(static_cast<int>(mine))) - 1;
    }
    return got + __shfl_sync(kAllLanes, before + taken, 31);
  }

  /// Takes the word out of the summary, unless it has been written to meanwhile.
  __device__ void close(std::uint32_t word) {
    BlockWord(summary_[word / 32]).fetch_and(~(1u << word % 32), kAcqRel);
    if (BlockWord(words_[word]).load(kRelaxed) != 0) BlockWord(summary_[word / 32]).fetch_or(1u << word % 32, kAcqRel);
  }

  /// The sum over the lanes below.
  __device__ static std::uint32_t sum_before(std::uint32_t value) {
    std::uint32_t through = value;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const std::uint32_t below = __shfl_up_sync(kAllLanes, through, step);
      if (lane_id() >= static_cast<std::uint32_t>(step)) through += below;
    }
    return through - value;
  }

  std::uint32_t* summary_;
  std::uint32_t summary_words_;
  std::uint32_t* staged_;
};

}  // namespace tasktwin::gpu
