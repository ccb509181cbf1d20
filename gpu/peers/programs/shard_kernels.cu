#include "gpu/peers/programs/shard_kernels.hpp"

#include <algorithm>

#include "gpu/bodies/hashed_values.hpp"
#include "gpu/bodies/matrix_vector.cuh"
#include "gpu/cuda/cuda_error.hpp"
#include "gpu/cuda/memory_order.cuh"
#include "gpu/cuda/multiprocessor.cuh"
#include "gpu/problems/decode_numbers.hpp"
#include "gpu/run/order_check.cuh"

namespace tasktwin::gpu {

namespace {

/// Columns [first, first + columns) of all rows of a matrix of `row` numbers in a row, packed.
__global__ void fill_columns(Bf16* values, std::size_t rows, int row, int first, int columns, HashedTensor tensor, float scale) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * columns; i += threads)
    values[i] = hashed_bf16(tensor, i / columns * row + first + i % columns, scale);
}

DeviceBuffer<Bf16> columns_of(std::size_t rows, int row, int first, int columns, HashedTensor tensor, float scale, const char* what) {
  DeviceBuffer<Bf16> packed(rows * static_cast<std::size_t>(columns), what);
  fill_columns<<<1024, 256>>>(packed.data(), rows, row, first, columns, tensor, scale);
  check(cudaGetLastError(), "generating weights");
  return packed;
}

/// Rows of the task's matrix times what this device has of the vector; the first rank adds the state.
__device__ __forceinline__ void multiply_shard(const DecodeContext& decode, const ShardContext& context, const TaskDescriptor& task,
                                               float* shared) {
  const bool projects = task.kernel == static_cast<std::uint32_t>(Kernel::kProject);
  const int layer = task.args[0];
  const int first_row = task.args[1];
  const int columns = projects ? context.shard.attended : context.shard.activated;
  const Bf16* const weights = projects ? context.project_weights : context.down_weights;
  const float* const vector = projects ? decode.attended + context.shard.first_attended : decode.activated + context.shard.first_activated;
  float* const result = (projects ? context.projected : context.downed) + first_row;
  const float* const state = context.shard.rank == 0 ? decode.state + first_row : nullptr;
  const std::size_t row = static_cast<std::size_t>(layer) * decode.hidden + first_row;
  multiply_rows<1>(weights + row * columns, task.args[2], columns, vector, shared, [&](int r, float sum) {
    if (body_thread() % 32 == 0) result[r] = state ? state[r] + sum : sum;
  });
}

__global__ void __launch_bounds__(kBodyThreads, 1)
    one_shard_task(const __grid_constant__ StreamRun run, const __grid_constant__ ShardContext context, std::uint32_t task) {
  extern __shared__ __align__(128) float vector[];
  const DeviceTask mine = run.tasks[task];
  const std::uint64_t started = global_timer();
  if (run.done) check_predecessors(mine, run.predecessors, run.done, run.violations);
  multiply_shard(run.bodies.decode, context, mine.body, vector);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (run.stamped || mine.edges.successor_count == 0) {
    run.phases[task].started = started;
    run.phases[task].ended = global_timer();
    run.phases[task].core = multiprocessor();
  }
  if (run.done) run.done[task] = 1;
}

}  // namespace

ShardData::ShardData(const DecodeProblem& problem, const DecodeShard& shard)
    : shard_(shard),
      project_weights_(columns_of(static_cast<std::size_t>(problem.layers) * static_cast<std::size_t>(problem.hidden), problem.hidden,
                                  shard.first_attended, shard.attended, HashedTensor::kProject, decode_scales(problem).hidden_weights,
                                  "the output projection's weights")),
      down_weights_(columns_of(static_cast<std::size_t>(problem.layers) * static_cast<std::size_t>(problem.hidden), problem.mlp,
                               shard.first_activated, shard.activated, HashedTensor::kDown, decode_scales(problem).mlp_weights,
                               "the down weights")),
      projected_(static_cast<std::size_t>(problem.hidden), "the activations"),
      downed_(static_cast<std::size_t>(problem.hidden), "the activations") {
  prepare_shard_kernels();
  check(cudaDeviceSynchronize(), "generating weights");
}

ShardContext ShardData::context() const {
  return {shard_, project_weights_.data(), down_weights_.data(), projected_.data(), downed_.data()};
}

RankBuffers ShardData::sum(Kernel kernel, float* state, cudaStream_t stream) const {
  return {kernel == Kernel::kProject ? projected_.data() : downed_.data(), state, stream};
}

void prepare_shard_kernels() {
  check(cudaFuncSetAttribute(one_shard_task, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kBodySharedBytes)),
        "sizing shared memory");
}

void launch_shard_task(const StreamRun& run, const ShardContext& context, std::uint32_t task, cudaStream_t stream) {
  one_shard_task<<<1, kBodyThreads, kBodySharedBytes, stream>>>(run, context, task);
}

}  // namespace tasktwin::gpu
