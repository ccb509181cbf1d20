#include "gpu/persistent/gated_dispatcher/gated_dispatcher_kernel.hpp"

#include <algorithm>

#include "gpu/persistent/gated_dispatcher/gated_link.cuh"
#include "gpu/persistent/gated_dispatcher/gated_warp.cuh"
#include "gpu/persistent/launch/launch.cuh"
#include "gpu/persistent/workers/worker.cuh"

namespace tasktwin::gpu {

/// Not unnamed: where bodies are linked in at run time kernels are found by their names.
namespace gated_dispatcher_kernel {

constexpr std::size_t kMostBytes = 220 * 1024;
constexpr std::uint32_t kEdgeWords = kMostWorkers * sizeof(TaskEdges) / sizeof(std::uint32_t);
constexpr std::uint32_t kFixedWords = kEdgeWords + kMostWorkers;

/// Words of the tables that have an entry a task.
__host__ __device__ constexpr std::size_t table_words(std::uint32_t tasks) { return std::size_t{6} * tasks; }

/// In shared memory where there is room, as the run begins; the whole block calls it.
__device__ inline GatedTables place_tables(const PersistentRun& run, const GatedDispatcher& gated, std::byte* shared) {
  auto* const edges = reinterpret_cast<TaskEdges*>(shared);
  auto* const handed = reinterpret_cast<std::uint32_t*>(edges + kMostWorkers);
  const std::uint32_t tasks = run.task_count;
  if (gated.shared_words < kFixedWords + table_words(tasks))
    return {run.counters, gated.unhanded, gated.ready, gated.candidates, gated.staged, handed, edges};
  auto* const staged = reinterpret_cast<std::uint64_t*>(handed + kMostWorkers);
  auto* const words = reinterpret_cast<std::uint32_t*>(staged + tasks);
  const GatedTables tables{words, words + tasks, words + 2 * tasks, words + 3 * tasks, staged, handed, edges};
  for (std::uint32_t i = threadIdx.x; i < tasks; i += blockDim.x) {
    tables.counters[i] = run.counters[i];
    tables.unhanded[i] = gated.unhanded[i];
    tables.ready[i] = gated.ready[i];
    tables.staged[i] = 0;
  }
  return tables;
}

template <bool kWatched>
__global__ void __launch_bounds__(kWorkerThreads, 1)
    gated_dispatcher(const __grid_constant__ PersistentRun run, const __grid_constant__ GatedDispatcher gated) {
  extern __shared__ __align__(128) std::byte shared[];
  const PersistentRun known = as_watched<kWatched>(run);
  const std::uint32_t block = block_number();
  if (block >= run.blocks) return;
  if (block != run.workers) return run_worker(known, GatedLink(known, gated, block), block, shared);

  const GatedTables tables = place_tables(known, gated, shared);
  __syncthreads();
  pass_gate(known);
  if (threadIdx.x < 32) GatedWarp<kMostWorkers / 32>(known, gated, tables).dispatch();
  __syncthreads();
  if (aborted(known)) {  // leave what the explanation needs where the host can read it
    for (std::uint32_t i = threadIdx.x; i < run.task_count; i += blockDim.x) run.counters[i] = tables.counters[i];
  }
}

}  // namespace gated_dispatcher_kernel

using namespace gated_dispatcher_kernel;

void launch_gated_dispatcher(const PersistentRun& run, const GatedDispatcher& gated, cudaStream_t stream) {
  const auto kernel = watched(run) ? gated_dispatcher<true> : gated_dispatcher<false>;
  const std::size_t most = std::min(kMostBytes, most_shared_bytes(reinterpret_cast<const void*>(kernel)));
  PersistentRun with_dispatcher = run;
  with_dispatcher.blocks = run.workers + 1;
  GatedDispatcher sized = gated;
  const std::size_t words = kFixedWords + table_words(run.task_count);
  sized.shared_words = static_cast<std::uint32_t>(words * sizeof(std::uint32_t) <= most ? words : kFixedWords);
  const std::size_t bytes = std::max(kBodySharedBytes, sized.shared_words * sizeof(std::uint32_t));
  launch_workers(kernel, "gated_dispatcher_kernel", {with_dispatcher.blocks, kWorkerThreads, bytes}, stream, with_dispatcher, sized);
}

}  // namespace tasktwin::gpu
