#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "models/graph/operation.hpp"

namespace tasktwin::gpu {

/// Why no collective can be made by NCCL: the executors were built without its header, or its library cannot be loaded; nullopt if one
/// can. The library is loaded when this is first asked.
std::optional<std::string> why_no_nccl();

/// The library's version, such as 2.28.9. Contract: !why_no_nccl().
std::string nccl_version();

/// One rank's part in a collective: what it gives and takes, in its device's memory, and the stream that it waits in.
struct RankBuffers {
  const float* give = nullptr;
  float* take = nullptr;
  cudaStream_t stream = nullptr;
};

/// A collective as its ranks' calls state it.
struct CollectiveCall {
  Operation kind{};
  std::size_t bytes = 0;  ///< as models/graph/operation.hpp counts them; what does not divide by 4 times the ranks is rounded up
  int root = 0;           ///< rank that sends, of broadcast and send_recv; the latter goes to the other rank
};

/// NCCL over some devices of this host, all held by this process; rank r is on devices[r]. NVLink's multicast stays off
/// (NCCL_NVLS_ENABLE=0), set before the library is loaded.
class Communicators {
 public:
  /// Throws RunError, for why_no_nccl() too.
  /// `algorithm`: NCCL's word for the way that bytes take (NCCL_ALGO); empty for its own choice.
  explicit Communicators(std::span<const int> devices, const std::string& algorithm = {});
  ~Communicators();
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;

  int ranks() const { return static_cast<int>(devices_.size()); }

  /// Puts every rank's part into its stream, as one group; streams that are being captured get nodes. Sums are of floats. Contract: a part
  /// a rank, with that much memory after each pointer. Throws RunError.
  void call(const CollectiveCall& call, std::span<const RankBuffers> parts) const;
  /// One rank's part alone; the others' are made by other threads, with their devices current.
  void call_rank(const CollectiveCall& call, int rank, const RankBuffers& part) const;

 private:
  struct Held;
  std::vector<int> devices_;
  std::unique_ptr<Held> held_;
};

}  // namespace tasktwin::gpu
