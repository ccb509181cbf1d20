#pragma once

#include <vector>

#include "gpu/cuda/graph_handle.hpp"
#include "gpu/run/executor_interface.hpp"
#include "gpu/streams/node_parameters.hpp"
#include "gpu/streams/stream_program.hpp"
#include "gpu/streams/stream_set.hpp"
#include "gpu/task_kernels/task_kernels.hpp"

namespace tasktwin::gpu {

/// The graph of a design of driver `cuda_graph` for one mode of running it, and what is done to it between two launches.
class GraphProgram {
 public:
  /// Builds it, node by node or by capture, instantiates and uploads it. `capture` is not null where the design captures, `operations`
  /// where some task is no kernel, `sets` where nodes that are not captured come into sets of cores: a stream in each share.
  GraphProgram(const ExecutorInputs& inputs, const TaskKernels& kernels, RunMode mode, StreamProgram* capture, Operations* operations,
               const StreamSet* sets, cudaStream_t stream);

  void launch() const { check(cudaGraphLaunch(current(), stream_), "launching the graph"); }
  /// As the design's graph_update says; launches in flight are not affected.
  void update();
  /// Contract: no launch is in flight.
  void forget_replaced();

 private:
  static cudaGraph_t build(const ExecutorInputs& inputs, const TaskKernels& kernels, const StreamRun& run, Operations* operations,
                           const StreamSet* sets);
  const ExecutableGraph& current() const { return executables_.back(); }
  void instantiate();

  GraphUpdate how_;
  cudaStream_t stream_;
  CudaGraph graph_;
  std::vector<ExecutableGraph> executables_;  ///< the last one is launched; the others were replaced and may still run
  NodeParameters parameters_;                 ///< of each node, where they are set
};

}  // namespace tasktwin::gpu
