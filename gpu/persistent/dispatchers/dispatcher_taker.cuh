#pragma once

#include "gpu/persistent/dispatchers/dispatcher_choice.cuh"
#include "gpu/persistent/dispatchers/dispatcher_rows.cuh"

namespace tasktwin::gpu {

/// Taking from the one ready queue, where every task is for one core: as many at once as all cores have room for. Whole warps call.
template <class Ready, int kPasses>
class Taker {
 public:
  __device__ Taker(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state, DispatcherCores<kPasses>& cores,
                   Ready& ready)
      : run_(run), cores_(cores), ready_(ready), choice_(run, central, state, cores) {}

  /// Looks at the queue. Whether what becomes ready now may pass it by: no task waits in it.
  __device__ __forceinline__ bool look() { return (waiting_ = ready_.waiting()) == 0; }

  /// If the cores that hold nothing any more can have all that wait, they get them now, before their completions are taken in: then
  /// too no task waits before what becomes ready. Returns whether it is so.
  __device__ __forceinline__ bool serve_waiting(DispatchLog& log) {
    if (waiting_ > cores_.count_idle()) return false;
    log.serves();
    give_one_each(waiting_);
    log.served();
    return true;
  }

  /// Gives ready tasks to all cores with room.
  __device__ __forceinline__ void take_ready(DispatchLog& log) {
    waiting_ = ready_.waiting();
    if (waiting_ == 0) return;
    const std::uint32_t idle = cores_.count_idle();
    const std::uint32_t ahead = waiting_ <= idle ? 0 : choice_.most_ahead(idle);
    log.claimed(waiting_);
    if (ahead == 0) return give_one_each(min(waiting_, idle));
    const std::uint32_t depth = run_.mailbox_depth;
    std::uint32_t room = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if (cores_.has_room(pass, depth)) room += depth - cores_.outstanding(pass);
    }
    const Share all = share<kPasses * kMailboxEntries>(room);
    const std::uint32_t most = min(all.total, idle + ahead);
    const std::uint32_t got = most > 0 ? ready_.take(most) : 0;
    if (got == all.total) {
      fill_up(all.before, depth);
    } else if (got > 0) {
      give_some(got, depth);
    }
  }

  /// Tells the other warps how many cores are idle, where they want to know.
  __device__ __forceinline__ void tell_idle() { choice_.tell_idle(); }

  /// Entries that have been sent, of this lane.
  __device__ __forceinline__ void count_handed(std::uint32_t of_lane, DispatchLog& log) {
    log.handed_over(of_lane);
    choice_.count_handed(of_lane);
  }

 private:
  /// Idle cores get one each, as far as there are tasks.
  __device__ __forceinline__ void give_one_each(std::uint32_t wanted) {
    const std::uint32_t got = wanted > 0 ? ready_.take(wanted) : 0;
    if (got > 0) choice_.give_one_each(got, [this](std::uint32_t i) { return ready_.at(i); });
  }

  /// Every core gets what it has room for: `first` is the number of the lane's first task among those taken.
  __device__ __forceinline__ void fill_up(std::uint32_t first, std::uint32_t depth) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const std::uint32_t room = cores_.has_room(pass, depth) ? depth - cores_.outstanding(pass) : 0;
      constexpr std::uint32_t kAtOnce = 8;
#pragma unroll 1
      for (std::uint32_t i = 0; i < room; i += kAtOnce) {
        std::uint32_t places[kAtOnce];
        ready_.at(first + i, room - i, places);
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
#pragma unroll 1
    for (std::uint32_t first = 0; first < got; first += 32) {
      const std::uint32_t task = first + lane_id() < got ? ready_.at(first + lane_id()) : 0;
      __syncwarp();
      choice_.give_to_emptiest(min(got - first, 32u), depth, [task](std::uint32_t i) { return __shfl_sync(kAllLanes, task, i); });
    }
  }

  const PersistentRun& run_;
  DispatcherCores<kPasses>& cores_;
  Ready& ready_;
  CoreChoice<kPasses> choice_;
  std::uint32_t waiting_ = 0;  ///< in the queue, at the last look
};

}  // namespace tasktwin::gpu
