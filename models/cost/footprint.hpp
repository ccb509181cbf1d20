#pragma once

#include <cstdint>

#include "models/machine/limits.hpp"

namespace tasktwin {

/// Threads and shared memory of a block that has its core to itself.
inline constexpr int kWholeCoreThreads = 256;
inline constexpr std::int64_t kWholeCoreSharedBytes = 131'584;

/// What the launch of a task's kernel requests. The only definition: simulator, bounds and executors take it from here.
struct Footprint {
  bool whole_core = false;         ///< no other block shares its core
  int threads = 0;                 ///< a block
  int registers = 0;               ///< a thread; 0 where they are as the kernel was compiled
  std::int64_t shared_memory = 0;  ///< bytes a block, without those that the hardware reserves
  int carveout = -1;               ///< per cent of a core's largest shared memory; -1 where the driver decides
  int cluster = 1;                 ///< blocks
  bool cooperative = false;        ///< TaskTraits::cooperative
  friend bool operator==(const Footprint&, const Footprint&) = default;
};

/// Whether the task says what a block of it takes of a core.
constexpr bool states_footprint(const TaskTraits& traits) {
  return traits.threads != 0 || traits.registers != 0 || traits.shared_memory != 0;
}

/// Whether any task does.
inline bool states_footprints(const TaskGraph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (states_footprint(graph.traits(task_id(i)))) return true;
  }
  return false;
}

/// A task that states neither threads, registers nor shared memory has a core to itself; one that states some but no threads has
/// kWholeCoreThreads.
constexpr Footprint footprint(const TaskTraits& traits) {
  if (!states_footprint(traits)) {
    return {.whole_core = true,
            .threads = kWholeCoreThreads,
            .shared_memory = kWholeCoreSharedBytes,
            .cluster = traits.cluster,
            .cooperative = traits.cooperative};
  }
  return {.threads = traits.threads == 0 ? kWholeCoreThreads : traits.threads,
          .registers = traits.registers,
          .shared_memory = traits.shared_memory,
          .carveout = traits.carveout,
          .cluster = traits.cluster,
          .cooperative = traits.cooperative};
}

/// The same as it is launched: a kernel that does not run in any block has a core to itself, whatever its task states.
inline Footprint launched_block(const TaskGraph& graph, TaskId task) {
  const TaskTraits& traits = graph.traits(task);
  return footprint(runs_in_any_block(graph[task].kernel) ? traits
                                                         : TaskTraits{.cluster = traits.cluster, .cooperative = traits.cooperative});
}

/// Elements of the vector that a kernel multiplies rows with. Contract: reads_rows(kernel).
std::int64_t vector_length(const DecodeProblem& problem, Kernel kernel);

/// Bytes of its block's shared memory that the task's body works in, beside which nothing else may lie. A kernel that makes do with less
/// needs none.
std::int64_t body_shared_bytes(const TaskGraph& graph, TaskId task);

/// How a core divides what it has into shared memory and cache for a kernel, in bytes of shared memory.
struct Carveout {
  std::int64_t chosen = 0;  ///< on a core that is empty
  std::int64_t least = 0;   ///< a core with other blocks takes its blocks if it has been divided from `least`
  std::int64_t most = 0;    ///< to `most`
  friend bool operator==(const Carveout&, const Carveout&) = default;
};

/// `blocks`: as many of `block_bytes` as a core can hold by all else that it has. Sizes are those of limits.carveouts, none of which is all
/// of limits.shared_memory. `percent`: Footprint::carveout. The law and how it was found: docs/model/shared_cores.md.
Carveout carveout(const CoreLimits& limits, std::int64_t block_bytes, std::int64_t blocks, int percent);

}  // namespace tasktwin
