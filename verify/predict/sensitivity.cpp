#include "verify/predict/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "verify/pool/in_parallel.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

namespace {

/// The largest change of any design's makespan, as a share of it.
double largest_change(const QuantityEffect& effect, std::span<const Duration> makespans) {
  double largest = 0;
  for (std::size_t d = 0; d < makespans.size(); ++d) {
    if (makespans[d] <= Duration{}) continue;
    const Duration change = effect.makespans[d] - makespans[d];
    largest = std::max(largest, std::abs(static_cast<double>(to_ns(change))) / static_cast<double>(to_ns(makespans[d])));
  }
  return largest;
}

void add_kernel(std::vector<MachineQuantity>& quantities, const Machine& machine, Kernel kernel, std::string_view word) {
  const auto at = static_cast<std::size_t>(kernel);
  const KernelCost& cost = machine.kernels[at];
  for (const KernelField& field : kernel_fields()) {
    const double value = field.get(cost);
    if (value == field.absent) continue;
    quantities.push_back({fmt::format("kernels.{}.{}", word, field.name), value, [at, &field](Machine& changed, double factor) {
                            field.set(changed.kernels[at], factor * field.get(changed.kernels[at]));
                          }});
  }
  if (cost.arithmetic.empty()) return;
  quantities.push_back({fmt::format("kernels.{}.arithmetic", word), cost.arithmetic.back().ns, [at](Machine& changed, double factor) {
                          for (KernelCost::Point& point : changed.kernels[at].arithmetic) point.ns *= factor;
                        }});
}

}  // namespace

std::vector<MachineQuantity> machine_quantities(const Machine& machine) {
  std::vector<MachineQuantity> quantities;
  for (const ConstantField* field : constants_of(machine)) {
    const double value = field->get(machine);
    const bool is_neutral = field->unit == Unit::kRatio && value == 1;
    if (value <= 0 || is_neutral || field->unit == Unit::kCount) continue;
    quantities.push_back(
        {field->key, value, [field](Machine& changed, double factor) { field->set(changed, factor * field->get(changed)); }});
  }
  for (const auto& [kernel, word] : Words<Kernel>::entries) add_kernel(quantities, machine, kernel, word);
  return quantities;
}

std::vector<Duration> makespans_with(const scenarios::Scenario& scenario, std::span<const Design> designs, std::uint64_t seed,
                                     const MachineQuantity& quantity, double factor) {
  scenarios::Scenario changed = scenario;
  quantity.scale(changed.machine, factor);
  std::vector<Duration> makespans;
  for (const Design& design : designs) makespans.push_back(predict_makespan(changed, design, seed));
  return makespans;
}

Json durations_to_json(std::span<const Duration> durations) {
  Json list = Json::array();
  for (const Duration duration : durations) list.push_back(to_ns(duration));
  return list;
}

std::vector<Duration> durations_from(const Json& list) {
  std::vector<Duration> durations;
  for (const Json& ns : list) durations.emplace_back(ns.get<std::int64_t>());
  return durations;
}

Sensitivity sensitivity(const scenarios::Scenario& scenario, std::span<const Design> designs, std::span<const Duration> makespans,
                        std::uint64_t seed, double factor, Progress& progress, std::size_t jobs) {
  const std::vector<MachineQuantity> quantities = machine_quantities(scenario.machine);
  Sensitivity result{.tried = quantities.size(), .effects = {}};
  progress.expect(quantities.size());
  const auto changed = [&](std::size_t i) { return durations_to_json(makespans_with(scenario, designs, seed, quantities[i], factor)); };
  const auto show = [&](std::size_t i) {
    if (i < quantities.size()) progress.show(fmt::format("simulating {} with {} times {}", scenario.name, quantities[i].name, factor));
  };
  show(0);
  in_parallel(jobs, quantities.size(), changed, [&](std::size_t i, const Json& ns) {
    QuantityEffect effect{quantities[i].name, quantities[i].value, durations_from(ns)};
    if (largest_change(effect, makespans) > kSensitivityThreshold) result.effects.push_back(std::move(effect));
    progress.advance();
    show(i + 1);
  });
  progress.clear();
  progress.expect(0);
  std::ranges::stable_sort(result.effects, std::greater{}, [&](const QuantityEffect& effect) { return largest_change(effect, makespans); });
  return result;
}

}  // namespace tasktwin::verify
