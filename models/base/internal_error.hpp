#pragma once

#include <stdexcept>

namespace tasktwin {

/// What tasktwin worked out contradicts itself: a fault of its own, whatever the input. No figure of the run is given; exit code 3.
class InternalError : public std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace tasktwin
