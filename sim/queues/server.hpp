#pragma once

#include <cstdint>

#include "models/base/units.hpp"

namespace tasktwin::sim {

/// Something that serves one at a time, first come, first served: the counter of a queue, the lock around it.
/// Contract: calls in the order of their times.
class Server {
 public:
  /// Returns when a request that arrives at `now` has been served for `service`, and for `contention` more if it had to wait.
  TimePoint serve(TimePoint now, Duration service, Duration contention = {}) {
    free_ = free_ > now ? free_ + service + contention : now + service;
    return free_;
  }
  /// Of so many requests that arrive together; returns when the first has been served.
  TimePoint serve_all(TimePoint now, Duration service, std::uint32_t number) {
    const TimePoint first = serve(now, service);
    free_ += (number - 1) * service;
    return first;
  }

 private:
  TimePoint free_{};
};

}  // namespace tasktwin::sim
