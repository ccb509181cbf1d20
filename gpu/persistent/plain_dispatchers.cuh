#pragma once

#include "gpu/persistent/dispatcher_block.cuh"
#include "gpu/persistent/dispatcher_resolver.cuh"
#include "gpu/persistent/dispatcher_taker.cuh"

namespace tasktwin::gpu {

/// Dispatchers that share one ready queue, of tasks that are there from the beginning, each for one core.
struct PlainDispatchers {
  __host__ __device__ static std::uint32_t ring_words(const CentralDispatcher& central) {
    return central.ready_kind == ReadyKind::kFifo ? 2 * FifoReady::kEntries : 0;
  }

  __device__ __forceinline__ static std::uint64_t* place_ring(const CentralDispatcher& central, Room& room) {
    const std::uint32_t words = ring_words(central);
    if (words == 0) return nullptr;
    auto* const ring = reinterpret_cast<std::uint64_t*>(room.take(words));
    for (std::uint32_t i = threadIdx.x; i < FifoReady::kEntries; i += blockDim.x) ring[i] = 0;
    return ring;
  }

  template <int kPasses>
  __device__ __forceinline__ static void run(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state,
                                             const Tables& tables, std::uint32_t self) {
    ReadyState& ends = state.ready[0];
    if (central.ready_kind == ReadyKind::kFifo)
      return with<kPasses>(run, central, state, tables, self, FifoReady(ends, tables.ring, tables.ready, central.root_counts[0]));
    const bool by_rank = central.ready_kind == ReadyKind::kRanked;
    with<kPasses>(run, central, state, tables, self, LifoOrRankedReady(ends, tables.ready, run.task_count, state.staged[self], by_rank));
  }

 private:
  template <int kPasses, class Ready>
  __device__ __forceinline__ static void with(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state,
                                              const Tables& tables, std::uint32_t self, Ready ready) {
    DispatchLog log(run, central, self, tables.rounds);
    DispatcherCores<kPasses> cores(run, central, tables, self);
    Resolver<Ready, kPasses> resolver(run, state, tables, cores, log, ready, state.staged[self]);
    Taker<Ready, kPasses> taker(run, central, state, cores, ready);
    dispatch(run, cores, log, resolver, taker);
  }
};

}  // namespace tasktwin::gpu
