#pragma once

#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/shared_pointer.cuh"
#include "gpu/cuda/shared_word.cuh"
#include "gpu/cuda/warp.cuh"
#include "gpu/persistent/launch/persistent_run.hpp"
#include "gpu/persistent/queues/ready_words.hpp"

namespace tasktwin::gpu {

/// The words that the dispatcher's warps share about their ready queue.
struct alignas(8) ReadyState {
  std::uint32_t head;  ///< tasks taken
  std::uint32_t tail;  ///< tasks pushed, or on a stack its height
  std::uint32_t lock;  ///< of a stack
};

/// A dispatcher block's ready queue, shared by its warps; whole warps call
///   waiting()      tasks in it, of which another warp may take some first; before take
///   push(items)    a lane's items; kStopTask for none
///   take(wanted)   removes up to that many, and returns how many; lane by lane at(i) is the i-th of them, and at(i, n, items) those from
///                  the i-th on, up to n
/// What a warp has seen before it pushes, the warp that takes the task has seen too.
class ReadyQueueBase {
 protected:
  __device__ ReadyQueueBase(ReadyState& state, std::uint32_t* words) : state_(state), words_(words) {}

  /// Of the items that lanes have.
  template <int kItems>
  __device__ static Share share_of(const std::uint32_t (&items)[kItems]) {
    std::uint32_t own = 0;
#pragma unroll
    for (int i = 0; i < kItems; ++i) own += items[i] != kStopTask ? 1 : 0;
    return share<kItems>(own);
  }

  /// Calls f(item, its number from `first` on) for the lane's items.
  template <int kItems, class F>
  __device__ static void number(const std::uint32_t (&items)[kItems], std::uint32_t first, F&& f) {
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (items[i] != kStopTask) f(items[i], first++);
    }
  }

  ReadyState& state_;
  std::uint32_t* words_;
};

/// First in, first out. The p-th task pushed is in entry p of a ring in shared memory, with p, or, where that entry is
/// not yet read, in word p of an overflow in global memory.
class FifoReady : ReadyQueueBase {
 public:
  /// Far more than the places that can be claimed for writing and not yet written: no two writers look at one free entry.
  static constexpr std::uint32_t kEntries = 4096;

  /// The first `roots` tasks are in the overflow before the run.
  __device__ FifoReady(ReadyState& state, std::uint64_t* ring, std::uint32_t* overflow, std::uint32_t roots)
      : ReadyQueueBase(state, overflow), ends_(shared_address(state)), ring_(shared_address(*ring)), roots_(roots) {}

  __device__ std::uint32_t waiting() {
    const uint2 ends = SharedPair(ends_).load();
    first_ = __shfl_sync(kAllLanes, ends.x, 0);
    end_ = __shfl_sync(kAllLanes, ends.y, 0);
    return end_ - first_;
  }

  template <int kItems>
  __device__ void push(const std::uint32_t (&items)[kItems]) {
    const Share all = share_of(items);
    if (all.total == 0) return;
    std::uint32_t first = 0;
    if (lane_id() == 0) first = SharedWord(ends_ + offsetof(ReadyState, tail)).fetch_add(all.total);
    release_fence_in_block();
    first = __shfl_sync(kAllLanes, first, 0);
    number(items, first + all.before, [this](std::uint32_t item, std::uint32_t place) {
      const SharedPair entry = at_place(place);
      if (entry.load().y == 0) {
        entry.store({item, 1 + place});
      } else {
        BlockWord(words_[place]).store(1 + item, kRelaxed);
      }
    });
    __syncwarp();
  }

  /// Of those that waiting() has seen.
  __device__ std::uint32_t take(std::uint32_t wanted) {
    std::uint32_t got = 0;
    if (lane_id() == 0) {
      const SharedWord head(ends_ + offsetof(ReadyState, head));
      for (std::uint32_t before = first_;; first_ = before) {
        got = first_ < end_ ? min(wanted, end_ - first_) : 0;
        if (got == 0 || (before = head.compare_exchange(first_, first_ + got)) == first_) break;
      }
    }
    first_ = __shfl_sync(kAllLanes, first_, 0);
    return __shfl_sync(kAllLanes, got, 0);
  }

  /// The warp that claimed the place for writing has written it, or is about to.
  __device__ std::uint32_t at(std::uint32_t i) const {
    const std::uint32_t place = first_ + i;
    if (place < roots_) return words_[place] - 1;
    const SharedPair entry = at_place(place);
    for (;;) {
      const uint2 found = entry.load();
      if (found.y == 1 + place) {
        entry.store({0, 0});
        acquire_fence_in_block();
        return found.x;
      }
      if (const std::uint32_t word = BlockWord(words_[place]).load(kAcquire); word != 0) return word - 1;
    }
  }

  template <int kItems>
  __device__ void at(std::uint32_t i, std::uint32_t n, std::uint32_t (&items)[kItems]) const {
    if (first_ + i + kItems <= roots_) {  // they need not be waited for
#pragma unroll
      for (int k = 0; k < kItems; ++k) items[k] = words_[first_ + i + k] - 1;
      return;
    }
#pragma unroll
    for (int k = 0; k < kItems; ++k) items[k] = k < n ? at(i + k) : 0;
  }

 private:
  __device__ SharedPair at_place(std::uint32_t place) const {
    return SharedPair(ring_ + place % kEntries * static_cast<std::uint32_t>(sizeof(std::uint64_t)));
  }

  std::uint32_t ends_;  ///< head and tail, in shared memory
  std::uint32_t ring_;  ///< an entry is an item and 1 + its place; 0 and 0 when free
  std::uint32_t roots_;
  std::uint32_t first_ = 0;
  std::uint32_t end_ = 0;
};

/// Tasks that a warp has taken, for the queues that cannot give them by number: kStaged words of shared memory a warp.
inline constexpr std::uint32_t kStaged = 64;

/// A queue that puts what it takes there.
class StagedReady : protected ReadyQueueBase {
 public:
  __device__ std::uint32_t at(std::uint32_t i) const { return staged_[i]; }

  template <int kItems>
  __device__ void at(std::uint32_t i, std::uint32_t n, std::uint32_t (&items)[kItems]) const {
#pragma unroll
    for (int k = 0; k < kItems; ++k) items[k] = k < n ? staged_[i + k] : 0;
  }

 protected:
  __device__ StagedReady(ReadyState& state, std::uint32_t* words, std::uint32_t* staged) : ReadyQueueBase(state, words), staged_(staged) {}

  std::uint32_t* staged_;
};

/// Last in, first out: a stack of items under a lock.
class LifoReady : public StagedReady {
 public:
  __device__ LifoReady(ReadyState& state, std::uint32_t* words, std::uint32_t* staged) : StagedReady(state, words, staged) {}

  __device__ std::uint32_t waiting() const {
    return __shfl_sync(kAllLanes, lane_id() == 0 ? BlockWord(state_.tail).load(kRelaxed) : 0u, 0);
  }

  template <int kItems>
  __device__ void push(const std::uint32_t (&items)[kItems]) {
    const Share all = share_of(items);
    if (all.total == 0) return;
    const std::uint32_t height = lock();
    number(items, height + all.before, [this](std::uint32_t item, std::uint32_t place) { words_[place] = item; });
    unlock(height + all.total);
  }

  __device__ std::uint32_t take(std::uint32_t wanted) {
    const std::uint32_t height = lock();
    const std::uint32_t got = min(min(wanted, height), kStaged);
    for (std::uint32_t i = lane_id(); i < got; i += 32) staged_[i] = words_[height - 1 - i];
    unlock(height - got);
    return got;
  }

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
};

/// By a fixed order: an item is its rank, in the maps of ready_words.hpp.
class RankedReady : public StagedReady {
 public:
  __device__ RankedReady(ReadyState& state, std::uint32_t* words, std::uint32_t items, std::uint32_t* staged)
      : StagedReady(state, words, staged), summary_(words + rank_summary_at(items)), summary_words_(bit_words(rank_summary_at(items))) {}

  __device__ std::uint32_t waiting() const {
    const std::uint32_t end = lane_id() < 2 ? BlockWord(lane_id() == 0 ? state_.head : state_.tail).load(kRelaxed) : 0;
    const auto left = static_cast<std::int32_t>(__shfl_sync(kAllLanes, end, 1) - __shfl_sync(kAllLanes, end, 0));
    return static_cast<std::uint32_t>(max(left, 0));
  }

  template <int kItems>
  __device__ void push(const std::uint32_t (&items)[kItems]) {
    const std::uint32_t total = share_of(items).total;
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

 private:
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
};

/// Either of the two as the design asks for it: a branch costs nothing next to their atomic operations, and a dispatcher's loop need not be
/// compiled for each.
class LifoOrRankedReady {
 public:
  __device__ LifoOrRankedReady(ReadyState& state, std::uint32_t* words, std::uint32_t items, std::uint32_t* staged, bool by_rank)
      : lifo_(state, words, staged), ranked_(state, words, items, staged), by_rank_(by_rank) {}

  __device__ std::uint32_t waiting() const { return by_rank_ ? ranked_.waiting() : lifo_.waiting(); }

  template <int kItems>
  __device__ void push(const std::uint32_t (&items)[kItems]) {
    by_rank_ ? ranked_.push(items) : lifo_.push(items);
  }

  __device__ std::uint32_t take(std::uint32_t wanted) { return by_rank_ ? ranked_.take(wanted) : lifo_.take(wanted); }

  __device__ std::uint32_t at(std::uint32_t i) const { return lifo_.at(i); }  // both stage alike

  template <int kItems>
  __device__ void at(std::uint32_t i, std::uint32_t n, std::uint32_t (&items)[kItems]) const {
    lifo_.at(i, n, items);
  }

 private:
  LifoReady lifo_;
  RankedReady ranked_;
  bool by_rank_;
};

}  // namespace tasktwin::gpu
