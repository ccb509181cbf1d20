#pragma once

#include "gpu/problems/synthetic_data.hpp"

namespace tasktwin::gpu {

/// Weights, KV cache and activations of a decode step (problems/decode_numbers.hpp).
class DecodeData final : public SyntheticData {
 public:
  /// Contract: graph.problem() is a DecodeProblem that check_problem accepts.
  explicit DecodeData(const TaskGraph& graph);
  BodyContext context() const override;
  void reset(cudaStream_t stream) override;
  std::optional<Residual> check() const override;

 private:
  DecodeProblem problem_;
  DeviceBuffer<Bf16> qkv_weights_;
  DeviceBuffer<Bf16> project_weights_;
  DeviceBuffer<Bf16> gate_up_weights_;
  DeviceBuffer<Bf16> down_weights_;
  DeviceBuffer<Bf16> head_weights_;
  DeviceBuffer<Bf16> keys_;
  DeviceBuffer<Bf16> values_;
  DeviceBuffer<float> norm_weights_;
  DeviceBuffer<float> rope_cos_;
  DeviceBuffer<float> rope_sin_;
  DeviceBuffer<float> initial_state_;
  DeviceBuffer<float> state_;
  DeviceBuffer<float> normed_;
  DeviceBuffer<float> qkv_;
  DeviceBuffer<float> partial_sums_;
  DeviceBuffer<float> partial_scales_;
  DeviceBuffer<float> attended_;
  DeviceBuffer<float> activated_;
  DeviceBuffer<float> logits_;
};

}  // namespace tasktwin::gpu
