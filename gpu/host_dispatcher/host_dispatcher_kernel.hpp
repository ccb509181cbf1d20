#pragma once

#include <cuda_runtime_api.h>

#include "gpu/host_dispatcher/host_mailboxes.hpp"
#include "gpu/persistent/launch/persistent_run.hpp"

namespace tasktwin::gpu {

/// The device's side of the mailboxes; all but `tasks` as it is mapped into the device.
struct HostDispatch {
  HostMailboxes mailboxes;
  std::uint64_t* opened;    ///< becomes 1 when all workers are there
  const DeviceTask* tasks;  ///< by TaskId
};

/// Runs run.workers worker blocks, which end when the host tells them to.
void launch_host_workers(const PersistentRun& run, const HostDispatch& host, cudaStream_t stream);

}  // namespace tasktwin::gpu
