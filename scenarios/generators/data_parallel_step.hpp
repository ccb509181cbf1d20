#pragma once

#include "scenarios/generator.hpp"

namespace tasktwin::scenarios {

/// One training step with the same model on every device (Li et al., "PyTorch Distributed", 2020): forward and backward through the layers
/// in stream 0, and in stream 1 an all_reduce over the gradients of each bucket of layers as soon as they are there; the optimizer waits
/// for the last. devices · (2 · layers + buckets + 1) tasks.
struct DataParallelStepParameters {
  int devices = 2;
  std::int64_t layers = 32;
  std::int64_t bucket = 4;  ///< layers whose gradients are added up together
  int blocks = 132;
  Duration forward_time{20'000};
  Duration backward_time{40'000};
  Duration optimizer_time{50'000};
  std::int64_t layer_bytes = 8'388'608;  ///< of a layer's gradients

  std::int64_t buckets() const { return (layers + bucket - 1) / bucket; }
};

TaskGraph make_data_parallel_step(const DataParallelStepParameters& parameters);
Generator data_parallel_step_generator();

}  // namespace tasktwin::scenarios
