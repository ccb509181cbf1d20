#pragma once

#include <cstdint>

#include "gpu/bodies/body_context.hpp"
#include "gpu/run/device_task.hpp"
#include "gpu/run/phase_record.hpp"

namespace tasktwin::gpu {

/// Distance, in 32-bit words, between words that must not share a cache line.
inline constexpr std::uint32_t kLineWords = 32;

/// What the completion counts have at least, for a design that arranges them its own way.
inline constexpr std::uint32_t kCompletionWords = 2048;

/// Slots of a worker at most; it has a power of two of them. Of the hardware's 16 named barriers each takes two. A deeper mailbox
/// keeps the rest of its tasks where they come from.
inline constexpr std::uint32_t kMaxSlots = 4;

/// What host and blocks tell each other about a run as a whole.
struct RunControl {
  std::uint32_t arrived;
  std::uint32_t open;
  std::uint32_t abort;
  std::uint32_t pad;
  std::uint64_t origin;  ///< when the last block had arrived
};

/// A task number that ends a worker.
inline constexpr std::uint32_t kStopTask = 0xffffffffu;

/// The tasks that others spawn; null where there are none. By place.
struct Children {
  DeviceTask* tasks;            ///< all tasks; the spawned are absent until their spawner writes them
  const DeviceTask* templates;  ///< what it writes
  const std::uint32_t* counts;  ///< what a task waits for, its spawner included
};

/// Of the tasks that occupy several cores; null where there are none.
struct Cohorts {
  std::uint32_t* begun;  ///< by TaskId: blocks that cores have fetched
  std::uint32_t* ended;  ///< by TaskId: blocks that have ended
  PhaseRecord* records;  ///< of each block, from DeviceTask::first_block on; `ready` is stored with the task
};

/// The places of workers.
struct WorkerSeats {
  std::uint32_t* taken;    ///< by multiprocessor: workers that have arrived there; of several a multiprocessor
  std::uint32_t cores;     ///< multiprocessors that have workers
  std::uint32_t per_core;  ///< Design::workers_per_core
};

/// Everything a persistent kernel works on, whatever its design; pointers are to device memory.
struct PersistentRun {
  BodyContext bodies;
  const DeviceTask* tasks;          ///< by TaskId
  const std::uint32_t* successors;  ///< compressed rows of places; DeviceTask says where a task's begin
  const std::uint32_t* predecessors;
  std::uint32_t* counters;  ///< by place (gpu/run/graph_on_device.hpp): predecessors not yet done
  Children children;
  Cohorts cohorts;
  std::uint32_t task_count;
  std::uint32_t workers;
  WorkerSeats seats;
  std::uint32_t blocks;  ///< that take part in the run: the workers, and after them the dispatchers' if there is one
  std::uint32_t mailbox_depth;
  std::uint32_t last_slot;   ///< of a worker's ring of slots, by number
  std::uint32_t backoff_ns;  ///< between two polls of a waiting processor

  RunControl* control;
  std::uint32_t* completions;     ///< per worker, kLineWords apart unless the design says otherwise: tasks published
  std::uint32_t* waiting_for;     ///< per worker: 1 + the task it waited for when it was aborted; 0 for none
  std::uint64_t* last_published;  ///< per worker
  std::uint64_t* stopped;         ///< per worker: when it noticed that nothing is left; 0 where the design does not say
  PhaseRecord* phases;            ///< by TaskId; null unless phases are stamped
  std::uint32_t* done;            ///< by TaskId; null unless the order is checked
  std::uint32_t* violations;      ///< predecessors found not done
  bool time_rounds;               ///< of dispatchers, though no phases are stamped
  bool prologues;                 ///< workers do them before they wait, and bodies are without
};

/// Whether phases are stamped or the order is checked; kernels come in a variant for each answer.
inline bool watched(const PersistentRun& run) { return run.phases || run.done; }

}  // namespace tasktwin::gpu
