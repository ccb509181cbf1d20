#pragma once

#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// Tasks that memory delays and tasks that arithmetic does, one after the other in turn and waiting for nothing: `pairs` of each. A
/// count of 0 bytes or 0 flops leaves that kind out. Task i of either kind asks for stream i modulo the design's.
struct MixedBoundParameters {
  std::int64_t pairs = 528;
  std::int64_t bytes = 1'048'576;
  std::int64_t flops = 10'000'000;
};

TaskGraph make_mixed_bound(const MixedBoundParameters& parameters);

}  // namespace tasktwin::scenarios
