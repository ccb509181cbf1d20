#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "models/base/units.hpp"

namespace tasktwin::gpu {

/// A function of the host that a stream runs: it occupies the thread it runs in for `time`.
struct HostFunction {
  using Clock = std::chrono::steady_clock;

  Duration time{};
  std::uint32_t mark = 0;          ///< what it writes to `done` when it has ended
  std::uint32_t* done = nullptr;   ///< of memory that the device can read
  Clock::time_point started = {};  ///< to be read once the stream has passed it
  Clock::time_point ended = {};

  /// For cudaLaunchHostFunc and a graph's host nodes; `self` is the function.
  static void run(void* self) {
    auto* const function = static_cast<HostFunction*>(self);
    function->started = Clock::now();
    do {
      function->ended = Clock::now();
    } while (function->ended - function->started < function->time);
    std::atomic_ref(*function->done).store(function->mark, std::memory_order_release);
  }
};

}  // namespace tasktwin::gpu
