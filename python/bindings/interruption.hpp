#pragma once

#include <chrono>

#include <pybind11/pybind11.h>

#include "models/base/error.hpp"
#include "verify/output/text/progress.hpp"

namespace tasktwin::python {

/// Whether a signal's handler has raised an exception, such as KeyboardInterrupt, which is then set. Takes the interpreter's lock a few
/// times a second. Contract: called without that lock.
class Interruption {
 public:
  bool operator()() {
    constexpr std::chrono::milliseconds kBetween{50};
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < kBetween) return false;
    asked_ = now;
    const pybind11::gil_scoped_acquire lock;
    return PyErr_CheckSignals() != 0;
  }

 private:
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

/// Of work that can be ended between its parts. The exception of the signal's handler takes the place of the one thrown.
inline verify::Progress interruptible() {
  return verify::Progress([interrupted = Interruption()]() mutable {
    if (interrupted()) throw RunError("interrupted");
  });
}

}  // namespace tasktwin::python
