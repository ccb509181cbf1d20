#pragma once

#include <cuda_runtime_api.h>

#include "gpu/persistent/launch/persistent_run.hpp"
#include "gpu/persistent/layer_barrier/layer_gates.hpp"

namespace tasktwin::gpu {

/// The workers' lists, one after the other, each in the order of its tasks' layers, and the barriers between those.
struct LayerBarrier {
  const std::uint32_t* first;   ///< per worker, and one more: place of its first task
  const DeviceTask* tasks;      ///< by place
  const std::uint32_t* layers;  ///< by place
  LayerGates gates;
  std::uint64_t* opened_at;  ///< by layer; where phases are stamped
};

void launch_layer_barrier(const PersistentRun& run, const LayerBarrier& barrier, cudaStream_t stream);

}  // namespace tasktwin::gpu
