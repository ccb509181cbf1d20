#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

/// What a design takes in each of a scenario's draws (`graph.draws`), ns, in their order.
struct DrawnMakespans {
  std::string design;
  std::vector<double> makespans;
};

/// Of the scenario's designs, of `designs` of them, or of what the plan in the file `plan` does; one run a draw, with `seed` or the
/// scenario's. Throws InputError for a scenario without draws, and as load_selections and follow_plan do.
std::vector<DrawnMakespans> over_draws(const std::string& scenario, const std::string& designs, const std::string& plan,
                                       std::optional<std::uint64_t> seed, Progress& progress);

}  // namespace tasktwin::verify
