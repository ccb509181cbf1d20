#pragma once

#include <vector>

#include "gpu/cuda_graph.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/device_launch/graph_kernels.hpp"

namespace tasktwin::gpu {

/// The executable graphs of one kind of run, on the device and ready to be launched there: one a slot, and the scheduler's.
class GraphPool {
 public:
  /// `run` as the kernels are to have it, but for its slots, of which it says how many. Throws RunError.
  GraphPool(GraphRun run, cudaStream_t stream) : handles_(run.slot_count, "the graphs") {
    run.slots = handles_.data();
    std::vector<cudaGraphExec_t> handles;
    slots_.reserve(run.slot_count);
    for (std::uint32_t slot = 0; slot < run.slot_count; ++slot) {
      CudaGraph graph;
      add_batch_node(graph, run, slot);
      handles.push_back(uploaded(slots_.emplace_back(graph, cudaGraphInstantiateFlagDeviceLaunch), stream));
    }
    check(cudaMemcpyAsync(handles_.data(), handles.data(), handles_.bytes(), cudaMemcpyHostToDevice, stream), "naming the graphs");
    CudaGraph graph;
    add_scheduler_node(graph, run);
    uploaded(scheduler_.emplace_back(graph, cudaGraphInstantiateFlagDeviceLaunch), stream);
    check(cudaStreamSynchronize(stream), "uploading the graphs");
  }

  cudaGraphExec_t scheduler() const { return scheduler_.front(); }

 private:
  static cudaGraphExec_t uploaded(const ExecutableGraph& graph, cudaStream_t stream) {
    check(cudaGraphUpload(graph, stream), "uploading a graph");
    return graph;
  }

  DeviceBuffer<cudaGraphExec_t> handles_;
  std::vector<ExecutableGraph> slots_;
  std::vector<ExecutableGraph> scheduler_;  ///< one
};

}  // namespace tasktwin::gpu
