#pragma once

#include <cuda_runtime_api.h>

#include "gpu/peers/plans/peer_lists.hpp"
#include "gpu/peers/reading/reading_tasks.hpp"
#include "gpu/persistent/static_queues/static_queues_kernel.hpp"

namespace tasktwin::gpu {

/// Where workers meet before a run; each device has one, in its memory.
struct PeerGate {
  std::uint32_t arrived;  ///< blocks of this device
  std::uint32_t devices;  ///< whose blocks all have arrived; of the first device's gate
  std::uint32_t open;
  std::uint32_t pad;
};

/// The lists of one device's workers, and where the others' counters are.
struct PeerQueues {
  StaticQueues queues;                  ///< successors are entries of PeerList::rows
  std::uint32_t* counters[kMostPeers];  ///< by device, by place; in that device's memory
  PeerGate* gates[kMostPeers];          ///< by device
  PeerReadRows reads;                   ///< what bodies read of other devices; null for nothing
  std::uint32_t device;                 ///< this one
  std::uint32_t devices;
};

/// Call once on each device: what a first launch loads must not be waited for by workers that wait for those of the others.
void prepare_peer_queues();

/// Puts the workers of the current device into `stream`. They begin when those of all devices are resident; each device takes the origin of
/// its own then. Throws RunError.
void launch_peer_queues(const PersistentRun& run, const PeerQueues& queues, cudaStream_t stream);

}  // namespace tasktwin::gpu
