#pragma once

#include <functional>

namespace tasktwin::gpu {

struct QuickProcessor {
  int number = -1;     ///< -1 where the system does not tell
  double call_ns = 0;  ///< median time of the call there
};

/// The median time of `call` where the thread is, its caches warm. `settle` runs after each call and is not timed.
double median_call_ns(
    const std::function<void()>& call, const std::function<void()>& settle = [] {});

/// Moves the calling thread to that of the processors it may use, or of 16 spread over them, on which `call` takes the shortest median
/// time, and leaves it free to be moved on; it stays where it is nearly as quick there, because its caches are warm. Calls of the driver
/// take up to twice as long where the processor shares its core with somebody else's work, for as long as that lasts: what a call took is
/// how quick the host was. What `call` and `settle` throw is passed on.
QuickProcessor move_to_quickest_processor(
    const std::function<void()>& call, const std::function<void()>& settle = [] {});

}  // namespace tasktwin::gpu
