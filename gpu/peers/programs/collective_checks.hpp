#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "gpu/task_kernels/stream_kernels.hpp"
#include "models/base/host_device.hpp"
#include "models/graph/operation.hpp"

namespace tasktwin::gpu {

/// What the ranks of a collective give and take where the order is checked: small whole numbers, whose sums are exact in any order.
struct CollectiveNumbers {
  Operation kind{};
  int ranks = 0;
  int root = 0;              ///< rank that sends, of broadcast and send_recv
  std::uint64_t words = 0;   ///< of floats: bytes as models/graph/operation.hpp counts them
  std::uint32_t number = 0;  ///< of the collective, so that no two give the same

  TASKTWIN_HOST_DEVICE std::uint64_t share() const {
    const auto all = static_cast<std::uint64_t>(ranks);
    return (words + all - 1) / all;
  }
  TASKTWIN_HOST_DEVICE float given(int rank, std::uint64_t at) const {
    return static_cast<float>((at * 3 + static_cast<std::uint64_t>(rank) * 5 + number * 7) % 512);
  }
  TASKTWIN_HOST_DEVICE float sum(std::uint64_t at) const {
    float all = 0;
    for (int rank = 0; rank < ranks; ++rank) all += given(rank, at);
    return all;
  }
  /// Words that a rank is given, and of those that it takes.
  TASKTWIN_HOST_DEVICE std::uint64_t gives() const {
    if (kind == Operation::kAllGather) return share();
    return kind == Operation::kReduceScatter || kind == Operation::kAllToAll ? share() * static_cast<std::uint64_t>(ranks) : words;
  }
  TASKTWIN_HOST_DEVICE std::uint64_t takes(int rank) const {
    if (kind == Operation::kReduceScatter) return share();
    if (kind == Operation::kAllGather || kind == Operation::kAllToAll) return share() * static_cast<std::uint64_t>(ranks);
    return kind == Operation::kSendRecv && rank == root ? 0 : words;
  }
  TASKTWIN_HOST_DEVICE float taken(int rank, std::uint64_t at) const {
    switch (kind) {
      case Operation::kAllReduce:
        return sum(at);
      case Operation::kAllGather:
        return given(static_cast<int>(at / share()), at % share());
      case Operation::kReduceScatter:
        return sum(static_cast<std::uint64_t>(rank) * share() + at);
      case Operation::kAllToAll:
        return given(static_cast<int>(at / share()), static_cast<std::uint64_t>(rank) * share() + at % share());
      default:
        return given(root, at);
    }
  }
};

/// Writes what `rank` gives, and spoils what it is to take. Errors are those of cudaGetLastError.
void launch_collective_fill(const CollectiveNumbers& numbers, int rank, float* give, float* take, cudaStream_t stream);

/// Counts a violation where anything that it took is wrong.
void launch_collective_check(const CollectiveNumbers& numbers, int rank, const float* take, std::uint32_t* violations, cudaStream_t stream);

}  // namespace tasktwin::gpu
