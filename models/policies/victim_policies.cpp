#include "models/policies/victim_policies.hpp"

#include <algorithm>
#include <numeric>

#include "models/random.hpp"

namespace tasktwin {

namespace {

/// Visits the others in an order of their distances 1 to n − 1 from the thief, going round.
class ByDistance : public VictimPolicy {
 public:
  std::optional<std::size_t> next_victim(std::size_t thief, std::uint64_t round, std::size_t attempt,
                                         std::span<const std::size_t> lengths) const override {
    if (attempt + 1 >= lengths.size()) return std::nullopt;
    return (thief + distance(thief, round, attempt, lengths.size())) % lengths.size();
  }

 private:
  virtual std::size_t distance(std::size_t thief, std::uint64_t round, std::size_t attempt, std::size_t queues) const = 0;
};

class RandomVictim final : public ByDistance {
 public:
  explicit RandomVictim(std::uint64_t seed) : seed_(mix(seed)) {}

 private:
  std::size_t distance(std::size_t thief, std::uint64_t round, std::size_t attempt, std::size_t queues) const override {
    const std::size_t others = queues - 1;
    Random random(mix(mix(seed_ ^ thief) ^ round));
    const std::size_t start = random.next() % others;
    std::size_t stride = 1 + random.next() % others;
    while (std::gcd(stride, others) != 1) stride = 1 + random.next() % others;
    return 1 + (start + attempt * stride) % others;
  }

  std::uint64_t seed_;
};

class NextVictim final : public ByDistance {
  std::size_t distance(std::size_t, std::uint64_t, std::size_t attempt, std::size_t) const override { return attempt + 1; }
};

class NearestVictim final : public ByDistance {
  std::size_t distance(std::size_t, std::uint64_t, std::size_t attempt, std::size_t queues) const override {
    const std::size_t steps = attempt / 2 + 1;
    return attempt % 2 == 0 ? steps : queues - steps;
  }
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
    std::ranges::nth_element(
        filled, wanted, [lengths](std::size_t a, std::size_t b) { return lengths[a] != lengths[b] ? lengths[a] > lengths[b] : a < b; });
    return *wanted;
  }
};

}  // namespace

std::unique_ptr<VictimPolicy> make_random_victim(std::uint64_t seed) { return std::make_unique<RandomVictim>(seed); }
std::unique_ptr<VictimPolicy> make_next_victim(std::uint64_t) { return std::make_unique<NextVictim>(); }
std::unique_ptr<VictimPolicy> make_nearest_victim(std::uint64_t) { return std::make_unique<NearestVictim>(); }
std::unique_ptr<VictimPolicy> make_most_loaded_victim(std::uint64_t) { return std::make_unique<MostLoadedVictim>(); }

}  // namespace tasktwin
