#pragma once

#include "gpu/bodies/task_descriptor.hpp"

namespace tasktwin::gpu {

/// The first successors of a task, which are in its own line.
inline constexpr std::uint32_t kHeadSuccessors = 4;

/// What completing a task needs.
struct alignas(16) TaskEdges {
  std::uint32_t first_successor;
  std::uint32_t successor_count;
  std::uint32_t first_predecessor;
  std::uint32_t predecessor_count;
  std::uint32_t head[kHeadSuccessors];  ///< the successor row's first entries; where workers look at flags, the awaited row's
};

/// A task as executors see it: what its body needs, and where its edges are in the graph's compressed rows. One line.
struct alignas(128) DeviceTask {
  TaskDescriptor body;
  TaskEdges edges;
  std::uint32_t expected_ns;    ///< its body's expected duration, for placements that balance loads
  std::uint32_t blocks;         ///< cores it occupies
  std::uint32_t spawned;        ///< how many of its successors it spawns
  std::uint32_t first_block;    ///< of a task of several: where the records of its blocks begin (Cohorts)
  std::uint32_t awaited;        ///< predecessors that a worker has to wait for
  std::uint32_t first_awaited;  ///< where their row begins, for workers that look at predecessors' flags
  std::uint32_t holds;          ///< 1 where its predicate holds, or it has none; else 0, and its body is an empty one
  std::uint32_t prologue_ns;    ///< that it spins before its body; a spinning body's time has it as well (make_descriptors)
};
static_assert(sizeof(DeviceTask) == 128);

/// Set in a successor row's entry for a task that is spawned when the row's task ends; entries that are no task are to be looked
/// for first.
inline constexpr std::uint32_t kSpawned = 0x80000000u;

/// A kernel that no task has: that of a task that does not exist.
inline constexpr std::uint32_t kNoKernel = 0xffffffffu;

}  // namespace tasktwin::gpu
