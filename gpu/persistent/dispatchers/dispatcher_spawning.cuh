#pragma once

#include "gpu/persistent/dispatchers/dispatcher_cores.cuh"
#include "gpu/persistent/dispatchers/dispatcher_queues.cuh"
#include "gpu/persistent/dispatchers/dispatcher_rows.cuh"
#include "gpu/persistent/workers/spawn.cuh"

namespace tasktwin::gpu {

/// Resolving completions where tasks have several blocks, are spawned when another ends, or wait in several queues: the last block of a
/// task to be taken in makes known what the task spawns and releases its successors; what becomes ready goes to the dispatcher's home.
/// Whole warps call.
template <int kPasses>
class SpawningResolver {
 public:
  /// `weighs`: whether it matters how much work a core holds.
  __device__ SpawningResolver(const PersistentRun& run, DispatcherState& state, const Tables& tables, DispatcherCores<kPasses>& cores,
                              DispatchLog& log, const HomeQueues& queues, bool weighs)
      : run_(run), state_(state), tables_(tables), cores_(cores), log_(log), queues_(queues), weighs_(weighs), count_(state) {}

  /// Nothing passes the queues by.
  __device__ __forceinline__ void take_in(bool& /*passes_by*/) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      log_.took_in(cores_.fresh(pass));
      while (__any_sync(kAllLanes, cores_.fresh(pass) > 0)) {
        const auto& edges = at_shared_address<const TaskEdges>(cores_.oldest_edges(pass));
        bool ended = false;
        if (cores_.fresh(pass) > 0) {
          const std::uint32_t place = cores_.oldest_place(pass);
          ended = count_block(place);
          if (weighs_) cores_.take_off(pass, place);
          cores_.count_in(pass, 1);
        }
        if (ended) count_.completed(1);
        resolve(ended, edges);
      }
    }
  }

  __device__ __forceinline__ bool all_completed() { return count_.all_completed(); }

 private:
  /// Whether it is the task's last.
  __device__ __forceinline__ bool count_block(std::uint32_t place) const {
    return !tables_.wide.to_end || BlockWord(tables_.wide.to_end[place]).fetch_sub(1, kAcqRel) == 1;
  }

  __device__ __forceinline__ void resolve(bool mine, const TaskEdges& edges) {
    const std::uint32_t count = mine ? edges.successor_count : 0;
    if (!__any_sync(kAllLanes, count > 0)) return;
    std::uint32_t entries[kHeadSuccessors];
#pragma unroll
    for (std::uint32_t i = 0; i < kHeadSuccessors; ++i) entries[i] = i < count ? edges.head[i] : kStopTask;
    release_all(entries);
    if (log_.timed()) log_.told(min(count, kHeadSuccessors));
    const bool more = count > kHeadSuccessors;
    if (!__any_sync(kAllLanes, more)) return;
    const std::uint32_t first = more ? edges.first_successor + kHeadSuccessors : 0;
    log_.walked(walk_rows(tables_.successors, first, more ? count - kHeadSuccessors : 0, [this](std::uint32_t entry) {
      std::uint32_t one[1] = {entry};
      release_all(one);
    }));
  }

  /// Entries of successor rows, kStopTask for none. A spawned task is known before anybody can complete it.
  template <int kItems>
  __device__ __forceinline__ void release_all(std::uint32_t (&entries)[kItems]) {
    if (run_.children.tasks) make_known(entries);
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      entries[i] = entries[i] != kStopTask && becomes_ready(entries[i]) ? place_of(entries[i]) : kStopTask;
      if (log_.timed() && entries[i] != kStopTask) log_.made_ready(entries[i]);
    }
    cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
    queues_.push(entries);
  }

  template <int kItems>
  __device__ __forceinline__ void make_known(const std::uint32_t (&entries)[kItems]) {
    std::uint32_t spawned = 0;
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      make_child(run_.children, entries[i]);
      if (entries[i] != kStopTask && is_spawned(entries[i])) ++spawned;
    }
    spawned = __reduce_add_sync(kAllLanes, spawned);
    if (lane_id() == 0 && spawned > 0) BlockWord(state_.known).fetch_add(spawned, kRelaxed);
    __syncwarp();
  }

  /// As release() of spawn.cuh, with the dispatchers' counters.
  __device__ __forceinline__ bool becomes_ready(std::uint32_t entry) const {
    const std::uint32_t place = place_of(entry);
    if (!is_spawned(entry)) return tables_.counters.decrement(place);
    return tables_.counters.add_to(place, run_.children.counts[place] - 1);
  }

  const PersistentRun& run_;
  DispatcherState& state_;
  const Tables tables_;
  DispatcherCores<kPasses>& cores_;
  DispatchLog& log_;
  const HomeQueues& queues_;
  bool weighs_;
  TaskCount<true> count_;
};

}  // namespace tasktwin::gpu
