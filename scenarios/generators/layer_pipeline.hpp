#pragma once

#include "scenarios/generators.hpp"

namespace tasktwin::scenarios {

/// Micro-batches through a model whose layers are spread over devices, that many a device (Huang et al., "GPipe", 2019): each device takes
/// the micro-batches in order, each a chain of its layers' kernels, and hands their activations on. stages · micro_batches · layers tasks.
struct LayerPipelineParameters {
  int stages = 2;
  std::int64_t micro_batches = 8;
  std::int64_t layers = 4;  ///< of a stage
  int blocks = 132;
  Duration time{20'000};  ///< of a layer's kernel
  std::int64_t bytes = 1'048'576;
  bool placed = true;  ///< tasks name their stage's device
};

TaskGraph make_layer_pipeline(const LayerPipelineParameters& parameters);
Generator layer_pipeline_generator();

}  // namespace tasktwin::scenarios
