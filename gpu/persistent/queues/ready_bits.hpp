#pragma once

#include <cstdint>

#include "gpu/cuda/device_word.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// Which tasks of frozen lists are ready and not yet taken, two bits a place: opened (low half of a word) and taken (high half).
/// Bits are only ever set, so the worker that sets the taken bit of an open place first has the task. The lists follow each other
/// other; a list is a range of places, its first and last word perhaps shared with its neighbours.
///
/// Lane-level: any thread may call.
struct ReadyBits {
  std::uint64_t* words;  ///< 32 places each

  static constexpr std::uint32_t kPlaces = 32;  ///< in a word
  static constexpr std::uint64_t kTaken = std::uint64_t{1} << kPlaces;

  /// What the word holds of the places [first, end): a mask.
  TASKTWIN_HOST_DEVICE static std::uint32_t part(std::uint32_t word, std::uint32_t first, std::uint32_t end) {
    const std::uint32_t begin = word * kPlaces;
    std::uint32_t mask = ~0u;
    if (first > begin) mask &= first - begin < kPlaces ? ~0u << (first - begin) : 0;
    if (end < begin + kPlaces) mask &= end > begin ? ~(~0u << (end - begin)) : 0;
    return mask;
  }

  /// Contract: what the task needs is released by `order`, or by a fence before; once a place.
  TASKTWIN_HOST_DEVICE void open(std::uint32_t place, cuda::memory_order order = kRelease) const {
    DeviceWord64(words[place / kPlaces]).fetch_or(std::uint64_t{1} << (place % kPlaces), order);
  }

  TASKTWIN_HOST_DEVICE std::uint64_t look(std::uint32_t word) const { return DeviceWord64(words[word]).load(kAcquire); }

  /// Of what look() gave: places that are open and not taken; those taken.
  TASKTWIN_HOST_DEVICE static std::uint32_t available(std::uint64_t seen) {
    return static_cast<std::uint32_t>(seen) & ~static_cast<std::uint32_t>(seen >> kPlaces);
  }
  TASKTWIN_HOST_DEVICE static std::uint32_t taken(std::uint64_t seen) { return static_cast<std::uint32_t>(seen >> kPlaces); }

  /// Takes those of `wanted` that are still there: a mask. Contract: they were available at the last look.
  TASKTWIN_HOST_DEVICE std::uint32_t take(std::uint32_t word, std::uint32_t wanted) const {
    const std::uint64_t before = DeviceWord64(words[word]).fetch_or(std::uint64_t{wanted} << kPlaces, kRelaxed);
    return wanted & ~taken(before);
  }
};

}  // namespace tasktwin::gpu
