#pragma once

#include <cuda_runtime_api.h>

#include "gpu/persistent/dispatchers/central_dispatcher_kernel.hpp"
#include "gpu/persistent/launch/persistent_run.hpp"

namespace tasktwin::gpu {

/// Set in a mailbox entry's place where the worker is to wait for its doorbell before the body begins.
inline constexpr std::uint32_t kGated = 0x80000000u;
/// The entry of a worker's mailbox that is its doorbell: the number of the last of its tasks for which it has been rung, from 1.
inline constexpr std::uint32_t kDoorbell = kMailboxEntries - 1;

/// A dispatcher that hands over early (Design::early_dispatch): each worker has one task at a time, and places are TaskIds. Lists have room
/// for all tasks, each of which comes into one once.
struct GatedDispatcher {
  std::uint64_t* mailboxes;  ///< per worker one 128-byte line: in the first entry number << 32 | place, as of CentralDispatcher
  std::uint32_t* ready;      ///< those that have become ready, in order; the roots are there
  std::uint32_t root_count;
  std::uint32_t* unhanded;     ///< by place: predecessors that have not been handed over, or wait for a doorbell
  std::uint32_t* candidates;   ///< those of which none is left, in order
  std::uint64_t* staged;       ///< by place, of one that waits for its doorbell: its number << 32 | worker + 1; else 0
  std::uint32_t limit;         ///< Design::early_limit
  std::uint32_t shared_words;  ///< of shared memory for a dispatcher's tables
};

void launch_gated_dispatcher(const PersistentRun& run, const GatedDispatcher& gated, cudaStream_t stream);

}  // namespace tasktwin::gpu
