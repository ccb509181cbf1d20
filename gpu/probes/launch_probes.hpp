#pragma once

#include <cstddef>

#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// What the host's calls on a CUDA graph with a kernel node a task take, and what the device makes of it, both idle before each
/// launch; medians, in nanoseconds. What changes a graph in place also makes the next launch dearer: that is counted in.
struct GraphCallTimes {
  std::size_t nodes = 0;
  std::size_t roots = 0;    ///< nodes without predecessors
  double host_call_ns = 0;  ///< GraphLaunch::reference_launch in between
  double build_ns = 0;      ///< adding all nodes and edges
  double instantiate_ns = 0;
  double upload_ns = 0;        ///< the call alone
  double launch_ns = 0;        ///< of a graph uploaded and launched before
  double first_launch_ns = 0;  ///< of one neither uploaded nor launched before
  double set_nodes_ns = 0;     ///< setting all nodes' parameters
  double update_ns = 0;        ///< updating it in place from another graph
  double first_start_ns = 0;   ///< launch call begun → the first body starts
  double makespan_ns = 0;      ///< launch call begun → the last body has ended
};

/// The kernels are those of the design cuda-graph. Contract: there is a GPU; no task has a predicate or is spawned. Throws RunError.
GraphCallTimes probe_graph_calls(const TaskGraph& graph);

/// What calls of the host that wait take; medians, in nanoseconds.
struct HostCallTimes {
  double event_sync_ns = 0;   ///< blocking for an event that has come
  double stream_sync_ns = 0;  ///< for a stream that is empty
  double device_sync_ns = 0;  ///< for a device that is idle
  double clock_ns = 0;        ///< reading the clock that a host's threads stamp with
};

/// Contract: there is a GPU. Throws RunError.
HostCallTimes probe_host_calls();

/// Kernels that take nothing but stamps around their bodies, one after the other; ended to started, in nanoseconds.
struct PlainChainTimes {
  double graph_gap_ns = 0;
  double stream_gap_ns = 0;  ///< in one stream, the host ahead
  double block_ns = 0;       ///< by how much longer a kernel of a graph without a body takes for each of its blocks
};

/// Contract: there is a GPU. Throws RunError.
PlainChainTimes probe_plain_chains();

/// What the host meets during a kernel that runs; medians, in nanoseconds.
struct BesideKernelTimes {
  int launches = 0;      ///< that a stream took after the kernel before the call for a further one blocked
  double malloc_ns = 0;  ///< cudaMalloc of 64 MiB, another stream's kernel running
  double free_ns = 0;    ///< cudaFree of it: from the call to its return
  double left_ns = 0;    ///< of the kernel, when that call was made
};

/// Contract: there is a GPU. Throws RunError.
BesideKernelTimes probe_beside_kernel();

/// How long threads of the host that hand tasks over are delayed by what they share; medians of 9 rounds, in nanoseconds. A round whose
/// threads are disturbed is made again, up to twice, and the least disturbed counts.
struct HostContentionTimes {
  double queue_ns = 0;            ///< a push to the ready queue or a claim, by a thread that finds no other there
  double contended_queue_ns = 0;  ///< between two of them, if threads wait for it all the time
  double line_ns = 0;             ///< added to decrementing a counter where another thread has had its cache line
};

/// Needs no GPU. Contract: threads > 0.
HostContentionTimes probe_host_contention(int threads);

}  // namespace tasktwin::gpu
