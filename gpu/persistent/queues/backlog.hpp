#pragma once

#include <cstdint>

#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// Entries that a worker could not push, first in, first out, linked through one word an entry: so there is room for any number.
/// Of one thread, or of a warp whose lanes all do the same.
class Backlog {
 public:
  struct Link {
    std::uint32_t next;    ///< 1 + the next entry; 0 for none
    std::uint32_t copies;  ///< of the entry that are to be pushed
  };

  Backlog() = default;
  /// `first` is 1 + the first entry of a list that another thread has linked, `last` 1 + its last; 0 for none.
  TASKTWIN_HOST_DEVICE Backlog(Link* links, std::uint32_t first, std::uint32_t last) : links_(links), last_(last) { go_to(first); }

  TASKTWIN_HOST_DEVICE bool empty() const { return first_ == 0; }
  /// Contract: !empty().
  TASKTWIN_HOST_DEVICE std::uint32_t front() const { return first_ - 1; }

  /// Contract: `entry` is in no other backlog.
  TASKTWIN_HOST_DEVICE void append(std::uint32_t entry, std::uint32_t copies = 1) {
    links_[entry] = {0, copies};
    if (first_ == 0) {
      go_to(1 + entry);
    } else {
      links_[last_ - 1].next = 1 + entry;
    }
    last_ = 1 + entry;
  }

  /// One copy of the first has been pushed.
  TASKTWIN_HOST_DEVICE void pushed() {
    if (--copies_ == 0) go_to(links_[first_ - 1].next);
  }

 private:
  TASKTWIN_HOST_DEVICE void go_to(std::uint32_t first) {
    first_ = first;
    if (first != 0) copies_ = links_[first - 1].copies;
  }

  Link* links_ = nullptr;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  std::uint32_t copies_ = 0;  ///< of the first, that are left
};

/// Pushes what `backlog` holds to `queue`, as far as there is room.
template <class Queue>
TASKTWIN_HOST_DEVICE void push_backlog(Backlog& backlog, const Queue& queue) {
  std::uint32_t position = 0;
  while (!backlog.empty() && queue.reserve(1, position) == 1) {
    while (!queue.try_put(position, backlog.front())) {
    }
    backlog.pushed();
  }
}

}  // namespace tasktwin::gpu
