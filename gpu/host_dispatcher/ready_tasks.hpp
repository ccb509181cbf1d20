#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "models/design/axes.hpp"

namespace tasktwin::gpu {

/// What different threads write at a time is in different cache lines.
inline constexpr std::size_t kHostLine = 64;

/// Held by one thread at a time, first come, first served.
class alignas(kHostLine) TurnLock {
 public:
  void lock() {
    constexpr int kLooksBeforeYield = 4096;  // the one before may need this processor
    const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
    for (int looks = 1; turn_.load(std::memory_order_acquire) != mine; ++looks) {
      if (looks % kLooksBeforeYield == 0) std::this_thread::yield();
    }
  }
  void unlock() { turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  std::atomic<std::uint32_t> next_{0};
  std::atomic<std::uint32_t> turn_{0};
};

/// The ready queue of several threads, in the order that a design asks for. `ranks` by task, for orders other than fifo and lifo:
/// the lowest goes first. A task may be in it several times, once for each of its blocks.
class ReadyTasks {
 public:
  ReadyTasks(TaskOrder order, std::vector<std::uint32_t> ranks) : order_(order), ranks_(std::move(ranks)) {}

  void push(std::span<const std::uint32_t> tasks) {
    const std::lock_guard holder(lock_);
    for (const std::uint32_t task : tasks) {
      if (ranks_.empty()) {
        waiting_.push_back(task);
      } else {
        ranked_.emplace(ranks_[task], task);
      }
    }
    count_.store(waiting_.size() + ranked_.size(), std::memory_order_relaxed);
  }

  /// Appends up to `most` to `taken`.
  void take(std::size_t most, std::vector<std::uint32_t>& taken) {
    if (empty()) return;  // no lock where there is nothing
    const std::lock_guard holder(lock_);
    for (; most > 0 && !(waiting_.empty() && ranked_.empty()); --most) taken.push_back(next());
    count_.store(waiting_.size() + ranked_.size(), std::memory_order_relaxed);
  }

  /// The state after the last push or take.
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }
  bool empty() const { return count() == 0; }

 private:
  std::uint32_t next() {
    std::uint32_t task = 0;
    if (!ranks_.empty()) {
      task = ranked_.begin()->second;
      ranked_.erase(ranked_.begin());
    } else if (order_ == TaskOrder::kLifo) {
      task = waiting_.back();
      waiting_.pop_back();
    } else {
      task = waiting_.front();
      waiting_.pop_front();
    }
    return task;
  }

  TaskOrder order_;
  std::vector<std::uint32_t> ranks_;
  TurnLock lock_;
  alignas(kHostLine) std::atomic<std::size_t> count_{0};  ///< those that have nothing to do look at it all the time
  alignas(kHostLine) std::deque<std::uint32_t> waiting_;
  std::multiset<std::pair<std::uint32_t, std::uint32_t>> ranked_;
};

}  // namespace tasktwin::gpu
