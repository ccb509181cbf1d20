#pragma once

#include <optional>
#include <string>

#include "gpu/executor.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {

/// Why no GPU can be used, or nullopt: asked in a process of its own, so that this one can still say how many hardware queues it asks for.
/// Contract: as in_child().
std::optional<std::string> why_no_gpu_in_child();

/// Throws RunError saying why, if no GPU can be used.
void require_gpu();

/// The GPU as a child process sees it; this one stays without CUDA. Throws RunError saying why, if none can be used.
gpu::DeviceInfo device_in_child();

/// Throws InputError naming the first case, and its axis, for which there is no executor on any GPU.
void require_executors(const std::vector<Selection>& selections);

/// Runs cases on the GPU and keeps each as a recording would. A process has one number of hardware queues, once and for all: where the
/// designs ask for several, each case runs in a process of its own.
class GpuSession {
 public:
  /// `folder` is where the reproducing command says to record. Throws RunError where no GPU can be used, and InputError naming the first of
  /// `selections` that cannot run on this one, before any is started. Contract: this process has not used CUDA.
  GpuSession(gpu::RunOptions options, std::string folder, const std::vector<Selection>& selections, Progress& progress);

  const gpu::DeviceInfo& device() const { return device_; }
  RecordedCase measure(const Selection& selection, const Design& design) const;

 private:
  RecordedCase measure_here(const Selection& selection, const Design& design) const;
  RecordedCase measure_in_child(const Selection& selection, const Design& design) const;

  gpu::RunOptions options_;
  std::string folder_;
  bool apart_;
  gpu::DeviceInfo device_;
  Progress& progress_;
};

}  // namespace tasktwin::verify
