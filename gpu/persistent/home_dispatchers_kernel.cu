#include "gpu/persistent/central_dispatcher_kernel.hpp"
#include "gpu/persistent/dispatcher_block.cuh"
#include "gpu/persistent/dispatcher_cohorts.cuh"
#include "gpu/persistent/dispatcher_spawning.cuh"

namespace tasktwin::gpu {

namespace {

/// Dispatchers that have homes to push to and to take from, or tasks of several blocks, or tasks that come to be during the run, or
/// weigh what their cores hold.
struct HomeDispatchers {
  __device__ __forceinline__ static std::uint64_t* place_ring(const CentralDispatcher&, Room&) { return nullptr; }

  template <int kPasses>
  __device__ __forceinline__ static void run(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state,
                                             const Tables& tables, std::uint32_t self) {
    if (central.ready_kind == ReadyKind::kRanked) return with<LockedRanks, kPasses>(run, central, state, tables, self);
    with<LockedRing, kPasses>(run, central, state, tables, self);
  }

 private:
  template <class Queue, int kPasses>
  __device__ __forceinline__ static void with(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state,
                                              const Tables& tables, std::uint32_t self) {
    DispatchLog log(run, central, self, tables.rounds);
    DispatcherCores<kPasses> cores(run, central, tables, self);
    const HomeQueues<Queue> queues(central, run.task_count, state, tables, self);
    SpawningResolver<Queue, kPasses> resolver(run, state, tables, cores, log, queues, central.least_loaded);
    CohortTaker<Queue, kPasses> taker(run, central, state, tables, cores, queues, self);
    dispatch(run, cores, log, resolver, taker);
  }
};

template <Notes kNotes>
auto kernel_of(std::uint32_t cores_of_a_dispatcher) {
  if (cores_of_a_dispatcher <= 32) return central_dispatcher<HomeDispatchers, kNotes, 1>;
  return central_dispatcher<HomeDispatchers, kNotes, kMostWorkers / 32>;
}

}  // namespace

void launch_home_dispatchers(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream) {
  launch_dispatcher_block(run, central, 0, stream, watched(run) || run.time_rounds ? kernel_of<Notes::kAll> : kernel_of<Notes::kNone>);
}

}  // namespace tasktwin::gpu
