#pragma once

#include "scenarios/generator.hpp"

namespace tasktwin::scenarios {

/// Layers of a mixture of experts whose experts are spread over devices (Lepikhin et al., "GShard", 2020): each device routes its tokens,
/// an all_to_all brings them to their experts' devices, each device runs its experts side by side, another brings the results back, and
/// each combines them. layers · devices · (experts + 4) tasks.
struct ExpertParallelParameters {
  int devices = 2;
  std::int64_t layers = 8;
  std::int64_t experts = 4;  ///< of a device
  int blocks = 32;           ///< of an expert's kernel
  Duration expert_time{30'000};
  Duration router_time{5'000};
  Duration combine_time{5'000};
  std::int64_t bytes = 4'194'304;  ///< that a device sends
};

TaskGraph make_expert_parallel(const ExpertParallelParameters& parameters);
Generator expert_parallel_generator();

}  // namespace tasktwin::scenarios
