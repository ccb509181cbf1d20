#include "gpu/peers/queues/peer_queues_kernel.hpp"

#include "gpu/cuda/system_word.cuh"
#include "gpu/peers/reading/peer_reading.cuh"
#include "gpu/persistent/launch/launch.cuh"
#include "gpu/persistent/static_queues/static_queue_links.cuh"

namespace tasktwin::gpu {

/// Not unnamed, as in gpu/persistent/static_queues/static_queues_kernel.cu.
namespace peer_queues_kernel {

/// Lets no block pass until every block of every device is resident. Each device's blocks look at a word in its own memory.
__device__ void pass_peer_gate(const PersistentRun& run, const PeerQueues& queues) {
  if (threadIdx.x == 0) {
    PeerGate& mine = *queues.gates[queues.device];
    if (DeviceWord(mine.arrived).fetch_add(1, kAcqRel) + 1 == run.blocks) {
      std::uint32_t before;
      asm volatile("atom.acq_rel.sys.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(&queues.gates[0]->devices) : "memory");
      if (before + 1 == queues.devices) {
        for (std::uint32_t device = 0; device < queues.devices; ++device) store_release_system(&queues.gates[device]->open, 1);
      }
    }
    while (load_acquire_system(&mine.open) == 0) {
    }
  }
  __syncthreads();
}

/// A worker that finishes decrements its successors' counters, which lie in the memory of the device whose worker waits for them; that one
/// looks at its own memory. What leaves the device is released at system scope, all else at the device's.
class PeerCounterLink {
 public:
  __device__ PeerCounterLink(const PersistentRun& run, const PeerQueues& queues, std::uint32_t worker, TaskStream::Room& room)
      : run_(run), queues_(queues), worker_(worker), list_(queues.queues, worker, room) {}

  __device__ bool bring(std::uint32_t n) { return list_.bring(n); }
  __device__ const DeviceTask& task(std::uint32_t n) const { return list_.task(n); }

  __device__ std::uint32_t await(std::uint32_t n) {
    if (list_.task(n).awaited == 0) return n + list_.roots(n);
    const std::uint32_t there = list_.there(n);
    const std::uint32_t* const counter = run_.counters + list_.place(n) + min(lane_id(), there - 1);
    std::uint32_t ready = 0;
    const bool found = poll(
        run_, [&] { return load_acquire_system(counter); },
        [&](std::uint32_t left) { return (ready = WorkerList::leading(left == 0 && lane_id() < there)) > 0; });
    if (found) return n + ready;
    if (lane_id() == 0) run_.waiting_for[worker_] = 1 + list_.task(n).body.task;
    return n;
  }

  __device__ bool reads(const DeviceTask& task) const {
    return queues_.reads.first && queues_.reads.first[task.body.task + 1] > queues_.reads.first[task.body.task];
  }

  __device__ void prepare(const TaskLine& line) { successors_.prepare(run_, line.first_successor, line.successor_count, line.head); }

  __device__ void publish(std::uint32_t) const {
    bool shared = false;
    successors_.for_each([&shared](std::uint32_t entry) { shared = shared || (entry != kStopTask && peer_code(entry) != 0); });
    if (__any_sync(kAllLanes, shared)) {
      release_fence_system();
    } else {
      release_fence();
    }
    successors_.for_each([this](std::uint32_t entry) {
      if (entry == kStopTask) return;
      if (const std::uint32_t code = peer_code(entry)) {
        decrement_system(queues_.counters[code - 1] + peer_place(entry));
      } else {
        decrement(run_.counters[entry]);
      }
    });
  }

 private:
  const PersistentRun& run_;
  const PeerQueues& queues_;
  std::uint32_t worker_;
  WorkerList list_;
  SuccessorRow successors_;
};

/// What the body reads of other devices, by the threads that run bodies.
__device__ __forceinline__ void read_inputs(const PeerReadRows& rows, std::uint32_t task) {
  if (!rows.first) return;
  for (std::uint32_t i = rows.first[task]; i < rows.first[task + 1]; ++i) read_bytes(rows.reads[i].from, rows.reads[i].bytes);
}

template <bool kWatched>
__global__ void __launch_bounds__(kSerialThreads, 1)
    peer_queues(const __grid_constant__ PersistentRun run, const __grid_constant__ PeerQueues queues) {
  extern __shared__ __align__(128) std::byte scratch[];
  __shared__ TaskStream::Room room;
  const PersistentRun known = as_watched<kWatched>(run);
  const std::uint32_t worker = block_number();
  if (worker >= run.blocks) return;
  pass_peer_gate(known, queues);
  run_serial_by(known, PeerCounterLink(known, queues, worker, room), worker, [&](const TaskDescriptor& task) {
    read_inputs(queues.reads, task.task);
    run_worker_body<1>(task, known.bodies, scratch);
  });
}

}  // namespace peer_queues_kernel

using namespace peer_queues_kernel;

void prepare_peer_queues() {
  for (const auto kernel : {peer_queues<true>, peer_queues<false>}) {
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel), "loading a persistent kernel");
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kBodySharedBytes)),
          "sizing shared memory");
  }
}

void launch_peer_queues(const PersistentRun& run, const PeerQueues& queues, cudaStream_t stream) {
  launch_resident(watched(run) ? peer_queues<true> : peer_queues<false>, {run.workers, kSerialThreads, kBodySharedBytes}, stream, run,
                  queues);
}

}  // namespace tasktwin::gpu
