#pragma once

#include <cstdint>

#include "gpu/cuda/device_word.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// A bounded ring that many push to and many take from, first in, first out. Takers draw tickets, at any time and without a
/// look at what is there; the k-th ticket is for the k-th entry pushed. A place says which round of the ring it is in and
/// whether the entry of that round is there: {round, 0} before and {round, 1 + entry} after the push, {round + 1, 0} once
/// the ticket's holder has freed it. So a push finds out whether there is room from the places alone.
///
/// With two rules no thread waits for ever, however small the ring: a pusher that finds no room keeps the entry (Backlog), does
/// something else and tries again; and the holder of a ticket proceeds with the entry without waiting for another push. Full means
/// that a place holds an entry; if its ticket is drawn, its holder will free it, else all tickets drawn so far have met their
/// entries, so that those who hold them proceed and draw again.
///
/// Lane-level: any thread may call. Contract: fewer than 2^32 pushes and tickets together in a run.
struct TicketQueue {
  std::uint32_t* head;    ///< tickets drawn
  std::uint32_t* tail;    ///< positions given to pushes
  std::uint64_t* places;  ///< round << 32 | 1 + entry
  std::uint32_t capacity;
  bool never_full;                     ///< its creator knows that no more than `capacity` entries will ever be pushed
  std::uint32_t* unclaimed = nullptr;  ///< entries that a try_draw() may still have; null where it is not called

  /// Draws `count` tickets and returns the first.
  TASKTWIN_HOST_DEVICE std::uint32_t draw(std::uint32_t count) const { return DeviceWord(*head).fetch_add(count, kRelaxed); }

  /// Draws up to `most` tickets, but only for entries whose push has begun; returns how many. Wait-free, two atomics a call: a caller that
  /// takes more from `unclaimed` than there was adds the difference back, and meanwhile others may find less than there is. A loop of
  /// compare-and-swaps would let one caller through at a time. Contract: no one calls draw().
  TASKTWIN_HOST_DEVICE std::uint32_t try_draw(std::uint32_t most, std::uint32_t& first) const {
    const DeviceWord left(*unclaimed);
    const auto seen = static_cast<std::int32_t>(left.load(kRelaxed));
    if (seen <= 0) return 0;
    const std::uint32_t wanted = most < static_cast<std::uint32_t>(seen) ? most : static_cast<std::uint32_t>(seen);
    const auto there = static_cast<std::int32_t>(left.fetch_sub(wanted, kRelaxed));
    std::uint32_t count = 0;
    if (there > 0) count = wanted < static_cast<std::uint32_t>(there) ? wanted : static_cast<std::uint32_t>(there);
    if (count < wanted) left.fetch_add(wanted - count, kRelaxed);
    if (count > 0) first = DeviceWord(*head).fetch_add(count, kRelaxed);
    return count;
  }

  /// 1 + the entry that `ticket` has met, or 0 as long as there is none.
  TASKTWIN_HOST_DEVICE std::uint32_t look(std::uint32_t ticket) const {
    if (never_full && ticket >= capacity) return 0;
    const std::uint64_t word = DeviceWord64(places[ticket % capacity]).load(kAcquire);
    return static_cast<std::uint32_t>(word >> 32) == ticket / capacity ? static_cast<std::uint32_t>(word) : 0;
  }

  /// Contract: look(ticket) has given its entry; once a ticket.
  TASKTWIN_HOST_DEVICE void free(std::uint32_t ticket) const {
    if (!never_full) DeviceWord64(places[ticket % capacity]).store(empty_place(ticket + capacity), kRelaxed);
  }

  /// Positions for up to `count` entries, from `first` on; returns how many there was room for.
  TASKTWIN_HOST_DEVICE std::uint32_t reserve(std::uint32_t count, std::uint32_t& first) const {
    if (never_full) {
      first = DeviceWord(*tail).fetch_add(count, kRelaxed);
      announce(count);
      return count;
    }
    first = DeviceWord(*tail).load(kRelaxed);
    for (;;) {
      std::uint32_t room = 0;
      while (room < count && DeviceWord64(places[(first + room) % capacity]).load(kRelaxed) == empty_place(first + room)) ++room;
      if (room > 0) {
        if (DeviceWord(*tail).compare_exchange_strong(first, first + room, kAcqRel, kRelaxed)) {
          announce(room);
          return room;
        }
      } else {
        const std::uint32_t now = DeviceWord(*tail).load(kRelaxed);
        if (now == first) return 0;
        first = now;
      }
    }
  }

  /// Contract: `position` comes from reserve(); what the entry refers to is released by `order`, or by a fence before.
  TASKTWIN_HOST_DEVICE void put(std::uint32_t position, std::uint32_t entry, cuda::memory_order order = kRelease) const {
    DeviceWord64(places[position % capacity]).store(empty_place(position) | (1 + entry), order);
  }

  /// The same; there is nothing to wait for.
  TASKTWIN_HOST_DEVICE bool try_put(std::uint32_t position, std::uint32_t entry, cuda::memory_order order = kRelease) const {
    put(position, entry, order);
    return true;
  }

  /// What a place holds before the push of `position`.
  TASKTWIN_HOST_DEVICE std::uint64_t empty_place(std::uint32_t position) const { return std::uint64_t{position / capacity} << 32; }

  /// A push of `count` entries has begun.
  TASKTWIN_HOST_DEVICE void announce(std::uint32_t count) const {
    if (unclaimed != nullptr) DeviceWord(*unclaimed).fetch_add(count, kRelaxed);
  }
};

}  // namespace tasktwin::gpu
