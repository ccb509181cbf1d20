#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <vector>

#include "gpu/cuda/stream_handle.hpp"
#include "gpu/streams/stream_set.hpp"
#include "models/program/host_program.hpp"

namespace tasktwin::gpu {

/// Keeps the calling thread at work for `time`.
void be_busy(Duration time);
/// The same until `time` after `from`.
void be_busy_until(std::chrono::steady_clock::time_point from, Duration time);

/// The calls of a captured program, made again by as many threads as it had, each after its thread's own time and for as long as it took
/// where the call itself is shorter. No call begins before those have begun that began before it, launches and records before them have
/// returned. The simulated twin is sim::HostThreads.
class HostReplay {
 public:
  using Clock = std::chrono::steady_clock;
  /// Makes the call that launches; what it throws ends the replay.
  using Launch = std::function<void(const HostCall&)>;

  /// Contract: both outlive this.
  HostReplay(const HostProgram& program, const StreamSet& streams);

  /// Throws what a thread of it threw.
  void run(const Launch& launch);

 private:
  void run_thread(std::uint32_t thread, const Launch& launch);
  /// Whether the call may begin: not where another thread has failed.
  bool await_turn(std::uint32_t place) const;
  void end_turn(std::uint32_t place) { next_.store(place + 1, std::memory_order_release); }
  void order(const HostCall& call);
  /// Whether there was anything to wait for.
  bool wait(const HostCall& call) const;

  const HostProgram& program_;
  const StreamSet& streams_;
  std::vector<Event> records_;
  std::vector<std::vector<std::uint32_t>> places_;  ///< by thread and call, in HostProgram::order
  std::atomic<std::uint32_t> next_ = 0;             ///< place of the call whose turn it is
  std::atomic<bool> failed_ = false;
};

}  // namespace tasktwin::gpu
