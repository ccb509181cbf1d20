#include "gpu/operations/timed_events.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

double ns_between(cudaEvent_t from, cudaEvent_t to) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, from, to), "comparing two events");
  return static_cast<double>(milliseconds) * 1e6;
}

void EventClock::set(cudaStream_t stream) {
  check(cudaLaunchHostFunc(stream, HostFunction::run, &gate_), "adding a host function");
  for (std::size_t i = 0; i < kTries; ++i) {
    tries_[i].before.record(stream);
    launch_origin_stamp(stamps_.data() + i, stream);
    tries_[i].after.record(stream);
  }
  check(cudaGetLastError(), "stamping the events' clock");
  check(cudaStreamSynchronize(stream), "stamping the events' clock");
  const std::vector<std::uint64_t> stamps = stamps_.to_host("the events' clock");
  double narrowest = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < kTries; ++i) {
    const double width = ns_between(tries_[i].before, tries_[i].after);
    if (width >= narrowest) continue;
    narrowest = width;
    best_ = i;
  }
  before_stamp_ = narrowest / 2;
  stamp_ = stamps[best_];
}

std::uint64_t EventClock::stamp(cudaEvent_t event) const {
  const double after = ns_between(tries_[best_].before, event) - before_stamp_;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(stamp_) + std::llround(after));
}

}  // namespace tasktwin::gpu
