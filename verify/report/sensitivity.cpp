#include "verify/report/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "verify/prediction.hpp"

namespace tasktwin::verify {

namespace {

/// The largest change of any design's makespan, as a share of it.
double largest_change(const ConstantEffect& effect, std::span<const Duration> makespans) {
  double largest = 0;
  for (std::size_t d = 0; d < makespans.size(); ++d) {
    if (makespans[d] <= Duration{}) continue;
    const Duration change = effect.makespans[d] - makespans[d];
    largest = std::max(largest, std::abs(static_cast<double>(to_ns(change))) / static_cast<double>(to_ns(makespans[d])));
  }
  return largest;
}

}  // namespace

Sensitivity sensitivity(const scenarios::Scenario& scenario, std::span<const Design> designs, std::span<const Duration> makespans,
                        std::uint64_t seed, Progress& progress) {
  std::vector<const ConstantField*> constants;
  for (const ConstantField& field : constant_fields()) {
    if (field.get(scenario.machine.constants) > 0) constants.push_back(&field);
  }
  Sensitivity result{.tried = constants.size(), .effects = {}};
  scenarios::Scenario changed = scenario;
  progress.expect(constants.size());
  for (const ConstantField* constant : constants) {
    progress.show(fmt::format("simulating {} with {} halved", scenario.name, constant->name));
    ConstantEffect effect{constant, constant->get(scenario.machine.constants), {}};
    constant->set(changed.machine.constants, effect.value * kSensitivityFactor);
    for (const Design& design : designs) effect.makespans.push_back(predict_with_bodies(changed, design, seed, {}));
    constant->set(changed.machine.constants, effect.value);
    if (largest_change(effect, makespans) > kSensitivityThreshold) result.effects.push_back(std::move(effect));
    progress.advance();
  }
  progress.clear();
  progress.expect(0);
  std::ranges::stable_sort(result.effects, std::greater{}, [&](const ConstantEffect& effect) { return largest_change(effect, makespans); });
  return result;
}

}  // namespace tasktwin::verify
