#pragma once

#include <array>

#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

/// How many tasks a task below the root spawns, as in the Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006).
enum class Offspring : std::uint8_t {
  kBinomial,   ///< `branching` with probability_ppm / 10⁶, else none: subtrees of 1 / (1 − q·m) tasks on average, all ages alike
  kGeometric,  ///< geometrically distributed about branching · (1 − depth / max_depth): UTS's linear shape
};

}  // namespace tasktwin::scenarios

namespace tasktwin {
template <>
struct Words<scenarios::Offspring> {
  static constexpr std::array entries{std::pair{scenarios::Offspring::kBinomial, std::string_view{"binomial"}},
                                      std::pair{scenarios::Offspring::kGeometric, std::string_view{"geometric"}}};
};
}  // namespace tasktwin

namespace tasktwin::scenarios {

/// An unbalanced tree of tasks, each spawned by its parent. The root spawns as many subtrees as it takes to have exactly
/// `tasks` tasks, the last of them cut off there: tasks − 1 edges. Ids in depth-first order, layers by depth.
struct SpawnTreeParameters {
  Offspring offspring = Offspring::kBinomial;
  std::int64_t tasks = 10'000;
  std::int64_t branching = 8;
  std::int64_t probability_ppm = 124'875;  ///< UTS's q = 0.124875 with m = 8: subtrees of 1000 tasks on average
  std::int64_t max_depth = 1000;           ///< tasks this deep spawn none; the root has depth 0
  Body body;
};

TaskGraph make_spawn_tree(const SpawnTreeParameters& parameters, std::uint64_t seed);

}  // namespace tasktwin::scenarios
