#pragma once

#include "gpu/problems/synthetic_data.hpp"

namespace tasktwin::gpu {

/// The matrix of problems/reference_cholesky.hpp, factorised in its place.
class CholeskyData final : public SyntheticData {
 public:
  /// Contract: graph.problem() is a CholeskyProblem that check_problem accepts.
  explicit CholeskyData(const TaskGraph& graph);
  BodyContext context() const override;
  void reset(cudaStream_t stream) override;
  std::optional<Residual> check() const override;

 private:
  CholeskyProblem problem_;
  DeviceBuffer<float> matrix_;
  DeviceBuffer<float> tiles_;
};

}  // namespace tasktwin::gpu
