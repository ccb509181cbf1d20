#pragma once

#include <cstdint>

#include "gpu/bodies/host_device.hpp"
#include "models/axes.hpp"

namespace tasktwin::gpu {

/// The order in which a thief tries the others in one round, by distance from itself, going round: the twin of
/// models/policies/victim_policies.hpp for random, next and nearest; most_loaded looks at all lengths in place of an order.
struct VictimRound {
  Victim victim;
  std::uint32_t thief;
  std::uint32_t queues;
  std::uint32_t start = 0;   ///< random
  std::uint32_t stride = 1;  ///< random; shares no divisor with queues − 1

  /// Steele, Lea, Flood 2014, as models/random.hpp has it.
  TASKTWIN_HOST_DEVICE static std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }

  TASKTWIN_HOST_DEVICE static std::uint32_t common_divisor(std::uint32_t a, std::uint32_t b) {
    while (b != 0) {
      const std::uint32_t rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  /// Contract: `thief` < `queues`.
  TASKTWIN_HOST_DEVICE VictimRound(Victim policy, std::uint32_t thief_queue, std::uint32_t queue_count, std::uint64_t seed,
                                   std::uint64_t round)
      : victim(policy), thief(thief_queue), queues(queue_count) {
    if (policy != Victim::kRandom || queues < 2) return;
    const std::uint32_t others = queues - 1;
    std::uint64_t state = mix(mix(mix(mix(seed) ^ thief) ^ round));
    start = static_cast<std::uint32_t>(mix(state++) % others);
    do {
      stride = static_cast<std::uint32_t>(1 + mix(state++) % others);
    } while (common_divisor(stride, others) != 1);
  }

  TASKTWIN_HOST_DEVICE std::uint32_t attempts() const { return queues - 1; }

  /// Contract: attempt < attempts().
  TASKTWIN_HOST_DEVICE std::uint32_t queue(std::uint32_t attempt) const { return (thief + distance(attempt)) % queues; }

 private:
  TASKTWIN_HOST_DEVICE std::uint32_t distance(std::uint32_t attempt) const {
    if (victim == Victim::kRandom) {
      if (queues <= 1u << 16) return 1 + (start + attempt * stride) % (queues - 1);  // no product is too large for 32 bits
      return static_cast<std::uint32_t>(1 + (start + std::uint64_t{attempt} * stride) % (queues - 1));
    }
    if (victim != Victim::kNearest) return attempt + 1;
    const std::uint32_t steps = attempt / 2 + 1;
    return attempt % 2 == 0 ? steps : queues - steps;
  }
};

}  // namespace tasktwin::gpu
