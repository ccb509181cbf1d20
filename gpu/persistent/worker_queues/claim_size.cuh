#pragma once

#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/warp.cuh"
#include "gpu/persistent/worker_queues/worker_queues_kernel.hpp"

namespace tasktwin::gpu {

/// How many tickets a worker's next claim draws. Of a guided claim what is unclaimed are the tasks less the tickets drawn from all queues,
/// as read just before: another worker's claim between that and this one's goes unseen. All lanes get the same.
__device__ inline std::uint32_t next_claim(const Claims& claims, const TicketQueues& queues) {
  std::uint32_t claimed = 0;
  if (claims.rule.kind == Claim::kGuided) {
    for (std::uint32_t queue = lane_id(); queue < queues.count; queue += 32) claimed += DeviceWord(*queues[queue].head).load(kRelaxed);
    __syncwarp();
    claimed = __reduce_add_sync(kAllLanes, claimed);
  }
  return claims.size(claimed);
}

}  // namespace tasktwin::gpu
