#pragma once

#include <string_view>
#include <vector>

namespace tasktwin::gpu {

/// How the memory that all multiprocessors share answers a single thread, and a crowd.
struct MemoryWordTimes {
  double read_latency_ns = 0;    ///< a load past the L1 cache, there and back
  double atomic_latency_ns = 0;  ///< an atomic addition whose result is awaited
  double atomic_service_ns = 0;  ///< between two additions to one word with a thread of every multiprocessor at it
};

/// Contract: there is a GPU.
MemoryWordTimes probe_memory_words();

/// The ports by which multiprocessors reach the memory, as far as reading shows them. (On H200s they are the GPCs, of 16 or 18
/// multiprocessors each, and each carries 1260 GB/s.)
struct MemoryPortProbe {
  /// The port of the multiprocessor that the n-th block of a kernel takes while nothing else runs; empty where no port holds back what the
  /// multiprocessors after it read.
  std::vector<int> by_placement;
  double bytes_per_ns = 0;  ///< of each port
  /// Likewise the set within which blocks of a cluster have been seen together; empty where the GPU has no clusters.
  std::vector<int> groups_by_placement = {};
};

/// Multiprocessors that blocks of a cluster share are at one port; those that no cluster tells of are, where they slow each other down.
/// Contract: there is a GPU, and nothing else runs on it.
MemoryPortProbe probe_memory_ports();

/// The queues in which what multiprocessors load waits for the memory, as far as reading shows them. (On H200s they are the three CPCs of
/// each GPC, of 4 or 6 multiprocessors each, which have 0.43 MB in flight.)
struct MemoryQueueProbe {
  std::vector<int> by_multiprocessor;  ///< its queue; empty where no queue holds anything back
  double bytes_per_ns = 0;             ///< that what one can have in flight draws alone
};

/// With all at it, multiprocessors of one queue run quicker if another of it does not read. Contract: there is a GPU, and nothing else
/// runs on it.
MemoryQueueProbe probe_memory_queues();

/// What a flag from one multiprocessor to another costs, the writer's release and the reader's acquire included.
struct FlagHop {
  std::string_view release;  ///< how it is raised, in PTX's words
  std::string_view wait;     ///< how it is awaited
  double ns = 0;             ///< from one multiprocessor to the next
};

/// Every way of raising with every way of waiting, between two multiprocessors that raise a word each by turns: half a round trip, median
/// over pairs near and far. Each orders what the writer did before against what the reader does after. Contract: there is a GPU. Throws
/// RunError if a flag is not seen within seconds.
std::vector<FlagHop> probe_flag_hops();

/// The same ways of raising, awaited by acquiring polls, along a ring of all multiprocessors, where every word is raised once, as the
/// counters of tasks are. (On an H200 that takes 6 to 20 % longer than two words by turns: the release takes longer.)
std::vector<FlagHop> probe_flag_rings();

/// A grid-wide barrier: one released addition by each block, and acquiring polls of that one word.
struct GridBarrierTime {
  int blocks = 0;
  double ns = 0;  ///< last arrival to all gone; median over rounds
};

/// For 2, 32 and 132 blocks, or as many as there are multiprocessors. Contract: there is a GPU. Throws RunError as above.
std::vector<GridBarrierTime> probe_grid_barriers();

}  // namespace tasktwin::gpu
