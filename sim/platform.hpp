#pragma once

#include <memory>

#include <simgrid/s4u/Engine.hpp>

#include "sim/calendar.hpp"

namespace tasktwin::sim {

/// SimGrid's engine, which a process can have only one of, with the calendar among its models. Made on first use and used
/// again for each run: its clock goes on, and a run's times count from where it stands. For one thread at a time.
class Platform {
 public:
  static Platform& instance();

  simgrid::s4u::Engine& engine() { return *engine_; }
  Calendar& calendar() { return *calendar_; }

  /// Runs the engine until nothing is left to happen. Returns the wall time of that, in seconds.
  double run();

 private:
  Platform();

  std::unique_ptr<simgrid::s4u::Engine> engine_;
  std::shared_ptr<Calendar> calendar_;
};

}  // namespace tasktwin::sim
