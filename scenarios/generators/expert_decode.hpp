#pragma once

#include <cstdint>

#include "models/base/units.hpp"
#include "models/graph/task_graph.hpp"
#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// Decode steps of a model with experts. A layer: regular `dense` tiles a head group, ragged `attention` of each sequence after those of
/// its group, regular `dense` tiles after all of it, a `router`, and `expert` tiles, whose time is in proportion to the tokens that the
/// expert got. What an attention or an expert takes is known in the run alone: its estimate is the mean. Stages are layers 0 to 4, 5 to 9,
/// …
struct ExpertDecodeParameters {
  std::int64_t layers = 4;
  std::int64_t groups = 8;        ///< head groups
  std::int64_t dense_tiles = 33;  ///< of a group, before its attention; as many for all groups together after it
  Duration dense_time{4000};
  std::int64_t sequences = 64;  ///< of each group
  Duration attention_time{6000};
  std::int64_t spread_percent = 90;
  std::int64_t experts = 64;
  std::int64_t expert_tiles = 4;  ///< of each expert
  Duration expert_time{6000};     ///< of a tile, on average
  std::int64_t skew_percent = 100;
};

TaskGraph make_expert_decode(const ExpertDecodeParameters& parameters, std::uint64_t seed);

}  // namespace tasktwin::scenarios
