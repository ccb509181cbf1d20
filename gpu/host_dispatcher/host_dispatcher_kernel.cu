#include "gpu/host_dispatcher/host_dispatcher_kernel.hpp"

#include "gpu/persistent/launch/launch.cuh"
#include "gpu/persistent/workers/polling.cuh"
#include "gpu/persistent/workers/task_batch.cuh"
#include "gpu/persistent/workers/worker.cuh"

namespace tasktwin::gpu {

/// Not unnamed: where bodies are linked in at run time kernels are found by their names.
namespace host_dispatcher_kernel {

/// What host and workers say to each other goes through these, at the scope of the whole system.
using SystemWord = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system>;
using SystemWord64 = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;

/// A worker's end of its mailbox in host memory: a poll is a read across the bus of the whole line, so all tasks that are in it
/// are taken at one look. A completion is released to the whole system, with all that the body wrote.
class HostMailboxLink {
 public:
  __device__ HostMailboxLink(const PersistentRun& run, const HostDispatch& host, std::uint32_t worker)
      : run_(run),
        host_(host),
        worker_(worker),
        mailbox_(host.mailboxes.entries + worker * kHostMailboxEntries),
        completions_(host.mailboxes.completions + host_completion_word(worker)) {}

  __device__ bool fetch(std::uint32_t n, WorkerSlot& slot) {
    if (n == 0 && worker_ == 0 && lane_id() == 0) SystemWord64(*host_.opened).store(1, kRelease);
    if (given_ == taken_ && !look(n)) return false;
    if (given_ == tasks_) {  // the stop entry
      if (lane_id() == 0) run_.stopped[worker_] = global_timer();
      return false;
    }
    batch_.put(given_++, slot.task);
    if (lane_id() == 0) slot.dispatched = 0;  // the host stamps it
    __syncwarp();
    return true;
  }

  __device__ void prepare(const DeviceTask& task) { blocks_ = task.blocks; }

  __device__ void publish(std::uint32_t task, std::uint32_t n) const {
    if (blocks_ > 1) leave_cohort(run_, task, blocks_);
    if (lane_id() != 0) return;
    SystemWord(*completions_).store(n + 1, kRelease);
    DeviceWord(run_.completions[worker_ * kLineWords]).store(n + 1, kRelaxed);
  }

 private:
  /// Waits for the n-th entry, and takes the next ones too. False if the run has been called off.
  __device__ bool look(std::uint32_t n) {
    const std::uint32_t entries = min(run_.mailbox_depth, TaskBatch::kCapacity);
    const SystemWord64 entry(mailbox_[(n + lane_id()) % kHostMailboxEntries]);
    std::uint32_t task = 0;
    const auto read = [&] { return lane_id() < entries ? entry.load(kAcquire) : 0; };
    const auto seen = [&](std::uint64_t word) {
      task = static_cast<std::uint32_t>(word);
      const std::uint32_t here = __ballot_sync(kAllLanes, lane_id() < entries && word >> 32 == n + lane_id() + 1);
      taken_ = static_cast<std::uint32_t>(__ffs(static_cast<int>(~here))) - 1;
      return taken_ > 0;
    };
    if (!poll(run_, read, seen)) return false;
    const std::uint32_t stops = __ballot_sync(kAllLanes, lane_id() < taken_ && task == kHostStop);
    tasks_ = stops == 0 ? taken_ : static_cast<std::uint32_t>(__ffs(static_cast<int>(stops))) - 1;
    given_ = 0;
    batch_.load(host_.tasks, task, tasks_);
    return true;
  }

  const PersistentRun& run_;
  const HostDispatch& host_;
  std::uint32_t worker_;
  std::uint64_t* mailbox_;
  std::uint32_t* completions_;
  TaskBatch batch_;
  std::uint32_t taken_ = 0;  ///< entries of the last look
  std::uint32_t tasks_ = 0;  ///< tasks among them; a stop entry may follow
  std::uint32_t given_ = 0;  ///< handed on to the bodies
  std::uint32_t blocks_ = 1;
};

template <bool kWatched>
__global__ void __launch_bounds__(kWorkerThreads, 1)
    host_workers(const __grid_constant__ PersistentRun run, const __grid_constant__ HostDispatch host) {
  extern __shared__ __align__(128) std::byte shared[];
  const PersistentRun known = as_watched<kWatched>(run);
  const std::uint32_t worker = block_number();
  if (worker < run.blocks) run_worker(known, HostMailboxLink(known, host, worker), worker, shared);
}

}  // namespace host_dispatcher_kernel

using namespace host_dispatcher_kernel;

void launch_host_workers(const PersistentRun& run, const HostDispatch& host, cudaStream_t stream) {
  launch_workers(watched(run) ? host_workers<true> : host_workers<false>, "host_dispatcher_kernel",
                 {run.workers, kWorkerThreads, kBodySharedBytes}, stream, run, host);
}

}  // namespace tasktwin::gpu
