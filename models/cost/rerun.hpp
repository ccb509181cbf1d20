#pragma once

#include <cstdint>
#include <span>

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// A kernel's launch as it was captured. A captured program's own graph has its blocks by the multiprocessor (scenarios/importers), this
/// has them as they were.
struct CapturedLaunch {
  std::int64_t blocks = 0;         ///< 0 for what is no kernel, or is not known
  int threads = 0;                 ///< a block
  int registers = 0;               ///< a thread
  std::int64_t shared_memory = 0;  ///< bytes a block, static and dynamic
};

/// The difference by which a profiler's time of a kernel of several blocks is longer than from its first block's start to its last
/// block's end: it begins when the launch is taken up and ends when memory has been flushed. (The gaps between kernels are shorter in a
/// trace than between blocks' stamps by this, docs/evidence/traces.md.)
inline constexpr Duration kAroundBlocks{400};
/// The same of a kernel of one block.
inline constexpr Duration kAroundOneBlock{660};

constexpr Duration around_blocks(std::int64_t blocks) { return blocks > 1 ? kAroundBlocks : kAroundOneBlock; }

/// The mean of the graph's kernels; of none, as of kernels of several blocks.
Duration mean_around_blocks(const TaskGraph& graph);

/// The graph of a captured program with kernels that can be launched where the program's own cannot be had: of the captured grid, threads
/// and shared memory, whose blocks spin. Blocks that come in w waves onto `machine` spin a w-th of the captured time each. Registers that
/// limited how many blocks a core held are replaced by as large a share of its shared memory, and all prefer a core to be divided for
/// shared memory, so that no block waits for another division. Tasks without a launch are as in `graph`. Contract: a launch for each task.
TaskGraph rerun_graph(const TaskGraph& graph, std::span<const CapturedLaunch> launches, const Machine& machine);

}  // namespace tasktwin
