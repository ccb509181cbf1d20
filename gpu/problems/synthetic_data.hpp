#pragma once

#include <cstddef>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/problems/problem_data.hpp"

namespace tasktwin::gpu {

/// What the synthetic kernels need, in any graph: the clock's rate for spin, memory to read for stream. Tasks of neither
/// kind cost nothing.
class SyntheticData : public ProblemData {
 public:
  explicit SyntheticData(const TaskGraph& graph);
  BodyContext context() const override;
  void reset(cudaStream_t stream) override;
  std::optional<Residual> check() const override { return std::nullopt; }

 private:
  std::uint64_t scaled_cycles_per_ns_ = 0;
  DeviceBuffer<std::byte> stream_buffer_;
  DeviceBuffer<std::byte> eviction_buffer_;
};

}  // namespace tasktwin::gpu
