#pragma once

#include <cstdint>

#include "gpu/cuda/device_word.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// A central counter of the tasks that exist and are not complete. A worker that completes tasks that have spawned others counts
/// both in one operation before it pushes any: the count of a task pushed is never missing, so the word is zero only when all is
/// done. Completions that spawn nothing may be counted late, several together.
struct Outstanding {
  std::uint32_t* word;

  /// Returns whether that was the last.
  TASKTWIN_HOST_DEVICE bool count(std::uint32_t completed, std::uint32_t spawned) const {
    const std::uint32_t change = spawned - completed;
    return DeviceWord(*word).fetch_add(change, kRelaxed) + change == 0;
  }

  TASKTWIN_HOST_DEVICE bool over() const { return DeviceWord(*word).load(kRelaxed) == 0; }
};

}  // namespace tasktwin::gpu
