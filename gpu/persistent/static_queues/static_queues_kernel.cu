#include "gpu/persistent/launch/launch.cuh"
#include "gpu/persistent/static_queues/message_link.cuh"
#include "gpu/persistent/static_queues/static_queue_links.cuh"
#include "gpu/persistent/static_queues/static_queues_kernel.hpp"

namespace tasktwin::gpu {

/// Not unnamed: where bodies are linked in at run time kernels are found by their names.
namespace static_queues_kernel {

template <class Link, bool kWatched, int kPerCore>
__global__ void __launch_bounds__(kSerialThreads, kPerCore)
    static_queues(const __grid_constant__ PersistentRun run, const __grid_constant__ StaticQueues queues) {
  extern __shared__ __align__(128) std::byte scratch[];
  __shared__ TaskStream::Room room;
  const PersistentRun known = as_watched<kWatched>(run);
  const std::uint32_t worker = worker_number<kPerCore>(run);
  if (worker < run.blocks) run_serial<kPerCore>(known, Link(known, queues, worker, room), worker, scratch);
}

template <class Link>
void launch(const PersistentRun& run, const StaticQueues& queues, cudaStream_t stream) {
  with_variant(run, false, [&]<bool kWatched, int kPerCore>() {
    launch_workers(static_queues<Link, kWatched, kPerCore>, "static_queues_kernel", {run.workers, kSerialThreads, kBodySharedBytes}, stream,
                   run, queues);
  });
}

}  // namespace static_queues_kernel

using namespace static_queues_kernel;

void launch_static_queues(const PersistentRun& run, const StaticQueues& queues, cudaStream_t stream) {
  if (queues.awaited == nullptr) {
    launch<CounterLink>(run, queues, stream);
  } else if (queues.pieces != nullptr) {
    launch<MessageLink>(run, queues, stream);
  } else {
    launch<FlagLink>(run, queues, stream);
  }
}

}  // namespace tasktwin::gpu
