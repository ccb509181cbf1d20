#pragma once

#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

/// Stages of `width` tasks between empty joints: joint(s) forks into stage s, joint(s + 1) joins it.
/// stages · (width + 1) + 1 tasks, 2 · stages · width edges.
struct ForkJoinParameters {
  std::int64_t stages = 10;
  std::int64_t width = 100;
  Body body;
};

TaskGraph make_fork_join(const ForkJoinParameters& parameters);

}  // namespace tasktwin::scenarios
