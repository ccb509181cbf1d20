#include "gpu/persistent/central_dispatcher_kernel.hpp"
#include "gpu/persistent/dispatcher_warp.cuh"
#include "gpu/persistent/launch.cuh"

namespace tasktwin::gpu {

namespace {

/// Of every block: what the dispatcher's tables may take beside the static part, within Hopper's 227 KiB.
constexpr std::size_t kSharedBytes = 220 * 1024;

struct MailboxLink {
  const PersistentRun& run;
  const CentralDispatcher& central;
  std::uint32_t worker;
  static constexpr bool kReleasesSuccessors = false;

  __device__ bool fetch(std::uint32_t n, WorkerSlot& slot) const {
    std::uint32_t task = kStopTask;
    if (lane_id() == 0) {
      DeviceWord64 entry(central.mailboxes[worker * kMailboxEntries + n % run.mailbox_depth]);
      for (int polls = 1;; ++polls) {
        const std::uint64_t read = entry.load(kAcquire);
        if (read >> 32 == n + 1) {
          task = static_cast<std::uint32_t>(read);
          break;
        }
        if (polls % kPollsPerAbortCheck == 0 && aborted(run)) break;
      }
    }
    task = __shfl_sync(kAllLanes, task, 0);
    if (task == kStopTask) return false;
    copy_task(run.tasks[task], slot.task);
    if (lane_id() == 0) slot.dispatched = 0;  // the dispatcher stamps it
    return true;
  }

  __device__ void publish(const WorkerSlot&, std::uint32_t n) const {
    if (lane_id() == 0) DeviceWord(run.completions[worker * kLineWords]).store(n + 1, kRelease);
  }
};

/// Moves `words` words into shared memory if there is room; the whole block calls it.
template <class Word>
__device__ Word* place(Word* from, std::uint32_t words, std::uint32_t*& room, std::uint32_t& room_words) {
  if (words > room_words) return from;
  std::uint32_t* to = room;
  for (std::uint32_t i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
  room += words;
  room_words -= words;
  return to;
}

__device__ void run_dispatchers(const PersistentRun& run, const CentralDispatcher& central, std::byte* shared) {
  auto& state = *reinterpret_cast<DispatcherState*>(shared);
  auto* room = reinterpret_cast<std::uint32_t*>(shared + sizeof(DispatcherState));
  std::uint32_t room_words = central.shared_words;
  Tables tables;
  tables.counters = place(run.counters, run.task_count, room, room_words);
  tables.successor_offsets = place(central.successor_offsets, run.task_count + 1, room, room_words);
  tables.ready = place(central.ready, run.task_count, room, room_words);
  tables.successors = place(run.successors, central.edge_count, room, room_words);
  if (threadIdx.x == 0) {
    state.head = 0;
    state.tail = central.root_count;
    state.completed = 0;
    state.idle_cores = run.workers;
  }
  __syncthreads();
  pass_gate(run);
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t owned = (run.workers + central.dispatchers - 1) / central.dispatchers;
  if (warp < central.dispatchers) {
    if (owned <= 32) {
      DispatcherWarp<1>(run, central, state, tables, warp).loop();
    } else if (owned <= 64) {
      DispatcherWarp<2>(run, central, state, tables, warp).loop();
    } else {
      DispatcherWarp<kMostWorkers / 32>(run, central, state, tables, warp).loop();
    }
  }
  __syncthreads();
  if (aborted(run)) {  // leave what the explanation needs where the host can read it
    for (std::uint32_t i = threadIdx.x; i < run.task_count; i += blockDim.x) run.counters[i] = tables.counters[i];
  }
}

__global__ void __launch_bounds__(kWorkerThreads, 1)
    central_dispatcher(const __grid_constant__ PersistentRun run, const __grid_constant__ CentralDispatcher central) {
  extern __shared__ __align__(128) std::byte shared[];
  if (blockIdx.x == run.workers) {
    run_dispatchers(run, central, shared);
  } else {
    pass_gate(run);
    run_worker(run, MailboxLink{run, central, blockIdx.x}, blockIdx.x, shared);
  }
}

}  // namespace

void launch_central_dispatcher(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream) {
  static_assert(kSharedBytes >= kBodySharedBytes);
  CentralDispatcher sized = central;
  sized.shared_words = static_cast<std::uint32_t>((kSharedBytes - sizeof(DispatcherState)) / sizeof(std::uint32_t));
  launch_resident(central_dispatcher, run.workers + 1, kSharedBytes, stream, run, sized);
}

}  // namespace tasktwin::gpu
