#pragma once

#include "gpu/persistent/workers/worker_slots.cuh"

namespace tasktwin::gpu {

/// Calls seen(look()) again and again until it is true. Contract: `look` acquires what it reads, or the caller does so after the last
/// with acquire_fence(): on an H200 both are quicker than a fence that also releases. False if the run has been called off. Whole warps
/// call, and all lanes must agree on seen().
template <class Look, class Seen>
__device__ __forceinline__ bool poll(const PersistentRun& run, const Look& look, const Seen& seen) {
  for (int polls = 1; !seen(look()); ++polls) {
    if (run.backoff_ns > 0) __nanosleep(run.backoff_ns);
    if (polls % kPollsPerAbortCheck == 0 && __any_sync(kAllLanes, aborted(run))) return false;
  }
  return true;
}

}  // namespace tasktwin::gpu
