#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <vector>

#include "models/axes.hpp"

namespace tasktwin::gpu {

/// The ready queue of several threads, in the order that a design asks for. `ranks` by task, for orders other than fifo and lifo:
/// the lowest goes first. A task may stand in it several times, once for each of its blocks.
class ReadyTasks {
 public:
  ReadyTasks(TaskOrder order, std::vector<std::uint32_t> ranks) : order_(order), ranks_(std::move(ranks)) {}

  void push(std::span<const std::uint32_t> tasks) {
    const Holder holder(held_);
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
    const Holder holder(held_);
    for (; most > 0 && !(waiting_.empty() && ranked_.empty()); --most) taken.push_back(next());
    count_.store(waiting_.size() + ranked_.size(), std::memory_order_relaxed);
  }

  /// As last left by whoever pushed or took.
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }
  bool empty() const { return count() == 0; }

 private:
  class Holder {
   public:
    explicit Holder(std::atomic_flag& held) : held_(held) {
      while (held_.test_and_set(std::memory_order_acquire)) {
        while (held_.test(std::memory_order_relaxed)) {
        }
      }
    }
    ~Holder() { held_.clear(std::memory_order_release); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

   private:
    std::atomic_flag& held_;
  };

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
  std::atomic_flag held_;
  std::atomic<std::size_t> count_{0};
  std::deque<std::uint32_t> waiting_;
  std::multiset<std::pair<std::uint32_t, std::uint32_t>> ranked_;
};

}  // namespace tasktwin::gpu
