#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"
#include "verify/output/terminal.hpp"

namespace tasktwin::verify {

/// What the designs would take if one constant of the machine were another.
struct ConstantEffect {
  const ConstantField* constant = nullptr;
  double value = 0;                 ///< as the machine has it
  std::vector<Duration> makespans;  ///< with it changed, by design
};

struct Sensitivity {
  std::size_t tried = 0;  ///< constants above 0, each changed alone
  std::vector<ConstantEffect> effects;
};

/// A constant is multiplied by it.
inline constexpr double kSensitivityFactor = 0.5;
/// Constants that move no design by more than this share of its makespan have no effect worth a row.
inline constexpr double kSensitivityThreshold = 0.0005;
/// Larger graphs are left out unless asked for: all designs are simulated once for each constant.
inline constexpr std::size_t kSensitivityTasks = 20'000;

/// Halves each constant by itself and simulates every design with `seed` again; frozen placements are computed anew. Those
/// that matter, the largest effect first. `makespans` are the designs' own, by design.
Sensitivity sensitivity(const scenarios::Scenario& scenario, std::span<const Design> designs, std::span<const Duration> makespans,
                        std::uint64_t seed, Progress& progress);

}  // namespace tasktwin::verify
