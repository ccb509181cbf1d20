#pragma once

#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// One layer of a language model over a batch of sequences: attention of each sequence, as long as the sequence, then the MLP of
/// each group of sequences in tiles of equal work. Attention times are uniform in attention_time · (1 ± spread_percent / 100).
/// batch + ⌈batch / group⌉ · mlp_tiles tasks, batch · mlp_tiles edges: a tile waits for every sequence of its group.
struct AttentionMlpParameters {
  std::int64_t batch = 1024;
  Duration attention_time{10'000};
  std::int64_t spread_percent = 90;
  std::int64_t group = 64;
  std::int64_t mlp_tiles = 16;
  Duration mlp_time{5'000};
};

TaskGraph make_attention_mlp(const AttentionMlpParameters& parameters, std::uint64_t seed);

}  // namespace tasktwin::scenarios
