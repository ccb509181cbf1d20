#include "gpu/problems/cholesky_data.hpp"

#include "gpu/problems/reference_cholesky.hpp"

namespace tasktwin::gpu {

CholeskyData::CholeskyData(const TaskGraph& graph)
    : SyntheticData(graph),
      problem_(std::get<CholeskyProblem>(graph.problem())),
      matrix_(std::span<const float>(cholesky_matrix(problem_)), "the matrix"),
      tiles_(matrix_.size(), "the factor") {}

BodyContext CholeskyData::context() const {
  BodyContext context = SyntheticData::context();
  context.cholesky.tiles = tiles_.data();
  return context;
}

void CholeskyData::reset(cudaStream_t stream) {
  SyntheticData::reset(stream);
  gpu::check(cudaMemcpyAsync(tiles_.data(), matrix_.data(), tiles_.bytes(), cudaMemcpyDeviceToDevice, stream), "restoring the matrix");
}

std::optional<Residual> CholeskyData::check() const {
  const CholeskyErrors errors = cholesky_errors(problem_, tiles_.to_host("the factor"));
  return Residual{errors.largest(), kCholeskyErrorLimit};
}

}  // namespace tasktwin::gpu
