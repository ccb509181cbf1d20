#pragma once

#include "gpu/persistent/dispatchers/dispatcher_rows.cuh"
#include "gpu/persistent/dispatchers/dispatcher_tables.cuh"
#include "gpu/persistent/queues/ready_orders.cuh"

namespace tasktwin::gpu {

/// A dispatcher block's ready queue under a lock, for what must see the tasks before it takes them, or takes from both ends. Whole
/// warps call
///   waiting()       tasks in it, of which another warp may take some first
///   push(items)     a lane's items; kStopTask for none
/// and between lock() and unlock()
///   look(last)      the next up to 32 tasks, or the last ones, the very last first: how many, and item() lane by lane; kStopTask for none
///   remove(n, last) the first n of those looked at, by the same `last`
/// What a warp has done before it pushes, the warp that takes the task has seen.
class LockedQueue : protected ReadyQueueBase {
 public:
  __device__ LockedQueue(ReadyState& state, std::uint32_t* words) : ReadyQueueBase(state, words) {}

  __device__ std::uint32_t waiting() const {
    const std::uint32_t end = lane_id() < 2 ? BlockWord(lane_id() == 0 ? state_.head : state_.tail).load(kRelaxed) : 0;
    const auto left = static_cast<std::int32_t>(__shfl_sync(kAllLanes, end, 1) - __shfl_sync(kAllLanes, end, 0));
    return static_cast<std::uint32_t>(max(left, 0));  // the two words need not be of one moment
  }

  __device__ void lock() const {
    if (lane_id() == 0) {
      while (BlockWord(state_.lock).exchange(1, kAcquire) != 0) {
      }
    }
    __syncwarp();
  }

  __device__ void unlock() const {
    __syncwarp();
    if (lane_id() == 0) BlockWord(state_.lock).store(0, kRelease);
    __syncwarp();
  }

  __device__ std::uint32_t item() const { return item_; }

 protected:
  /// Contract: locked.
  __device__ std::uint32_t head() const { return BlockWord(state_.head).load(kRelaxed); }
  __device__ std::uint32_t tail() const { return BlockWord(state_.tail).load(kRelaxed); }

  std::uint32_t item_ = kStopTask;
};

/// By age: a ring, from whose older or newer end is taken.
class LockedRing : public LockedQueue {
 public:
  /// Contract: the words are a power of two, enough for all tasks at once.
  __device__ LockedRing(const CentralDispatcher& central, std::uint32_t /*tasks*/, ReadyState& state, std::uint32_t* words,
                        std::uint32_t* /*staged*/)
      : LockedQueue(state, words), mask_(central.ready_words - 1), newest_first_(central.ready_kind == ReadyKind::kLifo) {}

  template <int kItems>
  __device__ void push(const std::uint32_t (&items)[kItems]) const {
    const Share all = share_of(items);
    if (all.total == 0) return;
    lock();
    const std::uint32_t first = tail();
    number(items, first + all.before, [this](std::uint32_t item, std::uint32_t place) { words_[place & mask_] = item; });
    __syncwarp();
    if (lane_id() == 0) BlockWord(state_.tail).store(first + all.total, kRelaxed);
    unlock();
  }

  __device__ std::uint32_t look(bool last) {
    const std::uint32_t first = head();
    const std::uint32_t end = tail();
    const std::uint32_t there = min(end - first, 32u);
    item_ = lane_id() < there ? words_[(last != newest_first_ ? end - 1 - lane_id() : first + lane_id()) & mask_] : kStopTask;
    __syncwarp();
    return there;
  }

  __device__ void remove(std::uint32_t n, bool last) const {
    if (lane_id() != 0) return;
    if (last != newest_first_) {
      BlockWord(state_.tail).store(tail() - n, kRelaxed);
    } else {
      BlockWord(state_.head).store(head() + n, kRelaxed);
    }
  }

 private:
  std::uint32_t mask_;
  bool newest_first_;
};

/// By a fixed order, kept as RankedReady keeps it.
class LockedRanks : public LockedQueue {
 public:
  /// `staged` are 32 words of the warp's.
  __device__ LockedRanks(const CentralDispatcher& central, std::uint32_t tasks, ReadyState& state, std::uint32_t* words,
                         std::uint32_t* staged)
      : LockedQueue(state, words),
        summary_(words + rank_summary_at(tasks)),
        summary_words_(central.ready_words - rank_summary_at(tasks)),
        staged_(staged) {}

  template <int kItems>
  __device__ void push(const std::uint32_t (&items)[kItems]) const {
    const std::uint32_t total = share_of(items).total;
    if (total == 0) return;
    lock();
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      if (items[i] == kStopTask) continue;
      BlockWord(words_[items[i] / 32]).fetch_or(1u << items[i] % 32, kRelaxed);
      BlockWord(summary_[items[i] / 1024]).fetch_or(1u << items[i] / 32 % 32, kRelaxed);
    }
    __syncwarp();
    if (lane_id() == 0) BlockWord(state_.tail).store(tail() + total, kRelaxed);
    unlock();
  }

  __device__ std::uint32_t look(bool last) {
    std::uint32_t got = 0;
#pragma unroll 1
    for (std::uint32_t base = 0; base < summary_words_ && got < 32; base += 32) {
      const std::uint32_t at = base + lane_id();
      const std::uint32_t index = last ? summary_words_ - 1 - at : at;
      std::uint32_t filled = at < summary_words_ ? BlockWord(summary_[index]).load(kRelaxed) : 0;
      std::uint32_t lanes;
      while (got < 32 && (lanes = __ballot_sync(kAllLanes, filled != 0)) != 0) {
        const int nearest = __ffs(static_cast<int>(lanes)) - 1;
        const std::uint32_t bits = __shfl_sync(kAllLanes, filled, nearest);
        const std::uint32_t bit = last ? 31 - lane_id() : lane_id();
        const std::uint32_t word = 32 * __shfl_sync(kAllLanes, index, nearest) + bit;
        got = min(got + stage((bits >> bit & 1u) != 0, word, last, got), 32u);
        if (lane_id() == static_cast<std::uint32_t>(nearest)) filled = 0;
      }
    }
    __syncwarp();
    item_ = lane_id() < got ? staged_[lane_id()] : kStopTask;
    __syncwarp();
    return got;
  }

  __device__ void remove(std::uint32_t n, bool /*last*/) const {
    if (lane_id() < n) BlockWord(words_[item_ / 32]).fetch_and(~(1u << item_ % 32), kRelaxed);
    __syncwarp();
    if (lane_id() < n && BlockWord(words_[item_ / 32]).load(kRelaxed) == 0)
      BlockWord(summary_[item_ / 1024]).fetch_and(~(1u << item_ / 32 % 32), kRelaxed);
    if (lane_id() == 0) BlockWord(state_.head).store(head() + n, kRelaxed);
  }

 private:
  /// The ranks in the lane's word, after those that are staged; returns how many all lanes have, whether there was room or not.
  __device__ std::uint32_t stage(bool looks, std::uint32_t word, bool last, std::uint32_t staged) const {
    std::uint32_t found = looks ? BlockWord(words_[word]).load(kRelaxed) : 0;
    if (last) found = __brev(found);
    const auto own = static_cast<std::uint32_t>(__popc(found));
    const std::uint32_t through = sum_through(own);
    for (std::uint32_t i = staged + through - own; found != 0 && i < 32; ++i, found &= found - 1) {
      const std::uint32_t bit = static_cast<std::uint32_t>(__ffs(static_cast<int>(found))) - 1;
      staged_[i] = 32 * word + (last ? 31 - bit : bit);
    }
    return __shfl_sync(kAllLanes, through, 31);
  }

  std::uint32_t* summary_;
  std::uint32_t summary_words_;
  std::uint32_t* staged_;
};

/// Either of the two as the design asks for it: a branch costs nothing next to the lock, and a dispatcher's loop need not be compiled for
/// each.
class HomeQueue {
 public:
  __device__ HomeQueue(const CentralDispatcher& central, std::uint32_t tasks, ReadyState& state, std::uint32_t* words,
                       std::uint32_t* staged)
      : ring_(central, tasks, state, words, staged),
        ranks_(central, tasks, state, words, staged),
        by_rank_(central.ready_kind == ReadyKind::kRanked) {}

  __device__ std::uint32_t waiting() const { return ring_.waiting(); }  // both lock and count alike
  __device__ void lock() const { ring_.lock(); }
  __device__ void unlock() const { ring_.unlock(); }
  __device__ std::uint32_t item() const { return by_rank_ ? ranks_.item() : ring_.item(); }
  __device__ std::uint32_t look(bool last) { return by_rank_ ? ranks_.look(last) : ring_.look(last); }
  __device__ void remove(std::uint32_t n, bool last) const { by_rank_ ? ranks_.remove(n, last) : ring_.remove(n, last); }

  template <int kItems>
  __device__ void push(const std::uint32_t (&items)[kItems]) const {
    by_rank_ ? ranks_.push(items) : ring_.push(items);
  }

 private:
  LockedRing ring_;
  LockedRanks ranks_;
  bool by_rank_;
};

/// The ready queues of all homes, as one dispatcher sees them. Whole warps call.
class HomeQueues {
 public:
  __device__ HomeQueues(const CentralDispatcher& central, std::uint32_t tasks, DispatcherState& state, const Tables& tables,
                        std::uint32_t self)
      : central_(central), tasks_(tasks), state_(state), tables_(tables), self_(self) {}

  __device__ std::uint32_t home() const { return central_.homes.of(self_); }
  __device__ HomeQueue own() const { return at(home()); }
  __device__ HomeQueue at(std::uint32_t home) const {
    return {central_, tasks_, state_.ready[home], tables_.ready + std::size_t{home} * central_.ready_words, state_.staged[self_]};
  }

  /// Tasks in a home's queue, a lane for itself; others may be at it.
  __device__ std::uint32_t length(std::uint32_t home) const {
    const std::uint32_t taken = BlockWord(state_.ready[home].head).load(kRelaxed);
    const auto left = static_cast<std::int32_t>(BlockWord(state_.ready[home].tail).load(kRelaxed) - taken);
    return static_cast<std::uint32_t>(max(left, 0));
  }

  /// Whether a dispatcher of a home owns enough cores for the task at `place`.
  __device__ bool usable(std::uint32_t home, std::uint32_t place) const { return central_.homes.usable(home, blocks_of(place)); }

  /// A lane's items, to the dispatcher's home or the next ones that can use them.
  template <int kItems>
  __device__ void push(const std::uint32_t (&items)[kItems]) const {
    bool elsewhere = false;
#pragma unroll
    for (int i = 0; i < kItems; ++i) elsewhere = elsewhere || (items[i] != kStopTask && !usable(home(), items[i]));
    if (!__any_sync(kAllLanes, elsewhere)) return own().push(items);
#pragma unroll 1
    for (std::uint32_t to = 0; to < central_.homes.count; ++to) {
      std::uint32_t some[kItems];
#pragma unroll
      for (int i = 0; i < kItems; ++i) {
        const bool goes = items[i] != kStopTask && central_.homes.for_task(home(), blocks_of(items[i])) == to;
        some[i] = goes ? items[i] : kStopTask;
      }
      at(to).push(some);
    }
  }

 private:
  /// That matter where tasks go: where blocks start apart each is one of its own.
  __device__ std::uint32_t blocks_of(std::uint32_t place) const {
    return tables_.wide.to_hand && central_.homes.together ? tables_.wide.to_hand[place] : 1;
  }

  const CentralDispatcher& central_;
  std::uint32_t tasks_;
  DispatcherState& state_;
  const Tables tables_;
  std::uint32_t self_;
};

}  // namespace tasktwin::gpu
