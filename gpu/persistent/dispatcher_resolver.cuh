#pragma once

#include "gpu/persistent/dispatcher_cores.cuh"
#include "gpu/persistent/dispatcher_rows.cuh"

namespace tasktwin::gpu {

/// Resolving completions where all tasks are there from the beginning, each for one core, and one queue holds the ready ones:
/// what becomes ready goes straight to an idle core of the warp while nobody waits before it. Whole warps call.
template <class Ready, int kPasses>
class Resolver {
 public:
  __device__ Resolver(const PersistentRun& run, DispatcherState& state, const Tables& tables, DispatcherCores<kPasses>& cores,
                      DispatchLog& log, Ready& ready, std::uint32_t* staged)
      : run_(run), tables_(tables), cores_(cores), log_(log), ready_(ready), staged_(staged), count_(state) {}

  /// `passes_by`: whether what becomes ready may go straight to a core, past the queue; kept up to date.
  __device__ __forceinline__ void take_in(bool& passes_by) {
    await_edges();
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      count_.completed(cores_.fresh(pass));
      log_.took_in(cores_.fresh(pass));
      pass_over_leaves(pass);
      while (__any_sync(kAllLanes, cores_.fresh(pass) > 0)) {
        const bool mine = cores_.fresh(pass) > 0;
        const std::uint32_t slot = cores_.first_fresh(pass);
        if (mine) cores_.count_in(pass, slot);
        resolve(pass, mine, tables_.edges[slot], passes_by);
        pass_over_leaves(pass);
      }
    }
  }

  /// Asked by whoever has nothing to do.
  __device__ __forceinline__ bool all_completed() { return count_.all_completed(); }

 private:
  /// Takes in completions of tasks that have no successors, a lane for itself.
  __device__ __forceinline__ void pass_over_leaves(int pass) {
#pragma unroll 1
    while (cores_.fresh(pass) > 0) {
      const std::uint32_t slot = cores_.first_fresh(pass);
      if (tables_.edges[slot].successor_count > 0) break;
      cores_.count_in(pass, slot);
    }
    __syncwarp();
  }

  /// Decrements the counters of the successors of a task a lane. What becomes ready goes straight to the core whose
  /// completion did it, if that is idle and nobody waits before it; the rest is queued.
  __device__ __forceinline__ void resolve(int pass, bool mine, const TaskEdges& edges, bool& passes_by) {
    const std::uint32_t count = mine ? edges.successor_count : 0;
    std::uint32_t heads[kHeadSuccessors];
#pragma unroll
    for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) heads[i] = i < count ? edges.head[i] : 0;
    std::uint32_t ready = tables_.counters.decrement(heads, count);
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
    if (run_.phases) note_ready(heads, ready);
    if (passes_by && ready != 0 && cores_.outstanding(pass) == 0) cores_.give(pass, lowest(heads, ready));
    if (__any_sync(kAllLanes, ready != 0)) pass_on(pass, heads, ready, passes_by);
    const bool more = count > kHeadSuccessors;
    if (__any_sync(kAllLanes, more)) {
      const std::uint32_t first = more ? edges.first_successor + kHeadSuccessors : 0;
      log_.walked(walk_rows(tables_.successors, first, more ? count - kHeadSuccessors : 0, [this](std::uint32_t successor) {
        std::uint32_t now_ready[1] = {successor != kStopTask && tables_.counters.decrement(successor) ? successor : kStopTask};
        if (run_.phases && now_ready[0] != kStopTask) log_.stamp_ready(successor);
        cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
        ready_.push(now_ready);
      }));
    }
    if (run_.phases) log_.walked(__reduce_add_sync(kAllLanes, min(count, kHeadSuccessors)));
  }

  /// Takes the lowest of the tasks that `which` names out of it.
  __device__ __forceinline__ static std::uint32_t lowest(const std::uint32_t (&places)[kHeadSuccessors], std::uint32_t& which) {
    const std::uint32_t place = which & 1u ? places[0] : which & 2u ? places[1] : which & 4u ? places[2] : places[3];
    which &= which - 1;
    return place;
  }

  /// What the lanes have left goes to the warp's other idle cores while nobody waits before it, and into the queue.
  __device__ __forceinline__ void pass_on(int pass, std::uint32_t (&places)[kHeadSuccessors], std::uint32_t which, bool& passes_by) {
    if (passes_by) {
      const bool idle = cores_.is_idle(pass);
      const std::uint32_t givers = __ballot_sync(kAllLanes, which != 0);
      const std::uint32_t takers = __ballot_sync(kAllLanes, idle);
      const std::uint32_t pairs = min(__popc(givers), __popc(takers));
      if (which != 0 && rank_in(givers) < pairs) staged_[rank_in(givers)] = lowest(places, which);
      __syncwarp();
      if (idle && rank_in(takers) < pairs) cores_.give(pass, staged_[rank_in(takers)]);
      if (!__any_sync(kAllLanes, which != 0)) return;
      passes_by = false;
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) places[i] = which >> i & 1u ? places[i] : kStopTask;
    ready_.push(places);
  }

  __device__ __forceinline__ void note_ready(const std::uint32_t (&places)[kHeadSuccessors], std::uint32_t which) {
#pragma unroll
    for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) {
      if (which >> i & 1u) log_.stamp_ready(places[i]);
    }
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
