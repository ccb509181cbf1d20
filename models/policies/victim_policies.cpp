#include "models/policies/victim_policies.hpp"

#include <algorithm>

#include "models/rules/victim.hpp"

namespace tasktwin {

namespace {

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
};

}  // namespace

std::unique_ptr<VictimPolicy> make_ordered_victim(Victim victim, std::uint64_t seed) {
  return std::make_unique<OrderedVictim>(victim, seed);
}
std::unique_ptr<VictimPolicy> make_most_loaded_victim(Victim, std::uint64_t) { return std::make_unique<MostLoadedVictim>(); }

}  // namespace tasktwin
