#pragma once

#include "gpu/persistent/dispatcher_kernels/dispatcher_block.cuh"
#include "gpu/persistent/dispatchers/dispatcher_cohorts.cuh"
#include "gpu/persistent/dispatchers/dispatcher_spawning.cuh"

namespace tasktwin::gpu {

/// Dispatchers that have homes to push to and to take from, or tasks of several blocks, or tasks that are spawned during the run, or
/// weigh what their cores hold.
struct HomeDispatchers {
  static constexpr const char* kUnit = "home_dispatchers_";

  __host__ __device__ static std::uint32_t ring_words(const CentralDispatcher&) { return 0; }

  __device__ __forceinline__ static std::uint64_t* place_ring(const CentralDispatcher&, Room&) { return nullptr; }

  template <int kPasses>
  __device__ __forceinline__ static void run(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state,
                                             const Tables& tables, std::uint32_t self) {
    DispatchLog log(run, central, self, tables.rounds);
    DispatcherCores<kPasses> cores(run, central, tables, self);
    const HomeQueues queues(central, run.task_count, state, tables, self);
    SpawningResolver<kPasses> resolver(run, state, tables, cores, log, queues, central.least_loaded);
    CohortTaker<kPasses> taker(run, central, state, tables, cores, queues, self);
    dispatch(run, cores, log, resolver, taker);
  }
};

}  // namespace tasktwin::gpu
