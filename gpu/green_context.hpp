#pragma once

#include <memory>
#include <vector>

#include "gpu/stream.hpp"
#include "models/stream_plan.hpp"
#include "models/task_graph.hpp"

namespace tasktwin::gpu {

/// The device's SMs in two shares, each a green context of the driver's; kernels in a share's streams run on its SMs only. The driver
/// rounds shares to what it can set apart (on compute capability 9.0 multiples of 8 SMs), and lets kernels use 2 SMs more once kernels
/// that launch kernels have been loaded (cuda.h, "Green Contexts").
class SmPartition {
 public:
  /// `percent` of the SMs, at least, for the first share. Throws InputError where the driver has no green contexts or cannot divide the
  /// SMs so, RunError for CUDA errors.
  explicit SmPartition(int percent);
  ~SmPartition();
  SmPartition(const SmPartition&) = delete;
  SmPartition& operator=(const SmPartition&) = delete;

  /// SMs of share 0 or 1.
  int multiprocessors(int share) const;
  /// Contract: destroyed before the partition.
  Stream make_stream(int share) const;

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

/// A stream for each of `count` that `plan` names: in the first share where its kernels are matrix kernels, else in the second.
/// Contract: all launches into one stream are of one kernel.
std::vector<Stream> partitioned_streams(const SmPartition& partition, const TaskGraph& graph, const std::vector<StreamLaunch>& plan,
                                        std::size_t count);

}  // namespace tasktwin::gpu
