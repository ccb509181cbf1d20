#pragma once

#include <cuda_runtime_api.h>

#include "gpu/persistent/launch/persistent_run.hpp"
#include "gpu/persistent/queues/backlog.hpp"
#include "gpu/persistent/queues/ready_bits.hpp"
#include "gpu/persistent/queues/steal_queue.hpp"
#include "gpu/persistent/queues/steal_rule.hpp"
#include "gpu/persistent/queues/ticket_queue.hpp"
#include "gpu/persistent/termination/vote.hpp"
#include "models/design/axes.hpp"
#include "models/rules/claim.hpp"

namespace tasktwin::gpu {

/// How workers find out that nothing is left.
struct EndingWords {
  Termination scheme;
  std::uint32_t created;       ///< tasks that are there at the beginning
  std::uint32_t* outstanding;  ///< counter, sentinels
  std::uint32_t* stops;        ///< sentinels: per worker, kLineWords apart
  VoteNode* votes;             ///< vote: per worker
};

/// How many tasks a worker claims at a time from a queue of several.
struct Claims {
  rules::ClaimRule rule;
  std::uint32_t claimable;  ///< blocks that are ever in such a queue
  std::uint32_t* claimed;   ///< work stealing, guided: of those, blocks that workers have taken to run

  TASKTWIN_HOST_DEVICE std::uint32_t size(std::uint32_t so_far) const {
    return rules::claim_size(rule, so_far < claimable ? claimable - so_far : 0, 1);
  }
};

/// Several ticket queues alike.
struct TicketQueues {
  std::uint32_t* ends;  ///< of each, head, tail and what is unclaimed, each on a line of its own
  std::uint64_t* places;
  std::uint32_t count;
  std::uint32_t capacity;
  bool never_full;
  bool on_demand;  ///< tickets are drawn for what is there only

  static constexpr std::uint32_t kEnds = 3;

  TASKTWIN_HOST_DEVICE TicketQueue operator[](std::uint32_t i) const {
    std::uint32_t* const head = ends + std::size_t{i} * kEnds * kLineWords;
    return {head, head + kLineWords, places + std::size_t{i} * capacity, capacity, never_full, on_demand ? head + 2 * kLineWords : nullptr};
  }
};

/// Several queues that are stolen from, alike.
struct StealQueues {
  std::uint64_t* ends;  ///< kEndsApart apart
  std::uint32_t* entries;
  std::uint32_t count;
  std::uint32_t capacity;
  bool never_full;

  static constexpr std::uint32_t kEndsApart = kLineWords / 2;

  TASKTWIN_HOST_DEVICE StealQueue operator[](std::uint32_t i) const {
    return {ends + std::size_t{i} * kEndsApart, entries + std::size_t{i} * capacity, capacity, never_full};
  }
};

/// What could not be pushed, per worker; the lists hold what did not fit at the beginning.
struct Backlogs {
  Backlog::Link* links;        ///< by place
  const std::uint32_t* first;  ///< per worker, 1 + place; 0 for none
  const std::uint32_t* last;
};

/// The queues of workers that push what they have made ready. Entries are places (gpu/run/graph_on_device.hpp). Each of the three kernels
/// uses those that its design has.
struct WorkerQueues {
  const DeviceTask* tasks;   ///< by place
  const std::uint32_t* ids;  ///< TaskId by place; null where a task's place is its id
  EndingWords ending;
  Claims claims;
  Backlogs backlogs;
  TicketQueues tickets;        ///< shared queue, and the one with frozen lists (count 0 without)
  StealQueues own;             ///< work stealing: by home
  bool newest_first;           ///< work stealing: owners take the newest
  std::uint32_t* taken;        ///< work stealing: per worker, room for a queue's entries
  StealRule stealing;          ///< work stealing, hybrid
  ReadyBits bits;              ///< hybrid: of frozen places
  const std::uint32_t* first;  ///< hybrid: per worker, and one more: place of the first task of its list
  std::uint32_t frozen;        ///< hybrid: places below it are frozen
  std::uint32_t first_event;   ///< places from here on are events'; kStopTask where there are none
  std::uint32_t* next_event;   ///< by event: 1 + the place of the one that its worker has to pass on after it; 0 for none
};

inline bool has_events(const WorkerQueues& queues) { return queues.first_event != kStopTask; }

void launch_shared_queue(const PersistentRun& run, const WorkerQueues& queues, cudaStream_t stream);
void launch_work_stealing(const PersistentRun& run, const WorkerQueues& queues, cudaStream_t stream);
void launch_hybrid(const PersistentRun& run, const WorkerQueues& queues, cudaStream_t stream);

}  // namespace tasktwin::gpu
