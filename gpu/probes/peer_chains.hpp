#pragma once

#include <cstdint>

#include "gpu/cuda/graph_handle.hpp"
#include "gpu/probes/peer_probes.hpp"

namespace tasktwin::gpu {

/// A graph of that many small kernels, each after the one before, on the two devices by turns. They write the time to `aside`, which all
/// devices can reach. Throws RunError.
CudaGraph chain_of_stamps(DevicePair pair, int nodes, std::uint64_t* aside);

}  // namespace tasktwin::gpu
