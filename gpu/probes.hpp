#pragma once

namespace tasktwin::gpu {

/// How the memory that all multiprocessors share answers a single thread, and a crowd.
struct MemoryWordTimes {
  double read_latency_ns = 0;    ///< a load past the L1 cache, there and back
  double atomic_latency_ns = 0;  ///< an atomic addition whose result is awaited
  double atomic_service_ns = 0;  ///< between two additions to one word with a thread of every multiprocessor at it
};

/// Contract: there is a GPU.
MemoryWordTimes probe_memory_words();

}  // namespace tasktwin::gpu
