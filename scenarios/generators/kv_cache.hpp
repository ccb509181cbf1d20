#pragma once

#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// Key/value caches that grow: in each step each sequence allocates a cache larger by `bytes`, a kernel moves the old one over and
/// attends to it, and the old one is freed. Sequence s is in stream s modulo the design's. 3 · sequences · steps tasks,
/// sequences · (3 · steps − 1) edges.
struct KvCacheParameters {
  std::int64_t sequences = 16;
  std::int64_t steps = 64;
  std::int64_t bytes = 2'097'152;
  Duration time{20'000};
};

TaskGraph make_kv_cache(const KvCacheParameters& parameters);

}  // namespace tasktwin::scenarios
