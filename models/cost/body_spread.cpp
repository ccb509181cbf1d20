#include "models/cost/body_spread.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/random.hpp"

namespace tasktwin {

namespace {

constexpr double kMostSigmas = 3;  ///< further away is no body of a step

}  // namespace

BodyCost drawn_body(const KernelCost& kernel, BodyCost cost, std::uint64_t seed, std::uint32_t draw, std::uint32_t block) {
  if (!spreads(kernel)) return cost;
  constexpr std::uint64_t kOfSpread = 0x5b4ead;  // no other draw of a task begins so
  Random random(mix(seed ^ kOfSpread) ^ mix((std::uint64_t{draw} << 32) | block));
  const double drawn = std::clamp(random.normal(), -kMostSigmas, kMostSigmas);
  cost.overhead = std::max(Duration{0}, cost.overhead + round_ns(drawn * kernel.spread));
  const double times = std::max(0.0, 1 + drawn * kernel.varies);
  cost.fixed = Duration{std::llround(times * static_cast<double>(cost.fixed.count()))};
  cost.bytes = {std::llround(times * static_cast<double>(cost.bytes.count))};
  return cost;
}

}  // namespace tasktwin
