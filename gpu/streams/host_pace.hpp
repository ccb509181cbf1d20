#pragma once

#include <array>
#include <optional>

#include <cuda_runtime_api.h>

#include "gpu/cuda/graph_handle.hpp"
#include "gpu/cuda/mapped_word.hpp"
#include "gpu/cuda/stream_handle.hpp"

namespace tasktwin::gpu {

/// How quick the host's calls are, in nanoseconds; the device is idle before and afterwards. `find_processor` first brings the
/// calling thread to where such a call is quickest (move_to_quickest_processor). Throw RunError.

/// By launching kernels that do next to nothing, with as large arguments as those of tasks, into 32 streams by turns
/// (HostCalls::reference_launch). A slow time shows less in launches into one stream (5.6 us in place of 3.6, against 4.7 in place of 3.4).
class StreamPace {
 public:
  double find_processor() const;
  double call_ns() const;

 private:
  static constexpr int kStreams = 32;

  void launch_burst() const;
  static double per_launch(double burst_ns);

  MappedWord aside_;
  std::array<Stream, kStreams> streams_;
};

/// By launching a graph of 32 such kernels that do not wait for each other (GraphLaunch::reference_launch). The launch of a large graph
/// takes up to twice as long on a processor that has not launched it before (seen with 100 to 2400 nodes), so one looks for a processor
/// once, and asks for the pace after each run.
class GraphPace {
 public:
  GraphPace();
  double find_processor(cudaStream_t stream) const;
  double call_ns(cudaStream_t stream) const;

 private:
  void launch(cudaStream_t stream) const;

  MappedWord aside_;
  std::optional<ExecutableGraph> graph_;
};

}  // namespace tasktwin::gpu
