#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace tasktwin::gpu {

struct QuickProcessor {
  int number = -1;     ///< -1 where the system does not report it
  double call_ns = 0;  ///< median time of the call there, or computing_ns()
};

/// The median time of `call` where the thread is, its caches warm. `settle` runs after each call and is not timed.
double median_call_ns(
    const std::function<void()>& call, const std::function<void()>& settle = [] {});

/// Moves the calling thread to that of the processors it may use, or of 16 spread over them, on which `call` takes the shortest median
/// time, and leaves it free to be moved on; it stays where it is nearly as quick there, because its caches are warm. Calls of the driver
/// take up to twice as long where the processor shares its core with another process, for as long as that lasts: what a call took is
/// how quick the host was. A thread for which the call takes no longer than `good_ns` stays where it is, without a search. What `call` and
/// `settle` throw is passed on.
QuickProcessor move_to_quickest_processor(
    const std::function<void()>& call, const std::function<void()>& settle = [] {}, double good_ns = 0);

/// What 4000 steps of arithmetic on 2 KiB of its own take the calling thread where it is, median of five, ns. A thread whose processor
/// shares its core with another process takes 1.3 to 1.9 times as long (on the hosts of H200s).
double computing_ns();

/// Moves the calling thread to the processor, and keeps it there until its end. False where the system does not let it.
bool stay_on_processor(int number);

/// The processors that the calling thread may use (16 spread over them, where there are more), the one first on which it computes
/// quickest, with what computing_ns() says there. The thread is left on the last of them, free to be moved on: there it is in nobody's way
/// who takes the first. Empty where the system does not report it.
std::vector<QuickProcessor> processors_by_speed();

/// By how much longer than the quickest of `processors` did before threads took to compute, computing_ns() on average, as a share of that;
/// 0 where they were as quick, and where the system tells of no processors.
double disturbance(double average_ns, std::span<const QuickProcessor> processors);

/// Keeps the calling thread, number `thread` of `threads`, on the one of `processors` with that number if there is one for each; else it
/// stays free.
void take_own_processor(std::span<const QuickProcessor> processors, std::size_t thread, std::size_t threads);

}  // namespace tasktwin::gpu
