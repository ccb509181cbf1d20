#pragma once

#include "gpu/persistent/dispatcher_kernels/dispatcher_block.cuh"
#include "gpu/persistent/dispatchers/dispatcher_resolver.cuh"
#include "gpu/persistent/dispatchers/dispatcher_taker.cuh"

namespace tasktwin::gpu {

template <int kPasses, class Ready>
__device__ __forceinline__ void dispatch_from(Ready ready, const PersistentRun& run, const CentralDispatcher& central,
                                              DispatcherState& state, const Tables& tables, std::uint32_t self) {
  DispatchLog log(run, central, self, tables.rounds);
  DispatcherCores<kPasses> cores(run, central, tables, self);
  Resolver<Ready, kPasses> resolver(run, state, tables, cores, log, ready, state.staged[self]);
  Taker<Ready, kPasses> taker(run, central, state, cores, ready);
  dispatch(run, cores, log, resolver, taker);
}

/// Plain dispatchers of the order fifo.
struct FifoDispatchers {
  static constexpr const char* kUnit = "plain_dispatchers_";

  __host__ __device__ static std::uint32_t ring_words(const CentralDispatcher&) { return 2 * FifoReady::kEntries; }

  __device__ __forceinline__ static std::uint64_t* place_ring(const CentralDispatcher& central, Room& room) {
    auto* const ring = reinterpret_cast<std::uint64_t*>(room.take(ring_words(central)));
    for (std::uint32_t i = threadIdx.x; i < FifoReady::kEntries; i += blockDim.x) ring[i] = 0;
    return ring;
  }

  template <int kPasses>
  __device__ __forceinline__ static void run(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state,
                                             const Tables& tables, std::uint32_t self) {
    const FifoReady ready(state.ready[0], tables.ring, tables.ready, central.root_counts[0]);
    dispatch_from<kPasses>(ready, run, central, state, tables, self);
  }
};

/// Dispatchers that share one ready queue, of tasks that are there from the beginning, each for one core.
struct PlainDispatchers {
  static constexpr const char* kUnit = "plain_dispatchers_";

  __host__ __device__ static std::uint32_t ring_words(const CentralDispatcher& central) {
    return is_fifo(central) ? FifoDispatchers::ring_words(central) : 0;
  }

  __device__ __forceinline__ static std::uint64_t* place_ring(const CentralDispatcher& central, Room& room) {
    return is_fifo(central) ? FifoDispatchers::place_ring(central, room) : nullptr;
  }

  template <int kPasses>
  __device__ __forceinline__ static void run(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state,
                                             const Tables& tables, std::uint32_t self) {
    if (is_fifo(central)) return FifoDispatchers::run<kPasses>(run, central, state, tables, self);
    const bool by_rank = central.ready_kind == ReadyKind::kRanked;
    const LifoOrRankedReady ready(state.ready[0], tables.ready, run.task_count, state.staged[self], by_rank);
    dispatch_from<kPasses>(ready, run, central, state, tables, self);
  }

 private:
  __host__ __device__ static bool is_fifo(const CentralDispatcher& central) { return central.ready_kind == ReadyKind::kFifo; }
};

}  // namespace tasktwin::gpu
