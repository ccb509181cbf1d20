#include "gpu/persistent/launch/launch.cuh"
#include "gpu/persistent/layer_barrier/layer_barrier_kernel.hpp"
#include "gpu/persistent/workers/task_batch.cuh"
#include "gpu/persistent/workers/worker.cuh"

namespace tasktwin::gpu {

/// Not unnamed: where bodies are linked in at run time kernels are found by their names.
namespace layer_barrier_kernel {

/// A worker runs its own list; before the first task of a layer it waits until the layer is open. No one is signalled of a
/// completion, so publishing one is a count, unless it is the worker's last of the layer.
class LayerLink {
 public:
  __device__ LayerLink(const PersistentRun& run, const LayerBarrier& barrier, std::uint32_t worker)
      : run_(run), barrier_(barrier), worker_(worker), next_(barrier.first[worker]), end_(barrier.first[worker + 1]) {}

  __device__ bool fetch(std::uint32_t n, WorkerSlot& slot) {
    if (n == 0) arrive_before_first();
    if (next_ == end_) return false;
    const std::uint64_t begun = run_.phases ? global_timer() : 0;
    if (n % TaskBatch::kCapacity == 0) next_batch(n == 0);
    now_.put(n % TaskBatch::kCapacity, slot.task);
    if (lane_id() == 0) slot.dispatched = begun;
    const std::uint32_t layer = __shfl_sync(kAllLanes, layers_now_, n % TaskBatch::kCapacity);
    ++next_;
    return layer <= open_ || await(layer, slot.task.body.task);
  }

  /// Finds out whether the next task of the list belongs to another layer.
  __device__ void prepare(const DeviceTask&) {
    if (prepared_ % 32 == 0) next_layers();
    layer_ = layer_after_;
    layer_after_ = __shfl_sync(kAllLanes, after_now_, prepared_ % 32);
    ++prepared_;
  }

  __device__ void publish(std::uint32_t, std::uint32_t n) const {
    if (lane_id() == 0) DeviceWord(run_.completions[worker_ * kLineWords]).store(n + 1, kRelaxed);
    arrive(layer_, layer_after_);
  }

 private:
  /// The batch after the next is on its way, each task's layer with it.
  __device__ void next_batch(bool first) {
    if (first) load(next_);
    now_ = ahead_;
    layers_now_ = layers_ahead_;
    load(next_ + TaskBatch::kCapacity);
  }

  __device__ void load(std::uint32_t place) {
    if (place >= end_) return;
    const std::uint32_t mine = min(place + lane_id() % TaskBatch::kCapacity, end_ - 1);
    ahead_.load(barrier_.tasks, mine, min(end_ - place, TaskBatch::kCapacity));
    layers_ahead_ = barrier_.layers[mine];
  }

  /// The layers of the 32 places after the next ones are on their way.
  __device__ void next_layers() {
    if (prepared_ == 0) {
      layer_after_ = barrier_.layers[next_];
      load_layers(next_ + 1);
    }
    after_now_ = after_ahead_;
    load_layers(next_ + prepared_ + 33);
  }

  __device__ void load_layers(std::uint32_t place) {
    after_ahead_ = place + lane_id() < end_ ? barrier_.layers[place + lane_id()] : barrier_.gates.layers;
  }

  /// At the barriers after the layers before its first task, or after all if it has none.
  __device__ void arrive_before_first() const { arrive(0, next_ < end_ ? barrier_.layers[next_] : barrier_.gates.layers); }

  /// At the barriers after the layers `from` to `to` - 1; after the last layer there is none.
  __device__ void arrive(std::uint32_t from, std::uint32_t to) const {
    to = min(to, barrier_.gates.layers - 1);
    if (from >= to) return;
    __syncwarp();
    release_fence();
    std::uint32_t opened = 0;
    for (std::uint32_t layer = from + lane_id(); layer < to; layer += 32) {
      if (barrier_.gates.arrive(layer)) opened = layer + 1;
    }
    if (opened > 0) cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
    __syncwarp();
    opened = __reduce_max_sync(kAllLanes, opened);  // one at most: after it is a layer of which nothing has run
    if (opened > 0) open(opened);
  }

  /// The warp whose arrival was the last, a lane a word.
  __device__ void open(std::uint32_t layer) const {
    if (run_.phases && lane_id() == 0) barrier_.opened_at[layer] = global_timer();
    for (std::uint32_t word = lane_id(); word < barrier_.gates.word_count(run_.workers); word += 32) barrier_.gates.open(layer, word);
    __syncwarp();
  }

  /// Spins until `layer` is open; false if the run was aborted meanwhile.
  __device__ bool await(std::uint32_t layer, std::uint32_t task) {
    for (int polls = 1;; ++polls) {
      open_ = __shfl_sync(kAllLanes, lane_id() == 0 ? barrier_.gates.seen(worker_) : 0, 0);
      if (layer <= open_) return true;
      if (run_.backoff_ns > 0) __nanosleep(run_.backoff_ns);
      if (polls % kPollsPerAbortCheck == 0 && __any_sync(kAllLanes, aborted(run_))) break;
    }
    if (lane_id() == 0) run_.waiting_for[worker_] = 1 + task;
    return false;
  }

  const PersistentRun& run_;
  const LayerBarrier& barrier_;
  std::uint32_t worker_;
  std::uint32_t next_;  ///< place of the next task to fetch; for the publishing unit, of its first
  std::uint32_t end_;   ///< of the list
  // Of the fetching unit:
  std::uint32_t open_ = 0;  ///< the highest layer known to be open
  TaskBatch now_;
  TaskBatch ahead_;
  std::uint32_t layers_now_ = 0;  ///< lane i has that of the i-th of the batch
  std::uint32_t layers_ahead_ = 0;
  // Of the publishing unit:
  std::uint32_t prepared_ = 0;     ///< tasks
  std::uint32_t layer_ = 0;        ///< of the last of them
  std::uint32_t layer_after_ = 0;  ///< of the one after it in the list; layer_count after the last
  std::uint32_t after_now_ = 0;    ///< lane i has the layer_after_ of the i-th of 32 tasks
  std::uint32_t after_ahead_ = 0;
};

template <bool kWatched, int kPerCore>
__global__ void __launch_bounds__(kWorkerThreads, kPerCore)
    layer_barrier(const __grid_constant__ PersistentRun run, const __grid_constant__ LayerBarrier barrier) {
  extern __shared__ __align__(128) std::byte scratch[];
  const PersistentRun known = as_watched<kWatched>(run);
  const std::uint32_t worker = worker_number<kPerCore>(run);
  if (worker < run.blocks) run_worker<kPerCore>(known, LayerLink(known, barrier, worker), worker, scratch);
}

}  // namespace layer_barrier_kernel

using namespace layer_barrier_kernel;

void launch_layer_barrier(const PersistentRun& run, const LayerBarrier& barrier, cudaStream_t stream) {
  with_variant(run, false, [&]<bool kWatched, int kPerCore>() {
    launch_workers(layer_barrier<kWatched, kPerCore>, "layer_barrier_kernel", {run.workers, kWorkerThreads, kBodySharedBytes}, stream, run,
                   barrier);
  });
}

}  // namespace tasktwin::gpu
