#pragma once

#include "gpu/persistent/dispatcher_choice.cuh"
#include "gpu/persistent/dispatcher_rows.cuh"

namespace tasktwin::gpu {

/// Taking from the one ready queue, where every task is for one core: as many at once as all cores have room for. Whole warps call.
template <class Ready, int kPasses>
class Taker {
 public:
  __device__ Taker(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state, DispatcherCores<kPasses>& cores,
                   Ready& ready)
      : run_(run), central_(central), state_(state), cores_(cores), ready_(ready), choice_(run, central, state, cores) {}

  /// Gives ready tasks to all cores with room. Returns whether what becomes ready now may pass the queue by: nobody waits in it, and
  /// no placement wants to choose.
  __device__ __forceinline__ bool take_ready() {
    const std::uint32_t waiting = ready_.waiting();
    if (waiting > 0) {
      const std::uint32_t depth = choice_.depth(run_.task_count);
      std::uint32_t room = 0;
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        if (cores_.has_room(pass, depth)) room += depth - cores_.outstanding(pass);
      }
      const std::uint32_t through = sum_through(room);
      const std::uint32_t wanted = __shfl_sync(kAllLanes, through, 31);
      const std::uint32_t got = wanted > 0 ? ready_.take(min(wanted, kMostTaken)) : 0;
      if (got == wanted && !central_.least_loaded) {
        fill_up(through - room, depth);
      } else if (got > 0) {
        give_some(got, depth);
      }
    }
    choice_.tell_idle();
    return waiting == 0 && !central_.least_loaded;
  }

  /// Entries that have been sent, of this lane.
  __device__ __forceinline__ void count_handed(std::uint32_t of_lane, DispatchLog& log) {
    if (!run_.phases && central_.fill != Fill::kNotInTail) return;
    const std::uint32_t handed_over = __reduce_add_sync(kAllLanes, of_lane);
    log.handed_over(handed_over);
    if (lane_id() == 0) BlockWord(state_.handed).fetch_add(handed_over, kRelaxed);
  }

 private:
  /// Every core gets what it has room for: `first` is the number of the lane's first task among those taken.
  __device__ __forceinline__ void fill_up(std::uint32_t first, std::uint32_t depth) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const std::uint32_t room = cores_.has_room(pass, depth) ? depth - cores_.outstanding(pass) : 0;
      constexpr std::uint32_t kAtOnce = 4;
#pragma unroll 1
      for (std::uint32_t i = 0; i < room; i += kAtOnce) {
        std::uint32_t places[kAtOnce];
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) places[k] = i + k < room ? ready_.at(first + i + k) : 0;
#pragma unroll
        for (std::uint32_t k = 0; k < kAtOnce; ++k) {
          if (i + k < room) cores_.give(pass, places[k]);
        }
      }
      first += room;
    }
    __syncwarp();
  }

  /// There is less than there is room for.
  __device__ __forceinline__ void give_some(std::uint32_t got, std::uint32_t depth) {
#pragma unroll
    for (std::uint32_t i = 0; i < kMostTaken / 32; ++i) taken_[i] = 32 * i + lane_id() < got ? ready_.at(32 * i + lane_id()) : 0;
    __syncwarp();
    if (central_.least_loaded) {
      for (std::uint32_t i = 0; i < got; ++i) choice_.give_to_least_loaded(taken(i), depth);
    } else {
      choice_.give_to_emptiest(got, depth, [this](std::uint32_t i) { return taken(i); });
    }
  }

  /// The i-th of the tasks taken; all lanes ask, each for its own.
  __device__ __forceinline__ std::uint32_t taken(std::uint32_t i) const {
    const std::uint32_t low = __shfl_sync(kAllLanes, taken_[0], i);
    const std::uint32_t high = __shfl_sync(kAllLanes, taken_[1], i);
    return i < 32 ? low : high;
  }

  static constexpr std::uint32_t kMostTaken = kStaged;

  const PersistentRun& run_;
  const CentralDispatcher& central_;
  DispatcherState& state_;
  DispatcherCores<kPasses>& cores_;
  Ready& ready_;
  CoreChoice<kPasses> choice_;
  std::uint32_t taken_[kMostTaken / 32] = {};  ///< lane l has l, and 32 + l
};

}  // namespace tasktwin::gpu
