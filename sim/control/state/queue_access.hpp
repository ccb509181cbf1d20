#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "models/machine/machine.hpp"

namespace tasktwin::sim {

/// The time that operations on the ready queue take a control core beyond the queue's own, given the previous user.
class QueueAccess {
 public:
  virtual ~QueueAccess() = default;

  /// `who` comes to push.
  virtual void pushes(std::uint32_t who) = 0;
  /// `who` comes to take.
  virtual Nanoseconds to_take(std::uint32_t who) = 0;
  /// Others see at `at` that the last task has been taken.
  virtual void emptied(TimePoint at) = 0;
  /// Whether an empty queue still looks as if it held tasks.
  virtual bool looks_filled(TimePoint now) const = 0;
};

/// Control cores of the device, or a single thread of the host.
std::unique_ptr<QueueAccess> make_plain_access();

/// Several threads of the host at one queue under a lock: what another thread has left in the queue comes from its cache.
/// Contract: `times` outlives it.
std::unique_ptr<QueueAccess> make_access_of_threads(const mechanism::ControlLoop& times);

}  // namespace tasktwin::sim
