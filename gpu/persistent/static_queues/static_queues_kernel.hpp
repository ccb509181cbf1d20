#pragma once

#include <cuda_runtime_api.h>

#include "gpu/bodies/page_copies.hpp"
#include "gpu/persistent/launch/persistent_run.hpp"
#include "gpu/persistent/static_queues/message_pieces.hpp"

namespace tasktwin::gpu {

/// The workers' lists, one after the other; counters and successors are stored by place in them.
struct StaticQueues {
  const std::uint32_t* first;  ///< per worker, and one more: place of its first task
  const DeviceTask* tasks;     ///< by place
  /// Places of awaited predecessors, in rows that DeviceTask::first_awaited and TaskEdges::head begin; null where workers are told by
  /// counters. Where they are told by messages, the pieces of those, and events with kEventCounter.
  const std::uint32_t* awaited;
  /// Where workers are told by counters: the events that they look at beside a task's own counter, how many and their places, in rows that
  /// DeviceTask::first_awaited begins, the first of which is empty. Null where there are none.
  const std::uint32_t* watched = nullptr;
  std::uint32_t first_event = ~0u;  ///< places from here on are events'
  MessagePiece* pieces = nullptr;   ///< null where workers are told otherwise
  const MessageRow* messages = nullptr;
};

/// What the workers' loaders bring (Design::prefetch).
struct PagePlan {
  const PageCopy* copies;      ///< worker after worker, in the order of their lists
  const std::uint32_t* first;  ///< per worker, and one more: its first copy
  std::uint32_t page_bytes;
  std::uint32_t pages;
  std::uint32_t ahead;          ///< tasks after the one at hand that are loaded for
  std::uint32_t scratch_bytes;  ///< of shared memory before the pages: the bodies'
};

void launch_static_queues(const PersistentRun& run, const StaticQueues& queues, cudaStream_t stream);
/// With loaders.
void launch_static_queues(const PersistentRun& run, const StaticQueues& queues, const PagePlan& plan, cudaStream_t stream);

}  // namespace tasktwin::gpu
