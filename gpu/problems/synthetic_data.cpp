#include "gpu/problems/synthetic_data.hpp"

#include <cmath>

#include <algorithm>

#include "gpu/cuda/clock_rate.hpp"
#include "gpu/problems/read_through.hpp"

namespace tasktwin::gpu {
namespace {

/// Several times the L2 cache of the largest GPUs (H200: 50 MiB; B200: 126 MiB): read before a run, it leaves nothing
/// else there.
constexpr std::size_t kEvictionBytes = std::size_t{512} << 20;

bool has_kernel(const TaskGraph& graph, Kernel kernel) {
  return std::ranges::any_of(graph.tasks(), [kernel](const Task& task) { return task.kernel == kernel; });
}

}  // namespace

SyntheticData::SyntheticData(const TaskGraph& graph) {
  if (has_kernel(graph, Kernel::kSpin) || graph.has_prologues()) {
    scaled_cycles_per_ns_ = static_cast<std::uint64_t>(std::llround(std::ldexp(measure_cycles_per_ns(), kCycleScaleBits)));
  }
  if (!has_kernel(graph, Kernel::kStream)) return;
  stream_buffer_ = DeviceBuffer<std::byte>(kStreamBufferBytes, "the memory that stream tasks read");
  eviction_buffer_ = DeviceBuffer<std::byte>(kEvictionBytes, "emptying the L2 cache");
  gpu::check(cudaMemset(stream_buffer_.data(), 0, stream_buffer_.bytes()), "clearing the memory that stream tasks read");
  gpu::check(cudaMemset(eviction_buffer_.data(), 0, eviction_buffer_.bytes()), "clearing what empties the L2 cache");
  gpu::check(cudaDeviceSynchronize(), "clearing the memory that stream tasks read");
}

BodyContext SyntheticData::context() const {
  BodyContext context{};
  context.scaled_cycles_per_ns = scaled_cycles_per_ns_;
  context.stream_buffer = stream_buffer_.data();
  return context;
}

void SyntheticData::reset(cudaStream_t stream) { read_through(eviction_buffer_.data(), eviction_buffer_.bytes(), stream); }

}  // namespace tasktwin::gpu
