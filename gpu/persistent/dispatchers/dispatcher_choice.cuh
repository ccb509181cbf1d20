#pragma once

#include "gpu/persistent/dispatchers/dispatcher_cores.cuh"
#include "models/rules/fill.hpp"

namespace tasktwin::gpu {

/// How many entries a dispatcher may give its cores ahead, and which of them gets what. Whole warps call.
template <int kPasses>
class CoreChoice {
 public:
  __device__ CoreChoice(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state, DispatcherCores<kPasses>& cores)
      : run_(run), central_(central), state_(state), cores_(cores), idle_(cores.count_idle()) {}

  /// How many blocks may be given to cores that hold one, once own idle cores have got `idle` of them. What other warps have is as they
  /// last told.
  __device__ __forceinline__ std::uint32_t most_ahead(std::uint32_t idle) const {
    if (run_.mailbox_depth == 1) return 0;
    rules::FillView view{.idle_elsewhere = 0, .left = central_.blocks, .cores = run_.workers};
    if (central_.fill != Fill::kAlways) {
      const bool by_idle = central_.fill == Fill::kWhenNoCoreIdle;
      std::uint32_t word = 0;
      if (lane_id() == 0) word = BlockWord(by_idle ? state_.idle_cores : state_.handed).load(kRelaxed);
      word = __shfl_sync(kAllLanes, word, 0);
      if (by_idle) {
        view.idle_elsewhere = word - idle_;
      } else {
        view.left -= min(view.left, word + cores_.count_unsent() + idle);
      }
    }
    return rules::most_ahead(central_.fill, view);
  }

  /// The lane has sent that many entries.
  __device__ __forceinline__ void count_handed(std::uint32_t of_lane) {
    if (central_.fill != Fill::kNotInTail) return;
    const std::uint32_t handed_over = __reduce_add_sync(kAllLanes, of_lane);
    if (lane_id() == 0) SharedWord(shared_address(state_.handed)).fetch_add(handed_over);
  }

  /// Tells the other warps how many cores are idle, where they want to know.
  __device__ __forceinline__ void tell_idle() {
    if (central_.fill != Fill::kWhenNoCoreIdle || run_.mailbox_depth == 1) return;
    const std::uint32_t still_idle = cores_.count_idle();
    if (lane_id() == 0 && still_idle != idle_) SharedWord(shared_address(state_.idle_cores)).fetch_add(still_idle - idle_);
    idle_ = still_idle;
  }

  /// The first `got` of the tasks at(0), at(1), … one after the other to the cores that hold the fewest, below `depth`. All lanes
  /// ask at(), each for its own.
  template <class At>
  __device__ __forceinline__ void give_to_emptiest(std::uint32_t got, std::uint32_t depth, At&& at) {
    std::uint32_t given = 0;
    std::uint32_t fewest = depth;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) fewest = min(fewest, cores_.owns(pass) ? cores_.outstanding(pass) : depth);
#pragma unroll 1
    for (std::uint32_t level = __reduce_min_sync(kAllLanes, fewest); level < depth && given < got; ++level) {
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        const bool has_room = cores_.owns(pass) && cores_.outstanding(pass) == level;
        const std::uint32_t lanes = __ballot_sync(kAllLanes, has_room);
        const std::uint32_t rank = given + rank_in(lanes);
        const std::uint32_t place = at(rank);
        if (has_room && rank < got) cores_.give(pass, place);
        given += __popc(lanes);
      }
    }
  }

  /// The first `got` of the tasks at(0), at(1), … to idle cores, whose lanes alone ask. Contract: there are that many.
  template <class At>
  __device__ __forceinline__ void give_one_each(std::uint32_t got, At&& at) {
    std::uint32_t given = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const bool idle = cores_.is_idle(pass);
      const std::uint32_t lanes = __ballot_sync(kAllLanes, idle);
      const std::uint32_t rank = given + rank_in(lanes);
      if (idle && rank < got) cores_.give(pass, at(rank));
      given += __popc(lanes);
    }
    __syncwarp();
  }

  /// A task's blocks, a core each, to idle cores. Contract: there are that many.
  __device__ __forceinline__ void give_to_idle(std::uint32_t place, std::uint32_t blocks) {
    std::uint32_t given = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const bool idle = cores_.is_idle(pass);
      const std::uint32_t lanes = __ballot_sync(kAllLanes, idle);
      if (idle && given + rank_in(lanes) < blocks) cores_.give_and_weigh(pass, place);
      given += __popc(lanes);
    }
    __syncwarp();
  }

  /// To the core with room that has the least expected work; of equals to the first.
  __device__ __forceinline__ void give_to_least_loaded(std::uint32_t place, std::uint32_t depth) {
    std::uint32_t best = kStopTask;
    int best_pass = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const std::uint32_t least = __reduce_min_sync(kAllLanes, cores_.has_room(pass, depth) ? cores_.load(pass) : kStopTask);
      if (least >= best) continue;
      best = least;
      best_pass = pass;
    }
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if (pass != best_pass) continue;
      const std::uint32_t lanes = __ballot_sync(kAllLanes, cores_.has_room(pass, depth) && cores_.load(pass) == best);
      if (lane_id() == static_cast<std::uint32_t>(__ffs(static_cast<int>(lanes))) - 1) cores_.give_and_weigh(pass, place);
    }
    __syncwarp();
  }

 private:
  const PersistentRun& run_;
  const CentralDispatcher& central_;
  DispatcherState& state_;
  DispatcherCores<kPasses>& cores_;
  std::uint32_t idle_;  ///< own idle cores, as the block's count has them
};

}  // namespace tasktwin::gpu
