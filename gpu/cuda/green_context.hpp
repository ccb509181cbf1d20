#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include <cuda_runtime_api.h>

#include "models/design/named_cores.hpp"

namespace tasktwin::gpu {

/// The device's SMs in shares, each a green context of the driver's; kernels in a share's streams run on its SMs only. The driver
/// rounds shares to what it can set apart (on compute capability 9.0 multiples of 8 SMs), and lets kernels use 2 SMs more once kernels
/// that launch kernels have been loaded (cuda.h, "Green Contexts").
class SmPartition {
 public:
  /// `percent` of the SMs, at least, for the first share (models/design/core_shares.hpp). Throws InputError where the driver has no green
  /// contexts or cannot divide the SMs so, RunError for CUDA errors.
  explicit SmPartition(int percent);
  /// A share of as many SMs as each of `sets` has cores, in their order, whichever cores these are; what they leave is one more share, if
  /// they leave any. Throws likewise.
  explicit SmPartition(std::span<const NamedCores> sets);
  ~SmPartition();
  SmPartition(const SmPartition&) = delete;
  SmPartition& operator=(const SmPartition&) = delete;

  int shares() const;
  int multiprocessors(int share) const;
  /// A stream that does not wait for the legacy default stream. Contract: the caller destroys it, before the partition.
  cudaStream_t create_stream(int share) const;

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

/// Why the driver cannot divide the SMs so; nullopt if it can. Throws RunError for CUDA errors.
std::optional<std::string> why_no_partition(int percent);
std::optional<std::string> why_no_partition(std::span<const NamedCores> sets);

}  // namespace tasktwin::gpu
