#pragma once

#include <cuda_runtime_api.h>

#include "gpu/persistent/persistent_run.hpp"

namespace tasktwin::gpu {

/// A block whose warps are the control cores, and the mailboxes of the workers.
struct CentralDispatcher {
  std::uint64_t* mailboxes;                ///< per worker one 128-byte line; entry n % depth holds (n + 1) << 32 | task
  std::uint32_t* ready;                    ///< places for every task, 1 + TaskId in order of becoming ready; the roots stand in it
  const std::uint32_t* successor_offsets;  ///< compressed rows
  std::uint32_t edge_count;
  std::uint32_t root_count;
  std::uint32_t dispatchers;  ///< warps
  bool fill_only_when_no_core_idle;
  std::uint32_t shared_words;       ///< shared memory that tables may take
  DispatchIteration* iterations;    ///< per dispatcher iteration_capacity; null unless phases are stamped
  std::uint32_t* iteration_counts;  ///< per dispatcher
  std::uint32_t iteration_capacity;
};

inline constexpr std::uint32_t kMailboxEntries = 16;
inline constexpr std::uint32_t kMostDispatchers = 8;
inline constexpr std::uint32_t kMostWorkers = 256;

/// Runs run.workers worker blocks and one dispatcher block.
void launch_central_dispatcher(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream);

}  // namespace tasktwin::gpu
