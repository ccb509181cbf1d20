#pragma once

#include <span>
#include <vector>

#include <cuda_runtime_api.h>

#include "gpu/persistent/persistent_run.hpp"
#include "models/axes.hpp"

namespace tasktwin::gpu {

/// How the dispatchers keep ready tasks.
enum class ReadyKind : std::uint32_t {
  kFifo,
  kLifo,
  kRanked,  ///< by place: a task's place is its rank in the design's order
};

/// A block whose warps are the control cores, and the mailboxes of the workers.
struct CentralDispatcher {
  std::uint64_t* mailboxes;  ///< per worker one 128-byte line; entry n & slot_mask holds (n + 1) << 32 | place
  const DeviceTask* tasks;   ///< by place
  const std::uint32_t* ids;  ///< TaskIds by place; null where they are the same
  std::uint32_t* ready;      ///< ready_words of them, as the run begins
  std::uint32_t ready_words;
  ReadyKind ready_kind;
  std::uint32_t edge_count;
  std::uint32_t root_count;
  bool byte_counters;         ///< no task has more than 255 predecessors
  std::uint32_t dispatchers;  ///< warps
  std::uint32_t slot_mask;    ///< slots of a mailbox, a power of two, less one
  Fill fill;
  bool least_loaded;                ///< a task goes to the core with the least expected work, else to one with the fewest tasks
  std::uint32_t shared_words;       ///< shared memory that tables may take
  DispatchIteration* iterations;    ///< per dispatcher iteration_capacity; null unless phases are stamped
  std::uint32_t* iteration_counts;  ///< per dispatcher
  std::uint32_t iteration_capacity;
};

inline constexpr std::uint32_t kMailboxEntries = 16;
inline constexpr std::uint32_t kMostDispatchers = 8;
inline constexpr std::uint32_t kMostWorkers = 256;

static_assert(kMostDispatchers * kMostWorkers <= kCompletionWords);

/// The words as a run begins: `roots` are the places of those that are ready then, in the order in which they became so.
std::vector<std::uint32_t> initial_ready_words(ReadyKind kind, std::uint32_t tasks, std::span<const std::uint32_t> roots);

/// Runs run.workers worker blocks and one dispatcher block.
void launch_central_dispatcher(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream);

}  // namespace tasktwin::gpu
