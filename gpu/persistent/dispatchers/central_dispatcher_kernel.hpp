#pragma once

#include <span>
#include <vector>

#include <cuda_runtime_api.h>

#include "gpu/persistent/dispatchers/dispatcher_homes.hpp"
#include "gpu/persistent/launch/persistent_run.hpp"
#include "gpu/persistent/queues/steal_rule.hpp"
#include "models/axes/workers.hpp"

namespace tasktwin::gpu {

/// How the dispatchers keep ready tasks.
enum class ReadyKind : std::uint32_t {
  kFifo,
  kLifo,
  kRanked,  ///< by place: a task's place is its rank in the design's order
};

inline constexpr std::uint32_t kMailboxEntries = 16;

static_assert(kMostDispatchers * kMostWorkers <= kCompletionWords);

/// Of tasks that may have several blocks, by place; null where every task has one.
struct WideTasks {
  std::uint32_t* to_hand;  ///< blocks not handed over; where they start together, as many as there are
  std::uint32_t* to_end;   ///< blocks whose completion has not been taken in
};

/// A block whose warps are the control cores, and the mailboxes of the workers.
struct CentralDispatcher {
  std::uint64_t* mailboxes;  ///< per worker one 128-byte line; entry n & slot_mask holds (n + 1) << 32 | place
  const DeviceTask* tasks;   ///< by place
  const std::uint32_t* ids;  ///< TaskIds by place; null where they are the same
  std::uint32_t* ready;      ///< by home ready_words of them, as the run begins
  std::uint32_t ready_words;
  ReadyKind ready_kind;
  std::uint32_t edge_count;
  std::uint32_t root_counts[kMostDispatchers];  ///< by home
  Homes homes;
  WideTasks wide;
  std::uint32_t known;        ///< tasks that are there from the beginning
  std::uint32_t blocks;       ///< of all tasks, spawned ones too
  StealRule stealing;         ///< of dispatchers whose home has nothing for an idle core
  bool byte_counters;         ///< no task has more than 255 predecessors, and none is spawned
  std::uint32_t dispatchers;  ///< warps
  std::uint32_t slot_mask;    ///< slots of a mailbox, a power of two, less one
  Fill fill;
  bool least_loaded;                ///< a task goes to the core with the least expected work, else to one with the fewest tasks
  std::uint32_t shared_words;       ///< shared memory that tables may take
  DispatchIteration* iterations;    ///< per dispatcher iteration_capacity; null unless phases are stamped
  std::uint32_t* iteration_counts;  ///< per dispatcher
  std::uint32_t iteration_capacity;

  /// One ready queue, of tasks that are all there from the beginning, each for any core: what kernels are made fast for.
  bool plain(const PersistentRun& run) const { return homes.count == 1 && !wide.to_hand && known == run.task_count && !least_loaded; }
};

/// The words of one queue as a run begins: `roots` are the places of those that are in it, in the order in which they became ready.
/// `plain` as CentralDispatcher::plain says.
std::vector<std::uint32_t> initial_ready_words(bool plain, ReadyKind kind, std::uint32_t tasks, std::span<const std::uint32_t> roots);

/// Runs run.workers worker blocks and one dispatcher block.
void launch_central_dispatcher(const PersistentRun& run, const CentralDispatcher& central, cudaStream_t stream);

}  // namespace tasktwin::gpu
