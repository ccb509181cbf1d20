#pragma once

#include <cstdint>

#include "models/axes/scheduling.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::rules {

// Ready queues that several takers share, each of whom has one of them to push to and to take from: its home.

/// How many such queues the design's `ready_queue` and `shards` make for that many takers (dispatchers or workers): each has at least one
/// taker whose home it is.
TASKTWIN_HOST_DEVICE constexpr std::uint32_t home_count(ReadyQueue ready_queue, std::uint32_t shards, std::uint32_t takers) {
  const bool one_each = ready_queue == ReadyQueue::kPerDispatcher || (ready_queue == ReadyQueue::kSharded && shards == 0);
  if (one_each) return takers;
  if (ready_queue != ReadyQueue::kSharded) return 1;
  return shards < takers ? shards : takers;
}

TASKTWIN_HOST_DEVICE constexpr std::uint32_t home_of(std::uint32_t taker, std::uint32_t homes) { return taker % homes; }

/// Where something goes that is pushed at `home`: there, or to the next one after it, going round, for which usable(home) holds because
/// those at home can run it; to `home` if none does.
template <class Usable>
TASKTWIN_HOST_DEVICE constexpr std::uint32_t first_usable(std::uint32_t home, std::uint32_t homes, const Usable& usable) {
  for (std::uint32_t tried = 0; tried < homes && !usable(home); ++tried) home = home + 1 < homes ? home + 1 : 0;
  return home;
}

/// Where tasks go that no dispatcher or worker pushes (roots, and what resolvers and orchestrators release): it is dealt out in turn
/// to those that are usable. `turn` begins at 0 and is updated; workers keep one for each core type, dispatchers one for all.
template <class Usable>
TASKTWIN_HOST_DEVICE constexpr std::uint32_t deal(std::uint32_t& turn, std::uint32_t homes, const Usable& usable) {
  const std::uint32_t home = first_usable(turn, homes, usable);
  turn = home + 1 < homes ? home + 1 : 0;
  return home;
}

}  // namespace tasktwin::rules
