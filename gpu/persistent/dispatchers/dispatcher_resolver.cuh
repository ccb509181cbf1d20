#pragma once

#include "gpu/cuda/shared_pointer.cuh"
#include "gpu/persistent/dispatchers/dispatcher_cores.cuh"
#include "gpu/persistent/dispatchers/dispatcher_rows.cuh"

namespace tasktwin::gpu {

/// Resolving completions where all tasks are there from the beginning, each for one core, and one queue holds the ready ones:
/// what becomes ready goes straight to an idle core of the warp while no task waits before it. Whole warps call.
template <class Ready, int kPasses>
class Resolver {
 public:
  __device__ Resolver(const PersistentRun& run, DispatcherState& state, const Tables& tables, DispatcherCores<kPasses>& cores,
                      DispatchLog& log, Ready& ready, std::uint32_t* staged)
      : run_(run), tables_(tables), cores_(cores), log_(log), ready_(ready), staged_(staged), count_(state) {}

  /// `passes_by`: whether what becomes ready may go straight to a core, past the queue; kept up to date.
  __device__ __forceinline__ void take_in(bool& passes_by) {
    release_fence_in_block();  // the warp that decrements a counter last has seen what all others had acquired before
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      count_.completed(cores_.fresh(pass));
      log_.took_in(cores_.fresh(pass));
      if (kPasses > 1 && !__any_sync(kAllLanes, cores_.fresh(pass) > 0)) continue;
#pragma unroll 1
      do {
        const std::uint32_t edges = cores_.oldest_edges(pass);
        const uint4 row = read_shared(edges);
        const uint4 head = read_shared(edges + offsetof(TaskEdges, head));
        const std::uint32_t one = min(cores_.fresh(pass), 1u);
        cores_.count_in(pass, one);
        if (!resolve(pass, row.x, row.y * one, head, passes_by)) break;
        pass_over_leaves(pass);
      } while (__any_sync(kAllLanes, cores_.fresh(pass) > 0));
    }
  }

  /// Asked by a warp that has nothing to do.
  __device__ __forceinline__ bool all_completed() { return count_.all_completed(); }

 private:
  /// Takes in completions of tasks that have no successors, a lane for itself.
  __device__ __forceinline__ void pass_over_leaves(int pass) {
    constexpr std::uint32_t kAtOnce = 4;
    std::uint32_t leaves = kAtOnce;
#pragma unroll 1
    while (leaves == kAtOnce && cores_.fresh(pass) > 0) {
      const std::uint32_t last = cores_.fresh(pass) - 1;
      std::uint32_t successors[kAtOnce];
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) {
        successors[k] = read_shared_word(cores_.oldest_edges(pass, min(k, last)) + offsetof(TaskEdges, successor_count));
      }
      leaves = 0;
#pragma unroll
      for (std::uint32_t k = 0; k < kAtOnce; ++k) leaves += leaves == k && k <= last && successors[k] == 0 ? 1 : 0;
      cores_.count_in(pass, leaves);
    }
    __syncwarp();
  }

  /// Decrements the counters of the successors of a task a lane: that many, from `first_successor` on in their table, and the first of
  /// them in `head`. What becomes ready goes straight to the core whose completion did it, if that is idle and no task waits before it;
  /// the rest continues. Returns whether there may be further completions to take in: one vote asks for all that is not usual.
  __device__ __forceinline__ bool resolve(int pass, std::uint32_t first_successor, std::uint32_t count, const uint4& head,
                                          bool& passes_by) {
    static_assert(kHeadSuccessors == 4);
    std::uint32_t heads[kHeadSuccessors] = {count > 0 ? head.x : 0, count > 1 ? head.y : 0, count > 2 ? head.z : 0, count > 3 ? head.w : 0};
    std::uint32_t ready = tables_.counters.decrement(heads, count);
    acquire_fence_in_block();
    if (log_.timed()) note(heads, ready, count);
    if (passes_by && ready != 0 && cores_.outstanding(pass) == 0) cores_.give(pass, lowest(heads, ready));
    const bool more = count > kHeadSuccessors;
    if (!__any_sync(kAllLanes, ready != 0 || more || cores_.fresh(pass) > 0)) return false;
    if (__any_sync(kAllLanes, ready != 0)) pass_on(pass, heads, ready, passes_by);
    if (__any_sync(kAllLanes, more)) {
      passes_by = false;
      const std::uint32_t first = more ? first_successor + kHeadSuccessors : 0;
      log_.walked(walk_rows(tables_.successors, first, more ? count - kHeadSuccessors : 0, [this](std::uint32_t successor) {
        std::uint32_t now_ready[1] = {successor != kStopTask && tables_.counters.decrement(successor) ? successor : kStopTask};
        if (log_.timed() && now_ready[0] != kStopTask) log_.made_ready(successor);
        acquire_fence_in_block();
        ready_.push(now_ready);
      }));
    }
    return true;
  }

  /// Takes the lowest of the tasks that `which` names out of it.
  __device__ __forceinline__ static std::uint32_t lowest(const std::uint32_t (&places)[kHeadSuccessors], std::uint32_t& which) {
    const std::uint32_t place = which & 1u ? places[0] : which & 2u ? places[1] : which & 4u ? places[2] : places[3];
    which &= which - 1;
    return place;
  }

  /// What the lanes have left goes to the warp's other idle cores while no task waits before it, and into the queue.
  __device__ __forceinline__ void pass_on(int pass, std::uint32_t (&places)[kHeadSuccessors], std::uint32_t which, bool& passes_by) {
    while (passes_by) {
      const bool idle = cores_.is_idle(pass);
      const std::uint32_t givers = __ballot_sync(kAllLanes, which != 0);
      const std::uint32_t takers = __ballot_sync(kAllLanes, idle);
      const std::uint32_t pairs = min(__popc(givers), __popc(takers));
      if (givers == 0) return;
      passes_by = pairs > 0;
      if (passes_by) log_.passed_on();
      if (which != 0 && rank_in(givers) < pairs) staged_[rank_in(givers)] = lowest(places, which);
      __syncwarp();
      if (idle && rank_in(takers) < pairs) cores_.give(pass, staged_[rank_in(takers)]);
      __syncwarp();
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) places[i] = which >> i & 1u ? places[i] : kStopTask;
    ready_.push(places);
  }

  __device__ __forceinline__ void note(const std::uint32_t (&places)[kHeadSuccessors], std::uint32_t ready, std::uint32_t count) {
#pragma unroll
    for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) {
      if (ready >> i & 1u) log_.made_ready(places[i]);
    }
    log_.told(min(count, kHeadSuccessors));
  }

  const PersistentRun& run_;
  const Tables tables_;
  DispatcherCores<kPasses>& cores_;
  DispatchLog& log_;
  Ready& ready_;
  std::uint32_t* staged_;
  TaskCount<false> count_;
};

}  // namespace tasktwin::gpu
