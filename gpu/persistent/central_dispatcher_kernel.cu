#include "gpu/persistent/central_dispatcher_kernel.hpp"

#include <algorithm>
#include <bit>

#include "gpu/persistent/dispatcher_block.cuh"
#include "gpu/persistent/dispatcher_resolver.cuh"
#include "gpu/persistent/dispatcher_taker.cuh"

namespace tasktwin::gpu {

namespace {

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
    switch (central.ready_kind) {
      case ReadyKind::kFifo:
        return with<kPasses>(run, central, state, tables, self, FifoReady(ends, tables.ring, tables.ready, central.root_counts[0]));
      case ReadyKind::kLifo:
        return with<kPasses>(run, central, state, tables, self, LifoReady(ends, tables.ready, state.staged[self]));
      case ReadyKind::kRanked:
        return with<kPasses>(run, central, state, tables, self, RankedReady(ends, tables.ready, run.task_count, state.staged[self]));
    }
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

template <Notes kNotes>
auto kernel_of(std::uint32_t cores_of_a_dispatcher) {
  if (cores_of_a_dispatcher <= 32) return central_dispatcher<PlainDispatchers, kNotes, 1>;
  if (cores_of_a_dispatcher <= 64) return central_dispatcher<PlainDispatchers, kNotes, 2>;
  return central_dispatcher<PlainDispatchers, kNotes, kMostWorkers / 32>;
}

}  // namespace

std::vector<std::uint32_t> initial_ready_words(bool plain, ReadyKind kind, std::uint32_t tasks, std::span<const std::uint32_t> roots) {
  std::vector<std::uint32_t> words(kind == ReadyKind::kRanked ? RankedReady::words(tasks) : plain ? tasks : std::bit_ceil(tasks));
  if (kind == ReadyKind::kFifo && plain) {
    std::ranges::transform(roots, words.begin(), [](std::uint32_t root) { return 1 + root; });
  } else if (kind != ReadyKind::kRanked) {
    std::ranges::copy(roots, words.begin());
  } else {
    for (const std::uint32_t root : roots) {
      words[root / 32] |= 1u << root % 32;
      words[RankedReady::summary_at(tasks) + root / 1024] |= 1u << root / 32 % 32;
    }
  }
  return words;
}

void launch_central_dispatcher(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream) {
  if (!central.plain(run)) return launch_home_dispatchers(run, central, stream);
  const auto noted = watched(run) ? kernel_of<Notes::kAll> : run.time_rounds ? kernel_of<Notes::kRounds> : kernel_of<Notes::kNone>;
  launch_dispatcher_block(run, central, PlainDispatchers::ring_words(central), stream, noted);
}

}  // namespace tasktwin::gpu
