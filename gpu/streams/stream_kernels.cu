#include "gpu/streams/stream_kernels.hpp"

#include "gpu/bodies/body.cuh"
#include "gpu/cuda_error.hpp"
#include "gpu/memory_order.cuh"
#include "gpu/order_check.cuh"

namespace tasktwin::gpu {

namespace {

__global__ void __launch_bounds__(kBodyThreads, 1) one_task(const __grid_constant__ StreamRun run, std::uint32_t task) {
  extern __shared__ __align__(128) std::byte scratch[];
  const DeviceTask mine = run.tasks[task];
  const std::uint64_t started = global_timer();
  if (run.done) check_predecessors(mine, run.predecessors, run.done, run.violations);
  run_body(mine.body, run.bodies, scratch);
  body_sync();
  if (threadIdx.x != 0) return;
  if (run.stamped || mine.successor_count == 0) {
    run.phases[task].started = started;
    run.phases[task].ended = global_timer();
  }
  if (run.done) run.done[task] = 1;
}

__global__ void stamp_origin(std::uint64_t* origin) {
  *origin = global_timer();
  __threadfence_system();
}

}  // namespace

void prepare_task_kernel() {
  check(cudaFuncSetAttribute(one_task, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kBodySharedBytes)),
        "sizing shared memory");
}

void launch_task(const StreamRun& run, std::uint32_t task, cudaStream_t stream) {
  one_task<<<1, kBodyThreads, kBodySharedBytes, stream>>>(run, task);
}

void launch_origin_stamp(std::uint64_t* origin, cudaStream_t stream) { stamp_origin<<<1, 1, 0, stream>>>(origin); }

}  // namespace tasktwin::gpu
