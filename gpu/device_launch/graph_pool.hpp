#pragma once

#include <vector>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/cuda/graph_handle.hpp"
#include "gpu/device_launch/graph_kernels.hpp"

namespace tasktwin::gpu {

/// The executable graphs of one kind of run, on the device and ready to be launched there: one a slot, and the scheduler's.
///
/// How long a launch from the device takes depends on which 2 MiB of memory the driver has put the launching graph in: on an H200 1.75 or
/// 2.0 us, the same each time, whatever it launches (10 graphs of a scheduler that launched 4 x 120 graphs, all from multiprocessor 124).
/// So there are several graphs of the scheduler, apart from each other, and the quickest is used.
class GraphPool {
 public:
  /// `run` as the kernels are to have it, but for its slots. Leaves batches and the scheduler's state other than it found them. Throws
  /// RunError.
  GraphPool(GraphRun run, const Footprint& block, cudaStream_t stream);

  cudaGraphExec_t scheduler() const { return schedulers_[quickest_]; }

 private:
  std::size_t find_quickest(const GraphRun& run, cudaStream_t stream) const;

  DeviceBuffer<cudaGraphExec_t> handles_;
  std::vector<ExecutableGraph> slots_;
  std::vector<ExecutableGraph> schedulers_;
  std::size_t quickest_ = 0;
};

}  // namespace tasktwin::gpu
