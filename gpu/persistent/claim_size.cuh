#pragma once

#include "gpu/memory_order.cuh"
#include "gpu/persistent/worker_queues_kernel.hpp"
#include "gpu/warp.cuh"

namespace tasktwin::gpu {

/// How many tasks the next claim takes; the twin of sim/workers/claim_sizes.hpp. What is unclaimed, for a guided claim, is the number of
/// tasks less those claimed from the worker's own queue as read just before, times the number of such queues: another worker's
/// claim between that and this one's goes unseen, and shards count as equally long. All lanes get the same.
__device__ inline std::uint32_t next_claim(const ClaimRule& rule, const TicketQueues& queues, std::uint32_t queue) {
  if (rule.kind == Claim::kAll) return 1;
  if (rule.kind == Claim::kFixed) return rule.size;
  std::uint32_t claimed = 0;
  if (lane_id() == 0) claimed = DeviceWord(*queues[queue].head).load(kRelaxed);
  const std::uint64_t gone = std::uint64_t{__shfl_sync(kAllLanes, claimed, 0)} * queues.count;
  const std::uint64_t left = gone < rule.claimable ? rule.claimable - gone : 0;
  return max(rule.size, static_cast<std::uint32_t>(left / rule.takers));
}

}  // namespace tasktwin::gpu
