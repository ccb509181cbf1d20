#pragma once

#include <cuda_runtime_api.h>

#include "gpu/cuda/graph_handle.hpp"
#include "gpu/device_launch/launched_run.hpp"
#include "models/cost/footprint.hpp"
#include "models/design/axes.hpp"
#include "models/design/design.hpp"
#include "models/rules/claim.hpp"

namespace tasktwin::gpu {

/// One launch by the scheduler, on the global timer.
struct GraphLaunchSpan {
  std::uint64_t begin;
  std::uint64_t end;
};

/// What the executions of the scheduler leave each other, and tell the host. Zero before a run.
struct GraphState {
  std::uint32_t pushed;     ///< tasks that have become ready, the roots not counted
  std::uint32_t launched;   ///< tasks taken from the ready ring
  std::uint32_t graphs;     ///< launched in all
  std::uint32_t abort;      ///< the host has called the run off
  std::uint32_t failure;    ///< the first error of a launch; 0 for none
  std::uint32_t is_timed;   ///< the scheduler is to do nothing but launch every slot's graph once
  std::uint32_t launch_ns;  ///< for how long it then was at that
};

/// A run in which a scheduler kernel launches graphs of one kernel node; pointers are to device memory.
struct GraphRun {
  LaunchedRun run;
  GraphState* state;
  std::uint32_t* ready;  ///< by order of becoming ready: 1 + TaskId; 0 for none yet
  std::uint32_t task_count;
  std::uint32_t root_count;
  std::uint32_t batch;           ///< tasks a graph, at most
  std::uint32_t* batches;        ///< per slot `batch` TaskIds
  std::uint32_t* blocks_left;    ///< per slot: blocks of its kernel that have not ended
  const cudaGraphExec_t* slots;  ///< kMostGraphLaunches executable graphs, each of which runs one batch
  LaunchMode mode;
  rules::ClaimRule claim;
  GraphLaunchSpan* spans;  ///< by launch; null unless phases are stamped
};

/// Call once before adding nodes: sizes shared memory.
void prepare_graph_kernels();

/// As task_registers(), of the kernels that run batches.
int batch_registers(bool whole_core);

/// A graph that runs the contents of batch `slot`, all of whose tasks have such blocks; a graph that runs the scheduler. The parameters are
/// copied. Throws RunError.
void add_batch_node(const CudaGraph& graph, const GraphRun& run, const Footprint& block, std::uint32_t slot);
void add_scheduler_node(const CudaGraph& graph, const GraphRun& run);

}  // namespace tasktwin::gpu
