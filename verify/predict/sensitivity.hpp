#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/load/scenario.hpp"
#include "verify/output/text/json.hpp"
#include "verify/output/text/terminal.hpp"

namespace tasktwin::verify {

/// A number of a machine that predictions are made from.
struct MachineQuantity {
  std::string
      name;  ///< as in machine files: "host_calls.launch_ns", "kernels.gemm.overhead_ns", "kernels.gemm.arithmetic" (all its points)
  double value = 0;  ///< of the arithmetic its last point's time
  std::function<void(Machine&, double factor)> scale;
};

/// Every constant, and every kernel's costs, above 0 (a traffic of copies or of a kernel other than 1) in `machine`.
std::vector<MachineQuantity> machine_quantities(const Machine& machine);

/// What the designs of `scenario` take, by design, with that quantity alone multiplied by `factor`; frozen placements are
/// computed anew.
std::vector<Duration> makespans_with(const scenarios::Scenario& scenario, std::span<const Design> designs, std::uint64_t seed,
                                     const MachineQuantity& quantity, double factor);

/// Durations as another process sends them.
Json durations_to_json(std::span<const Duration> durations);
std::vector<Duration> durations_from(const Json& list);

/// What the designs would take if one quantity of the machine were another.
struct QuantityEffect {
  std::string quantity;
  double value = 0;                 ///< as the machine has it
  std::vector<Duration> makespans;  ///< with it changed, by design
};

struct Sensitivity {
  std::size_t tried = 0;  ///< quantities, each changed alone
  std::vector<QuantityEffect> effects;
};

/// What the design review's page multiplies by.
inline constexpr double kSensitivityFactor = 0.5;
/// Quantities that move no design by more than this share of its makespan have no effect worth a row.
inline constexpr double kSensitivityThreshold = 0.0005;
/// Larger graphs are left out unless asked for: all designs are simulated once for each quantity.
inline constexpr std::size_t kSensitivityTasks = 20'000;

/// Of each quantity multiplied by `factor`, alone; those that matter, the largest effect first. `makespans` are the designs'
/// own, by design; `jobs` processes simulate (pool.hpp).
Sensitivity sensitivity(const scenarios::Scenario& scenario, std::span<const Design> designs, std::span<const Duration> makespans,
                        std::uint64_t seed, double factor, Progress& progress, std::size_t jobs = 1);

}  // namespace tasktwin::verify
