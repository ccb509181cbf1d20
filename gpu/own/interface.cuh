// The interface between tasktwin and a kernel that a scenario brings along: `#include <tasktwin/kernel.hpp>` in its source.
//
// An entry is a function of the source,
//
//   __device__ void entry(const tasktwin::Block& block, …);
//
// whose further parameters are those that the scenario lists, in that order: int, float, or a pointer for a buffer. It does the work of
// one block of one task. docs/kernels.md says what it may rely on and what it must keep.
#pragma once

namespace tasktwin {

/// One block of a task, as one thread of its body sees it.
struct Block {
  unsigned index;         ///< among the task's blocks, from 0
  unsigned count;         ///< the task's blocks
  unsigned thread;        ///< among the body's threads, from 0; consecutive 32 are a warp
  unsigned threads;       ///< of the body, as the scenario states them
  unsigned char* shared;  ///< shared memory of the size that the scenario states, aligned to 128 bytes; what it holds at first is anything

  /// Waits for all threads of the body, and makes what each wrote visible to the others. Not __syncthreads(): where workers stay on
  /// the multiprocessor their blocks have further threads. It is named barrier 15.
  __device__ void sync() const { asm volatile("bar.sync 15, %0;" ::"r"(threads) : "memory"); }
};

}  // namespace tasktwin
