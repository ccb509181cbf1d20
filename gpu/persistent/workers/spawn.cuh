#pragma once

#include "gpu/cuda/memory_order.cuh"
#include "gpu/persistent/launch/persistent_run.hpp"

namespace tasktwin::gpu {

/// The place that a successor row's entry names, and whether the task there is spawned only now. Contract: entry != kStopTask.
__device__ inline std::uint32_t place_of(std::uint32_t entry) { return entry & ~kSpawned; }
__device__ inline bool is_spawned(std::uint32_t entry) { return (entry & kSpawned) != 0; }

/// Writes the task that `entry` names into the table of tasks, if it is spawned only now. The lane that does so, or one
/// that is after a fence of its warp, releases it then.
__device__ inline void make_child(const Children& children, std::uint32_t entry) {
  if (entry == kStopTask || !is_spawned(entry)) return;
  const uint4* from = reinterpret_cast<const uint4*>(children.templates + place_of(entry));
  uint4* to = reinterpret_cast<uint4*>(children.tasks + place_of(entry));
#pragma unroll
  for (std::size_t i = 0; i < sizeof(DeviceTask) / sizeof(uint4); ++i) to[i] = from[i];
}

/// Whether the release of `entry` by one of its predecessors, or by its spawner, makes it ready. The counter of a task that has
/// not exist counts the releases below zero; its spawner adds what it waits for, less its own release.
__device__ inline bool release(const PersistentRun& run, std::uint32_t entry) {
  const DeviceWord counter(run.counters[place_of(entry)]);
  if (!is_spawned(entry)) return counter.fetch_sub(1, kRelaxed) == 1;
  const std::uint32_t others = run.children.counts[place_of(entry)] - 1;
  return counter.fetch_add(others, kRelaxed) + others == 0;
}

}  // namespace tasktwin::gpu
