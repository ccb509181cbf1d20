#pragma once

#include "gpu/rerun/tape/recording.hpp"

namespace tasktwin::gpu::rerun {

/// A call of the driver that a rerun needs to know of.
struct KnownCall {
  void (*take)(Recording& recording, const Call& call) = nullptr;  ///< null: it does not matter
  bool always = false;                                             ///< also outside of a range: memory and graphs
  bool per_thread = false;                                         ///< stream 0 is the thread's own
  bool sync_all = false;                                           ///< it waits for the whole device
  bool captures = false;  ///< it begins or ends the capture of a graph: it counts also where it failed
};

/// The call named `name`, as CUPTI has it: with the suffixes of versions and of per-thread default streams. Calls that give the device
/// work of a kind that cannot be run again are known too, and refuse the range.
KnownCall find_call(const char* name);

}  // namespace tasktwin::gpu::rerun
