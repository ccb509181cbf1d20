#pragma once

#include <vector>

#include <cuda_runtime_api.h>

#include "models/footprint.hpp"
#include "models/task_graph.hpp"

namespace tasktwin::gpu {

// Kernels whose blocks are as a task states them.

/// Lets `kernel` be launched with as much shared memory as a block can have, and in clusters of any size. Throws RunError.
void allow_any_block(const void* kernel);

/// Registers of a thread as `kernel` was compiled. Throws RunError.
int registers_of(const void* kernel);

/// What a launch with such blocks asks for beside blocks, threads and shared memory.
std::vector<cudaLaunchAttribute> footprint_attributes(const Footprint& block);

/// The same for a kernel node. Throws RunError.
void set_node_footprint(cudaGraphNode_t node, const Footprint& block);

/// Throws InputError naming the first task that states another number of registers than its kernel has, with both. `registers`: those of
/// the kernel that has a core to itself, or of the one that runs in any block.
void check_registers(const TaskGraph& graph, int (*registers)(bool whole_core));

}  // namespace tasktwin::gpu
