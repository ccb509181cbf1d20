#pragma once

#include <algorithm>

#include "models/units.hpp"

namespace tasktwin::sim {

/// Something that serves one at a time, first come, first served: the counter of a queue, the lock around it.
/// Contract: calls in the order of their times.
class Server {
 public:
  /// Returns when the one who comes at `now` has been served for `service`.
  TimePoint serve(TimePoint now, Duration service) {
    free_ = std::max(free_, now) + service;
    return free_;
  }

 private:
  TimePoint free_{};
};

}  // namespace tasktwin::sim
