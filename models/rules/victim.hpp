#pragma once

#include <cstdint>

#include "models/axes/queues.hpp"
#include "models/base/host_device.hpp"
#include "models/base/random.hpp"

namespace tasktwin::rules {

/// The order in which a thief tries the others' queues in one round, where lengths do not decide it:
///   random   from a drawn start in drawn strides that meet each of them once (the order of Go's scheduler, runtime/proc.go: randomOrder);
///            start and stride depend on seed, thief and round
///   next     cyclic from the one after the thief
///   nearest  one after, one before, two after, two before, …
class VictimRound {
 public:
  /// Contract: `thief` < `queues`.
  TASKTWIN_HOST_DEVICE constexpr VictimRound(Victim victim, std::uint32_t thief, std::uint32_t queues, std::uint64_t seed,
                                             std::uint64_t round)
      : victim_(victim), thief_(thief), queues_(queues) {
    if (victim != Victim::kRandom || queues < 2) return;
    const std::uint32_t others = queues - 1;
    Random random(mix(mix(mix(seed) ^ thief) ^ round));
    start_ = static_cast<std::uint32_t>(random.next() % others);
    do {
      stride_ = static_cast<std::uint32_t>(1 + random.next() % others);
    } while (common_divisor(stride_, others) != 1);
  }

  TASKTWIN_HOST_DEVICE constexpr std::uint32_t attempts() const { return queues_ - 1; }

  /// Contract: attempt < attempts(), and the policy is not most_loaded, whose order is_tried_before() says.
  TASKTWIN_HOST_DEVICE constexpr std::uint32_t queue(std::uint32_t attempt) const { return (thief_ + distance(attempt)) % queues_; }

 private:
  TASKTWIN_HOST_DEVICE static constexpr std::uint32_t common_divisor(std::uint32_t a, std::uint32_t b) {
    while (b != 0) {
      const std::uint32_t rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  /// From the thief, going round.
  TASKTWIN_HOST_DEVICE constexpr std::uint32_t distance(std::uint32_t attempt) const {
    switch (victim_) {
      case Victim::kRandom:
        if (queues_ <= 1u << 16) return 1 + (start_ + attempt * stride_) % (queues_ - 1);  // no product is too large for 32 bits
        return static_cast<std::uint32_t>(1 + (start_ + std::uint64_t{attempt} * stride_) % (queues_ - 1));
      case Victim::kNext:
        return attempt + 1;
      case Victim::kNearest:
        return attempt % 2 == 0 ? attempt / 2 + 1 : queues_ - (attempt / 2 + 1);
      case Victim::kMostLoaded:
        break;
    }
    return 0;
  }

  Victim victim_;
  std::uint32_t thief_;
  std::uint32_t queues_;
  std::uint32_t start_ = 0;   ///< random
  std::uint32_t stride_ = 1;  ///< random; shares no divisor with queues − 1
};

/// Whether the order of most_loaded tries queue `a` before queue `b`: the longer first, of equal ones the lower. It tries no empty one.
TASKTWIN_HOST_DEVICE constexpr bool is_tried_before(std::uint64_t length_a, std::uint64_t a, std::uint64_t length_b, std::uint64_t b) {
  return length_a != length_b ? length_a > length_b : a < b;
}

}  // namespace tasktwin::rules
