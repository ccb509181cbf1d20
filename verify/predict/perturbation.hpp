#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenarios/load/scenario.hpp"
#include "verify/output/text/json.hpp"
#include "verify/output/text/terminal.hpp"

namespace tasktwin::verify {

/// A quantity of a machine made smaller and larger by kPerturbation, and what that does to predictions.
struct PerturbedQuantity {
  std::string machine;
  std::string quantity;
  double value = 0;
  std::size_t moved = 0;  ///< cases whose predicted makespan changes by more than kMoved, one way or the other
  std::string scenario;   ///< the case that it moves most
  std::string design;
  double smaller = 0;  ///< that case's change, a fraction of its makespan, with the quantity made smaller
  double larger = 0;   ///< and with it made larger

  double most() const;
};

inline constexpr double kPerturbation = 0.2;
inline constexpr double kMoved = 0.005;

/// Adds what one scenario's designs do to `quantities`, one quantity at a time; `jobs` processes simulate (pool.hpp).
void perturb(const scenarios::Scenario& scenario, std::span<const Design> designs, std::vector<PerturbedQuantity>& quantities,
             Progress& progress, std::size_t jobs = 1);

/// The quantities that move any case by more than kMoved, the largest change first, out of `cases` cases.
std::string perturbation_to_text(std::vector<PerturbedQuantity> quantities, std::size_t cases);
Json perturbation_to_json(const std::vector<PerturbedQuantity>& quantities);

}  // namespace tasktwin::verify
