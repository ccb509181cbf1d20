#pragma once

#include <cstdint>

#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// What a piece of memory should hold, word by word: `first` + `step` · position. Of a large piece only words at equal distances, the
/// last one included, are written and looked at.
struct Contents {
  std::uint32_t* words = nullptr;  ///< null where there is nothing to look at
  std::uint64_t count = 0;
  std::uint32_t first = 0;
  std::uint32_t step = 0;

  static constexpr std::uint64_t kMostLookedAt = 1 << 16;

  TASKTWIN_HOST_DEVICE std::uint64_t distance() const { return (count + kMostLookedAt - 1) / kMostLookedAt; }
  /// How many words are looked at.
  TASKTWIN_HOST_DEVICE std::uint64_t looks() const { return words == nullptr || count == 0 ? 0 : (count - 1) / distance() + 2; }
  TASKTWIN_HOST_DEVICE std::uint64_t position(std::uint64_t look) const { return look + 1 < looks() ? look * distance() : count - 1; }
  TASKTWIN_HOST_DEVICE std::uint32_t word(std::uint64_t position) const { return first + step * static_cast<std::uint32_t>(position); }
  /// The same memory with something else in every word.
  TASKTWIN_HOST_DEVICE Contents spoilt() const { return {words, count, ~first, step}; }
};

/// Whether the words looked at are all right.
inline bool holds(const Contents& contents) {
  for (std::uint64_t look = 0; look < contents.looks(); ++look) {
    const std::uint64_t at = contents.position(look);
    if (contents.words[at] != contents.word(at)) return false;
  }
  return true;
}

}  // namespace tasktwin::gpu
