#pragma once

#include "gpu/persistent/dispatchers/dispatcher_queues.cuh"
#include "models/rules/victim.hpp"

namespace tasktwin::gpu {

/// How a dispatcher whose home has nothing for an idle core goes round the others' queues: from the first that has something of use it
/// takes the tasks that would have come last there, and puts them into its home. Whole warps call.
class Thief {
 public:
  __device__ Thief(const CentralDispatcher& central, const HomeQueues& queues, std::uint32_t self)
      : central_(central), queues_(queues), self_(self) {}

  /// Whether it has got anything. Contract: several homes.
  __device__ __forceinline__ bool steal() {
    const bool by_length = central_.stealing.victim == Victim::kMostLoaded;
    const std::uint32_t homes = central_.homes.count;
    const rules::VictimRound order(central_.stealing.victim, queues_.home(), homes, kSeed,
                                   std::uint64_t{round_++} * kMostDispatchers + self_);
    // A lane a victim: in the order of the round, or by number, where the lowest of the longest is first by rules::is_tried_before.
    const bool is_victim = by_length ? lane_id() < homes && lane_id() != queues_.home() : lane_id() < order.attempts();
    const std::uint32_t victim = !is_victim ? 0 : by_length ? lane_id() : order.queue(lane_id());
    std::uint32_t length = is_victim ? queues_.length(victim) : 0;
    while (__any_sync(kAllLanes, length > 0)) {
      const std::uint32_t longest = __reduce_max_sync(kAllLanes, length);
      const std::uint32_t next = __ballot_sync(kAllLanes, by_length ? length == longest : length > 0);
      const int first = __ffs(static_cast<int>(next)) - 1;
      if (rob(__shfl_sync(kAllLanes, victim, first))) return true;
      if (lane_id() == static_cast<std::uint32_t>(first)) length = 0;
    }
    return false;
  }

 private:
  /// 32 tasks at a time; never holds two locks.
  __device__ __forceinline__ bool rob(std::uint32_t victim) const {
    HomeQueue from = queues_.at(victim);
    std::uint32_t left = 0;
    std::uint32_t got = 0;
    for (bool first = true;; first = false) {
      from.lock();
      const std::uint32_t there = from.look(true);
      if (first) left = there > 0 ? central_.stealing.size(from.waiting()) : 0;
      const bool wanted = lane_id() < min(left, there);
      const std::uint32_t unfit = __ballot_sync(kAllLanes, !wanted || !queues_.usable(queues_.home(), from.item()));
      const std::uint32_t stolen = unfit == 0 ? 32 : static_cast<std::uint32_t>(__ffs(static_cast<int>(unfit))) - 1;
      from.remove(stolen, true);
      from.unlock();
      const std::uint32_t items[1] = {lane_id() < stolen ? from.item() : kStopTask};
      queues_.own().push(items);
      got += stolen;
      left -= stolen;
      if (stolen < 32 || left == 0) return got > 0;
    }
  }

  static constexpr std::uint64_t kSeed = 1;  ///< a run on a GPU has none of its own

  const CentralDispatcher& central_;
  const HomeQueues& queues_;
  std::uint32_t self_;
  std::uint32_t round_ = 0;
};

}  // namespace tasktwin::gpu
