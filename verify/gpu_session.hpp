#pragma once

#include <optional>
#include <string>

#include "gpu/executor.hpp"
#include "verify/output/terminal.hpp"
#include "verify/prediction.hpp"
#include "verify/recorded.hpp"

namespace tasktwin::verify {

/// Why no GPU can be used, or nullopt: asked in a process of its own, so that this one can still say how many hardware queues it asks for.
/// Contract: as in_child().
std::optional<std::string> why_no_gpu_in_child();

/// Throws RunError saying why, if no GPU can be used.
void require_gpu();

/// The same, having asked for the hardware queues that a design states (the most, if several do: the others are refused then).
/// Contract: before this process's first call of CUDA.
void require_gpu(const std::vector<Selection>& selections);

/// Throws InputError naming the first case, and its axis, for which there is no executor on any GPU.
void require_executors(const std::vector<Selection>& selections);

/// Throws InputError naming the first case that cannot run on this GPU, before any of them is started. Contract: require_gpu() has passed.
void require_support(const std::vector<Selection>& selections);

/// Runs cases on the GPU and keeps each as a recording would.
class GpuSession {
 public:
  /// Contract: require_gpu() has passed. `folder` is where the reproducing command says to record.
  GpuSession(gpu::RunOptions options, std::string folder, Progress& progress);

  const gpu::DeviceInfo& device() const { return device_; }
  RecordedCase measure(const Selection& selection, const Design& design) const;

 private:
  gpu::RunOptions options_;
  std::string folder_;
  gpu::DeviceInfo device_;
  Progress& progress_;
};

}  // namespace tasktwin::verify
