#pragma once

#include <cstdint>

#include "gpu/bodies/host_device.hpp"

namespace tasktwin::gpu {

inline constexpr std::uint32_t kMostDispatchers = 8;
inline constexpr std::uint32_t kMostWorkers = 256;

/// Which of the dispatchers' ready queues a task goes to: dispatcher d's home is queue d modulo their number, and a task goes to the
/// home of whoever releases it, or to the next one of whose dispatchers one owns enough cores for it. Dispatcher d owns every core
/// whose number is d modulo the dispatchers. The twin of sim/control/dispatch_queues.hpp.
struct Homes {
  std::uint32_t count;
  std::uint32_t dispatchers;
  std::uint32_t workers;
  bool together;  ///< a task of several blocks needs all its cores at once

  TASKTWIN_HOST_DEVICE std::uint32_t of(std::uint32_t dispatcher) const { return dispatcher % count; }

  /// The most that one of a home's dispatchers owns; none where it has no dispatcher.
  TASKTWIN_HOST_DEVICE std::uint32_t cores(std::uint32_t home) const {
    return home < dispatchers && home < workers ? (workers - home - 1) / dispatchers + 1 : 0;
  }

  TASKTWIN_HOST_DEVICE bool usable(std::uint32_t home, std::uint32_t blocks) const { return cores(home) >= (together ? blocks : 1); }

  /// `first` where none is usable.
  TASKTWIN_HOST_DEVICE std::uint32_t for_task(std::uint32_t first, std::uint32_t blocks) const {
    std::uint32_t home = first;
    for (std::uint32_t tried = 0; tried < count && !usable(home, blocks); ++tried) home = home + 1 < count ? home + 1 : 0;
    return home;
  }
};

}  // namespace tasktwin::gpu
