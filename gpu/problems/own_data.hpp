#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/own/linked_kernels.hpp"
#include "gpu/problems/synthetic_data.hpp"
#include "gpu/run/run_options.hpp"

namespace tasktwin::gpu {

/// The buffers of a scenario's own kernels, and these linked into the project's.
class OwnData final : public SyntheticData {
 public:
  /// Contract: graph.problem() is OwnKernels; graph and options outlive this.
  OwnData(const TaskGraph& graph, const RunOptions& options);
  BodyContext context() const override;
  void reset(cudaStream_t stream) override;
  /// Judges nothing, and reads RunOptions::kept_buffers.
  std::optional<Residual> check() const override;

 private:
  const OwnKernels& own_;
  std::map<std::string, std::vector<std::byte>>* kept_buffers_;
  const std::map<std::string, std::vector<std::byte>>* first_contents_;
  std::vector<DeviceBuffer<std::byte>> buffers_;
  LinkedKernels linked_;
};

}  // namespace tasktwin::gpu
