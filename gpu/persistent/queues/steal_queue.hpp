#pragma once

#include <cstdint>

#include "gpu/cuda/device_word.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// A worker's own queue, a ring that its owner pushes to at one end and that owner and thieves take from at either: both ends are
/// in one word, so every push, take or theft is one atomic operation, whatever the number of entries. The entries themselves are
/// handed over by exchange: a worker that has reserved a position to push waits until its place is empty, a worker that has reserved one to
/// take waits until it is not. A place may so be given to the next push at once: should two takers meet at a place, each still gets one of
/// the entries pushed there. The waits are for others that are between two instructions of theirs.
///
/// Lane-level: any thread may call. Contract: between reserving and the last put, or taking and the last get, a caller waits for
/// nothing else, and for none of its positions before another, or two callers could wait for each other.
struct StealQueue {
  std::uint64_t* ends;      ///< tail << 32 | head; the entries are in [head, tail)
  std::uint32_t* entries;   ///< 1 + entry; 0 for none
  std::uint32_t capacity;   ///< a power of two
  bool never_full = false;  ///< its creator knows that no more than `capacity` entries are ever in it at a time

  TASKTWIN_HOST_DEVICE static std::uint32_t length(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> 32) - static_cast<std::uint32_t>(word);
  }
  TASKTWIN_HOST_DEVICE std::uint32_t length() const { return length(DeviceWord64(*ends).load(kRelaxed)); }

  /// Positions for up to `count` entries at the tail, from `first` on; returns how many there was room for.
  TASKTWIN_HOST_DEVICE std::uint32_t reserve(std::uint32_t count, std::uint32_t& first) const {
    if (never_full) {
      first = static_cast<std::uint32_t>(DeviceWord64(*ends).fetch_add(std::uint64_t{count} << 32, kRelaxed) >> 32);
      return count;
    }
    std::uint64_t word = DeviceWord64(*ends).load(kRelaxed);
    for (;;) {
      first = static_cast<std::uint32_t>(word >> 32);
      const std::uint32_t room = capacity - length(word);
      const std::uint32_t number = count < room ? count : room;
      if (number == 0) return 0;
      if (DeviceWord64(*ends).compare_exchange_strong(word, word + (std::uint64_t{number} << 32), kRelaxed)) return number;
    }
  }

  /// Takes the newest or the oldest how_many(length) entries, at positions from `first` on; returns how many. One attempt for a
  /// non-empty queue, as often as it takes. Contract: how_many gives 1 to its argument.
  template <class HowMany>
  TASKTWIN_HOST_DEVICE std::uint32_t take(bool newest, HowMany how_many, std::uint32_t& first) const {
    std::uint64_t word = DeviceWord64(*ends).load(kRelaxed);
    for (;;) {
      const std::uint32_t there = length(word);
      if (there == 0) return 0;
      const std::uint32_t number = how_many(there);
      const auto head = static_cast<std::uint32_t>(word);
      const auto tail = static_cast<std::uint32_t>(word >> 32);
      first = newest ? tail - number : head;
      const std::uint64_t left = newest ? std::uint64_t{tail - number} << 32 | head : std::uint64_t{tail} << 32 | (head + number);
      if (DeviceWord64(*ends).compare_exchange_strong(word, left, kRelaxed)) return number;
    }
  }

  /// Whether `entry` could be handed over at a reserved position; again until it is.
  TASKTWIN_HOST_DEVICE bool try_put(std::uint32_t position, std::uint32_t entry, cuda::memory_order order = kRelease) const {
    std::uint32_t none = 0;
    return DeviceWord(entries[position % capacity]).compare_exchange_strong(none, 1 + entry, order, kRelaxed);
  }

  /// 1 + the entry at a taken position, or 0: again until it is there.
  TASKTWIN_HOST_DEVICE std::uint32_t try_get(std::uint32_t position) const {
    return DeviceWord(entries[position % capacity]).exchange(0, kAcquire);
  }

  /// Hands over `entries` at the positions from `first` on; of `lanes` threads that call, this is number `lane`. What has been
  /// handed over is overwritten.
  TASKTWIN_HOST_DEVICE void put_all(std::uint32_t first, std::uint32_t count, std::uint32_t* from, std::uint32_t lane,
                                    std::uint32_t lanes) const {
    for (bool waits = true; waits;) {
      waits = false;
      for (std::uint32_t i = lane; i < count; i += lanes) {
        if (from[i] == kNone) continue;
        if (try_put(first + i, from[i])) {
          from[i] = kNone;
        } else {
          waits = true;
        }
      }
    }
  }

  /// Brings the entries at the positions from `first` on to `to`; of `lanes` threads that call, this is number `lane`.
  TASKTWIN_HOST_DEVICE void get_all(std::uint32_t first, std::uint32_t count, std::uint32_t* to, std::uint32_t lane,
                                    std::uint32_t lanes) const {
    for (std::uint32_t i = lane; i < count; i += lanes) to[i] = kNone;
    for (bool waits = true; waits;) {
      waits = false;
      for (std::uint32_t i = lane; i < count; i += lanes) {
        if (to[i] != kNone) continue;
        to[i] = try_get(first + i) - 1;
        waits = waits || to[i] == kNone;
      }
    }
  }

  static constexpr std::uint32_t kNone = 0xffffffffu;  ///< no entry is that
};

}  // namespace tasktwin::gpu
