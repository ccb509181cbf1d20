#include "gpu/cuda/footprints.hpp"

#include <algorithm>
#include <string>

#include "gpu/cuda/cuda_error.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {

std::size_t most_shared_bytes(const void* kernel) {
  int device = 0;
  int bytes = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "asking for the GPU's properties");
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "asking for a kernel's properties");
  return static_cast<std::size_t>(bytes) - attributes.sharedSizeBytes;
}

std::size_t allow_shared_bytes(const void* kernel, std::size_t wanted) {
  const std::size_t bytes = std::min(wanted, most_shared_bytes(kernel));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)), "sizing shared memory");
  return bytes;
}

void allow_any_block(const void* kernel) {
  allow_shared_bytes(kernel, most_shared_bytes(kernel));
  int device = 0;
  int clusters = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device), "asking for the GPU's properties");
  if (clusters != 0) check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "allowing large clusters");
}

int registers_of(const void* kernel) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "asking for a kernel's properties");
  return attributes.numRegs;
}

std::vector<cudaLaunchAttribute> footprint_attributes(const Footprint& block) {
  std::vector<cudaLaunchAttribute> attributes;
  if (block.carveout >= 0) {
    cudaLaunchAttribute& carveout = attributes.emplace_back();
    carveout.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
    carveout.val.sharedMemCarveout = static_cast<unsigned>(block.carveout);
  }
  if (block.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes.emplace_back();
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(block.cluster), 1, 1};
  }
  if (block.cooperative) {
    cudaLaunchAttribute& cooperative = attributes.emplace_back();
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
  }
  return attributes;
}

void set_node_footprint(cudaGraphNode_t node, const Footprint& block) {
  for (const cudaLaunchAttribute& attribute : footprint_attributes(block))
    check(cudaGraphKernelNodeSetAttribute(node, attribute.id, &attribute.val), "setting how a node is launched");
}

void check_registers(const TaskGraph& graph, int (*registers)(bool whole_core)) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Footprint block = footprint(graph.traits(task_id(i)));
    if (block.registers == 0 || is_own(graph[task_id(i)].kernel)) continue;  // those of its own are as calibration found them
    const int compiled = registers(!runs_in_any_block(graph[task_id(i)].kernel));
    if (block.registers == compiled) continue;
    throw InputError("task '" + std::string(graph.name(task_id(i))) + "' states " + std::to_string(block.registers) +
                     " registers a thread, but its kernel was compiled for " + std::to_string(compiled) +
                     "; state these, or leave registers out");
  }
}

}  // namespace tasktwin::gpu
