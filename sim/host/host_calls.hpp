#pragma once

#include <cstdint>
#include <optional>

#include "models/machine/machine.hpp"

namespace tasktwin::sim {

/// What the host's calls for launches other than kernels do to the host.
class HostCalls {
 public:
  /// What the host waits for, in the call itself, before it does anything.
  enum class Before : std::uint8_t { kNothing, kStream, kDevice };
  virtual Before waits_before(std::uint32_t launch) = 0;
  /// What the call is at before it is made: the host's time, after which it asks again; 0 for nothing more.
  virtual Nanoseconds asks(std::uint32_t launch) = 0;
  /// Makes the call at `now`; the host's time for it, or nullopt where the program ends there.
  virtual std::optional<Nanoseconds> call(std::uint32_t launch, TimePoint now) = 0;
  /// Whether the call returns only when the launch has ended.
  virtual bool returns_at_end(std::uint32_t launch) const = 0;
  /// What the host does further once it has blocked for an event, a stream or the device.
  virtual Nanoseconds synchronised(TimePoint now) = 0;

 protected:
  ~HostCalls() = default;
};

}  // namespace tasktwin::sim
