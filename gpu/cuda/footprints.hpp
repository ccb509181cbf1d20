#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include "models/cost/footprint.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

// Kernels whose blocks are as a task states them.

/// Dynamic shared memory that a block of `kernel` can have on this GPU, in bytes. Throws RunError.
std::size_t most_shared_bytes(const void* kernel);

/// `wanted` bytes, or as many as a block of `kernel` can have here, which it is allowed from now on. Bodies that need more are refused
/// before (gpu/device/capability.hpp). Throws RunError.
std::size_t allow_shared_bytes(const void* kernel, std::size_t wanted);

/// Lets `kernel` be launched with as much shared memory as a block can have, and in clusters of any size. Throws RunError.
void allow_any_block(const void* kernel);

/// Registers of a thread as `kernel` was compiled. Throws RunError.
int registers_of(const void* kernel);

/// What a launch with such blocks requests in addition to blocks, threads and shared memory.
std::vector<cudaLaunchAttribute> footprint_attributes(const Footprint& block);

/// The same for a kernel node. Throws RunError.
void set_node_footprint(cudaGraphNode_t node, const Footprint& block);

/// Throws InputError naming the first task that states another number of registers than its kernel has, with both. `registers`: those of
/// the kernel that has a core to itself, or of the one that runs in any block.
void check_registers(const TaskGraph& graph, int (*registers)(bool whole_core));

}  // namespace tasktwin::gpu
