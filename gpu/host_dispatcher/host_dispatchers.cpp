#include "gpu/host_dispatcher/host_dispatchers.hpp"

#include <algorithm>
#include <optional>
#include <thread>

namespace tasktwin::gpu {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kIdleSweepsBeforeLook = 1024;  ///< at the clock, and at whether others need this processor

}  // namespace

HostDispatchers::HostDispatchers(const TaskGraph& graph, const Design& design, const RunOptions& options, std::uint32_t workers,
                                 std::uint32_t threads, std::span<const Duration> durations, const HostMailboxes& mailboxes)
    : state_(graph, design, options, workers, threads, durations, mailboxes), patience_(options.watchdog), threads_(threads) {}

void HostDispatchers::reset() {
  state_.reset();
  gave_up_ = false;
}

void HostDispatchers::start(HostNotes notes, const std::uint64_t& opened, std::span<const QuickProcessor> processors) {
  state_.note(notes);
  rounds_.assign(threads_, {});
  paces_.assign(threads_, 0);
  waiting_ = 0;
  launched_ = false;
  for (std::uint32_t id = 0; id < threads_; ++id) {
    running_.emplace_back([this, id, processors, &opened] {
      take_own_processor(processors, id, threads_);
      loop(id, opened);
    });
  }
  while (waiting_.load(std::memory_order_relaxed) < threads_) std::this_thread::yield();
}

bool HostDispatchers::finish() {
  launched_ = true;
  running_.clear();
  return !gave_up_;
}

void HostDispatchers::loop(std::uint32_t id, const std::uint64_t& opened) {
  HostRounds::Thread thread = state_.make_thread(id);
  paces_[id] = computing_ns();
  ++waiting_;
  if (wait_until_open(opened)) {
    run_graph(thread);
  } else {
    gave_up_ = true;
  }
  paces_[id] = std::max(paces_[id], computing_ns());
  rounds_[id] = std::move(thread.rounds);
}

void HostDispatchers::run_graph(HostRounds::Thread& thread) {
  Clock::time_point last_change = Clock::now();
  std::uint64_t known = 0;
  int idle_sweeps = 0;
  while (!state_.all_completed()) {
    if (state_.run(thread)) {
      idle_sweeps = 0;
      continue;
    }
    if (gave_up_.load(std::memory_order_relaxed)) return;
    if (++idle_sweeps % kIdleSweepsBeforeLook != 0) continue;
    if (const std::uint64_t completed = state_.completed(); completed != known) {
      known = completed;
      last_change = Clock::now();
    } else if (Clock::now() - last_change > patience_) {
      gave_up_ = true;
    }
    std::this_thread::yield();
  }
  state_.stop_workers(thread);
}

bool HostDispatchers::wait_until_open(const std::uint64_t& opened) const {
  std::optional<Clock::time_point> begin;
  // A C++20 atomic_ref wants an object that may be written, though it only reads it.
  const std::atomic_ref<std::uint64_t> word(const_cast<std::uint64_t&>(opened));
  while (word.load(std::memory_order_acquire) == 0) {
    if (gave_up_.load(std::memory_order_relaxed)) return false;
    if (!launched_.load(std::memory_order_relaxed)) continue;
    const Clock::time_point now = Clock::now();
    if (!begin) begin = now;
    if (now - *begin > patience_) return false;
  }
  return true;
}

}  // namespace tasktwin::gpu
