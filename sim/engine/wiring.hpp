#pragma once

#include <string>

namespace tasktwin::sim {

class Resumable;

/// The parts of the simulator joined into one design.
class Wiring {
 public:
  virtual ~Wiring() = default;
  /// Schedules the first events. Contract: once, after Calendar::begin_run.
  virtual void begin() = 0;
  /// Why the run did not come to its end, in a sentence; empty if it did, or if it is unknown.
  virtual std::string failure() const { return {}; }
  /// Itself, where runs of it can be continued from between two of their events.
  virtual Resumable* resumable() { return nullptr; }
};

}  // namespace tasktwin::sim
