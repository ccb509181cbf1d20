#pragma once

#include <algorithm>

#include "sim/engine/run_events.hpp"

namespace tasktwin::sim {

/// A thread of the host: its own time, which may be ahead of the device's, and what it is busy with.
class HostClock {
 public:
  explicit HostClock(RunEvents& events) : events_(events), core_(events.add_control_core(ControlRole::kHost)) {}

  TimePoint now() const { return now_; }
  void spend(Duration time) {
    events_.busy(core_, now_, now_ + time);
    now_ += time;
  }
  /// Without effect where the time has passed.
  void wait_until(TimePoint time) { now_ = std::max(now_, time); }

 private:
  RunEvents& events_;
  DispatcherId core_;
  TimePoint now_{};
};

}  // namespace tasktwin::sim
