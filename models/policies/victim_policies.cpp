#include "models/policies/built_in.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "models/rules/victim.hpp"

namespace tasktwin {

namespace {

/// `a` · x = 1 modulo `modulus`. Contract: they share no divisor.
std::int64_t inverse(std::int64_t a, std::int64_t modulus) {
  std::int64_t before = modulus;
  std::int64_t x_before = 0;
  std::int64_t x = 1;
  while (a > 1) {
    const std::int64_t times = before / a;
    std::tie(before, a) = std::pair(a, before % a);
    std::tie(x_before, x) = std::pair(x, x_before - times * x);
  }
  return x < 0 ? x + modulus : x;
}

/// Which attempt of a round is on a queue.
class AttemptOn {
 public:
  AttemptOn(Victim victim, const rules::VictimRound& order, std::size_t thief, std::size_t queues)
      : victim_(victim), thief_(static_cast<std::int64_t>(thief)), queues_(static_cast<std::int64_t>(queues)) {
    if (victim != Victim::kRandom) return;
    start_ = distance(order.queue(0));
    if (order.attempts() > 1) {
      const std::int64_t others = queues_ - 1;
      back_ = inverse((distance(order.queue(1)) - start_ + others) % others, others);
    }
  }

  /// Contract: it is not the thief's.
  std::size_t operator()(std::uint32_t queue) const {
    const std::int64_t far = distance(queue);
    if (victim_ == Victim::kRandom) {
      const std::int64_t others = queues_ - 1;
      return static_cast<std::size_t>((far - start_ + others) % others * back_ % others);
    }
    if (victim_ == Victim::kNearest) return static_cast<std::size_t>(std::min(2 * (far - 1), 2 * (queues_ - far) - 1));
    return static_cast<std::size_t>(far - 1);
  }

 private:
  std::int64_t distance(std::uint32_t queue) const { return (queue - thief_ + queues_) % queues_; }

  Victim victim_;
  std::int64_t thief_;
  std::int64_t queues_;
  std::int64_t start_ = 0;
  std::int64_t back_ = 0;  ///< attempts that lead one queue further
};

/// random, next, nearest.
class OrderedVictim final : public VictimPolicy {
 public:
  OrderedVictim(Victim victim, std::uint64_t seed) : victim_(victim), seed_(seed) {}

  std::optional<std::size_t> next_victim(std::size_t thief, std::uint64_t round, std::size_t attempt,
                                         std::span<const std::size_t> lengths) const override {
    const auto queues = static_cast<std::uint32_t>(lengths.size());
    const rules::VictimRound order(victim_, static_cast<std::uint32_t>(thief), queues, seed_, round);
    if (attempt >= order.attempts()) return std::nullopt;
    return order.queue(static_cast<std::uint32_t>(attempt));
  }

  std::optional<Attempt> first_filled(std::size_t thief, std::uint64_t round, std::span<const std::uint32_t> filled,
                                      std::span<const std::size_t> lengths) const override {
    const auto queues = static_cast<std::uint32_t>(lengths.size());
    if (queues < 2 || filled.empty()) return std::nullopt;
    const rules::VictimRound order(victim_, static_cast<std::uint32_t>(thief), queues, seed_, round);
    constexpr std::size_t kFew = 4;
    if (filled.size() * kFew >= lengths.size()) {
      for (std::uint32_t attempt = 0; attempt < order.attempts(); ++attempt) {
        if (const std::uint32_t queue = order.queue(attempt); lengths[queue] > 0) return Attempt{attempt, queue};
      }
      return std::nullopt;
    }
    const AttemptOn attempt_on(victim_, order, thief, lengths.size());
    std::optional<Attempt> first;
    for (const std::uint32_t queue : filled) {
      if (queue == thief) continue;
      const std::size_t attempt = attempt_on(queue);
      if (!first || attempt < first->attempt) first = Attempt{attempt, queue};
    }
    return first;
  }

 private:
  Victim victim_;
  std::uint64_t seed_;
};

class MostLoadedVictim final : public VictimPolicy {
 public:
  std::optional<std::size_t> next_victim(std::size_t thief, std::uint64_t, std::size_t attempt,
                                         std::span<const std::size_t> lengths) const override {
    std::vector<std::size_t> filled;
    for (std::size_t queue = 0; queue < lengths.size(); ++queue) {
      if (queue != thief && lengths[queue] > 0) filled.push_back(queue);
    }
    if (attempt >= filled.size()) return std::nullopt;
    const auto wanted = filled.begin() + static_cast<std::ptrdiff_t>(attempt);
    std::ranges::nth_element(filled, wanted,
                             [lengths](std::size_t a, std::size_t b) { return rules::is_tried_before(lengths[a], a, lengths[b], b); });
    return *wanted;
  }

  std::optional<Attempt> first_filled(std::size_t thief, std::uint64_t, std::span<const std::uint32_t> filled,
                                      std::span<const std::size_t> lengths) const override {
    std::optional<Attempt> first;
    for (const std::size_t queue : filled) {
      if (queue == thief) continue;
      if (!first || rules::is_tried_before(lengths[queue], queue, lengths[first->queue], first->queue)) first = Attempt{0, queue};
    }
    return first;
  }
};

}  // namespace

std::unique_ptr<VictimPolicy> make_ordered_victim(Victim victim, std::uint64_t seed) {
  return std::make_unique<OrderedVictim>(victim, seed);
}
std::unique_ptr<VictimPolicy> make_most_loaded_victim(Victim, std::uint64_t) { return std::make_unique<MostLoadedVictim>(); }

}  // namespace tasktwin
