#pragma once

#include <optional>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/peers/devices/communicators.hpp"
#include "gpu/peers/plans/decode_shards.hpp"
#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

/// What a device's part of the two matrices whose columns are split works on: device pointers, passed to kernels by value.
struct ShardContext {
  DecodeShard shard;
  const Bf16* project_weights;  ///< [layers][hidden][attended]: its columns alone
  const Bf16* down_weights;     ///< [layers][hidden][activated]
  float* projected;             ///< [hidden]: its part of the sum; the first rank's has the state added
  float* downed;                ///< [hidden]; apart from `projected`, which other devices may still read
};

/// One device's part of a tensor-parallel decode step in addition to what every device has whole (DecodeData).
class ShardData {
 public:
  /// Allocates and generates; the device that it is for is current. Throws RunError if its memory does not suffice.
  ShardData(const DecodeProblem& problem, const DecodeShard& shard);

  ShardContext context() const;
  /// What an all_reduce after `kernel`, project or down, gives and takes. `state`: of this device (DecodeContext).
  RankBuffers sum(Kernel kernel, float* state, cudaStream_t stream) const;

 private:
  DecodeShard shard_;
  DeviceBuffer<Bf16> project_weights_;
  DeviceBuffer<Bf16> down_weights_;
  DeviceBuffer<float> projected_;
  DeviceBuffer<float> downed_;
};

/// Whether a kernel's columns are split, so that launch_shard_task() runs its tasks.
constexpr bool has_split_columns(Kernel kernel) { return kernel == Kernel::kProject || kernel == Kernel::kDown; }

/// Call once on each device.
void prepare_shard_kernels();

/// A task whose columns are split, as launch_task() launches others. Errors are those of cudaGetLastError.
void launch_shard_task(const StreamRun& run, const ShardContext& context, std::uint32_t task, cudaStream_t stream);

}  // namespace tasktwin::gpu
