#pragma once

#include <cstdint>

#include "models/base/host_device.hpp"
#include "models/rules/home.hpp"

namespace tasktwin::gpu {

inline constexpr std::uint32_t kMostDispatchers = 8;
inline constexpr std::uint32_t kMostWorkers = 256;

/// The homes of dispatchers (models/rules/home.hpp): a task is of use where a dispatcher owns enough cores for it. Dispatcher d owns every
/// core whose number is d modulo the dispatchers.
struct Homes {
  std::uint32_t count;
  std::uint32_t dispatchers;
  std::uint32_t workers;
  bool together;  ///< a task of several blocks needs all its cores at once

  TASKTWIN_HOST_DEVICE std::uint32_t of(std::uint32_t dispatcher) const { return rules::home_of(dispatcher, count); }

  /// The most that one of a home's dispatchers owns; none where it has no dispatcher.
  TASKTWIN_HOST_DEVICE std::uint32_t cores(std::uint32_t home) const {
    return home < dispatchers && home < workers ? (workers - home - 1) / dispatchers + 1 : 0;
  }

  TASKTWIN_HOST_DEVICE bool usable(std::uint32_t home, std::uint32_t blocks) const { return cores(home) >= (together ? blocks : 1); }

  /// `first` where none is usable.
  TASKTWIN_HOST_DEVICE std::uint32_t for_task(std::uint32_t first, std::uint32_t blocks) const {
    return rules::first_usable(first, count, [this, blocks](std::uint32_t home) { return usable(home, blocks); });
  }
};

}  // namespace tasktwin::gpu
