#pragma once

#include <cstdint>

#include "gpu/bodies/body_context.hpp"
#include "gpu/device_task.hpp"
#include "gpu/phase_record.hpp"

namespace tasktwin::gpu {

/// Words that must not share a cache line stand this many 32-bit words apart.
inline constexpr std::uint32_t kLineWords = 32;

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

/// Everything a persistent kernel works on, whatever its design; pointers are to device memory.
struct PersistentRun {
  BodyContext bodies;
  const DeviceTask* tasks;          ///< by TaskId
  const std::uint32_t* successors;  ///< compressed rows; DeviceTask says where a task's begin
  const std::uint32_t* predecessors;
  std::uint32_t* counters;  ///< by TaskId: predecessors not yet done
  std::uint32_t task_count;
  std::uint32_t workers;
  std::uint32_t mailbox_depth;

  RunControl* control;
  std::uint32_t* completions;     ///< per worker, kLineWords apart: tasks published
  std::uint32_t* waiting_for;     ///< per worker: 1 + the task it waited for when it was aborted; 0 for none
  std::uint64_t* last_published;  ///< per worker
  PhaseRecord* phases;            ///< by TaskId; null unless phases are stamped
  std::uint32_t* done;            ///< by TaskId; null unless the order is checked
  std::uint32_t* violations;      ///< predecessors found not done
};

}  // namespace tasktwin::gpu
