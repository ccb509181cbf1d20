#pragma once

#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

/// Layers of `width` tasks (the last may be smaller); each task outside the first layer waits for
/// min(predecessors, width) distinct random tasks of the layer before. Times are uniform in [min_time_ns, max_time_ns].
/// `tasks` tasks, max(0, tasks − width) · min(predecessors, width) edges.
struct LayeredRandomParameters {
  std::int64_t tasks = 1000;
  std::int64_t width = 100;
  std::int64_t predecessors = 3;
  Duration min_time{500};
  Duration max_time{1500};
  CoreType core_type = CoreType::kSm;
};

TaskGraph make_layered_random(const LayeredRandomParameters& parameters, std::uint64_t seed);

}  // namespace tasktwin::scenarios
