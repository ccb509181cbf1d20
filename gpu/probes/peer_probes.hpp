#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/names.hpp"
#include "models/graph/operation.hpp"

namespace tasktwin::gpu {

/// What GPUs of one host take to reach each other; medians, in nanoseconds, on an otherwise idle host. Everywhere `from` and `to` are
/// devices. Contract of all: !why_no_peers(devices), devices ≥ 2, and peer access allowed. All throw RunError.

/// The pairs that probes take: each device with the next one, both ways.
struct DevicePair {
  int from = 0;
  int to = 0;
  friend bool operator==(const DevicePair&, const DevicePair&) = default;
};
std::vector<DevicePair> neighbours(int devices);

/// From a flag raised on one device to its being seen on the other: half a round trip.
struct PeerFlagHop {
  DevicePair pair;
  std::string_view release;  ///< how it is raised, in PTX's words
  std::string_view wait;     ///< how it is awaited
  bool fresh = false;        ///< every word is raised once, as the counters of tasks are; else two words by turns
  double ns = 0;
};
/// The writer releases what it did before at system scope, the reader acquires it. Also between two multiprocessors of one device, as pairs
/// of a device with itself.
std::vector<PeerFlagHop> probe_peer_flags(int devices);

/// Loads of single words, each needing the one before.
struct PeerLoad {
  DevicePair pair;  ///< of a device with itself too
  double ns = 0;
};
std::vector<PeerLoad> probe_peer_loads(int devices);

/// A chain of small kernels on two devices by turns, queued ahead; what each adds. A pair of a device with itself: on two streams of it.
struct PeerChain {
  DevicePair pair;
  double by_events_ns = 0;  ///< kernel, event, wait of the other device's stream, kernel
  double in_graph_ns = 0;   ///< nodes of one graph
};
std::vector<PeerChain> probe_peer_chains(int devices);

/// How a copy was made.
enum class CopyWay : std::uint8_t {
  kSource,  ///< cudaMemcpyPeerAsync in a stream of the device that it comes from
  kTarget,  ///< in one of the device that it goes to
  kGraph,   ///< a node of a graph
};

}  // namespace tasktwin::gpu

namespace tasktwin {

template <>
struct Words<gpu::CopyWay> {
  static constexpr std::array entries{
      std::pair{gpu::CopyWay::kSource, std::string_view{"in a stream of its source"}},
      std::pair{gpu::CopyWay::kTarget, std::string_view{"in a stream of its target"}},
      std::pair{gpu::CopyWay::kGraph, std::string_view{"in a graph"}},
  };
};

}  // namespace tasktwin

namespace tasktwin::gpu {

struct PeerCopy {
  DevicePair pair;
  CopyWay way{};
  int streams = 1;      ///< in turn into that many
  bool duplex = false;  ///< as many go the other way at the same time
  std::int64_t bytes = 0;
  double ns = 0;  ///< that each adds after others; with duplex that a pair of them adds
};
struct PeerCopies {
  std::vector<PeerCopy> queued;
  double call_ns = 0;  ///< the host's time of a call into a busy stream
  /// Of kernel, copy to the other device, kernel there, copy back and so on, in streams that wait for events: what a kernel and a copy add.
  struct Chained {
    std::int64_t bytes = 0;
    double ns = 0;
  };
  std::vector<Chained> chained;
};
PeerCopies probe_peer_copies(int devices);

/// A kernel of that many blocks of 256 threads, one on each multiprocessor, that reads the other device's memory.
struct PeerReads {
  DevicePair pair;
  int blocks = 0;
  bool duplex = false;  ///< a kernel of the other device reads this one's at the same time
  double bytes_per_ns = 0;
};
std::vector<PeerReads> probe_peer_reads(int devices);

/// The host's calls where devices take turns.
struct PeerCalls {
  double launch_ns = 0;           ///< a launch into a stream of one device, one after the other
  double launch_by_turns_ns = 0;  ///< into streams of two devices by turns, with the call that chooses the device
  /// Launching a graph of that many nodes that alternate between devices, in a chain, or all on one device; both idle before.
  struct GraphLaunch {
    int nodes = 0;
    int devices = 1;
    double launch_ns = 0;    ///< the call
    double makespan_ns = 0;  ///< call begun → the last node has ended
  };
  std::vector<GraphLaunch> graphs;
  double pace_ns = 0;  ///< HostCalls::reference_launch meanwhile
};
PeerCalls probe_peer_calls(int devices);

/// One collective over the first `ranks` devices.
struct CollectiveTime {
  Operation kind{};
  int ranks = 0;
  std::int64_t bytes = 0;  ///< as models/graph/operation.hpp counts them
  double stream_ns = 0;    ///< what one adds after others that are queued in streams
  double graph_ns = 0;     ///< in a chain of them in one graph over all devices; 0 where NCCL could not be captured so
  double call_ns = 0;      ///< the host's time to put one into all streams
  double pace_ns = 0;      ///< HostCalls::reference_launch just before
  int blocks = 0;          ///< of a rank's kernel in that graph; of all_reduce alone; 0 where it was not captured
};
struct Collectives {
  std::string library;  ///< NCCL's version
  std::vector<CollectiveTime> times;
  double rank_call_ns = 0;  ///< the host's time of one rank's call alone, the others' made by other threads
  double rank_pace_ns = 0;  ///< HostCalls::reference_launch just before
  /// A kernel of 2 us and one block on each device and an all_reduce of kBesideBytes by turns, as nodes of one graph over all
  /// of them: what a pair adds; and such kernels alone.
  struct Beside {
    double graph_ns = 0;  ///< 0 where NCCL could not be captured so
    double kernel_graph_ns = 0;
    double alone_graph_ns = 0;  ///< such all_reduces alone
  };
  static constexpr std::int64_t kBesideBytes = 16384;
  Beside beside;
  std::string why_no_graph;  ///< why none was measured in graphs; empty where they were
};
/// Contract: !why_no_nccl().
Collectives probe_collectives(int devices);

/// All of these.
struct PeerTimes {
  std::vector<PeerFlagHop> flags;
  std::vector<PeerLoad> loads;
  std::vector<PeerChain> chains;
  PeerCopies copies;
  std::vector<PeerReads> reads;
  PeerCalls calls;
  Collectives collectives;
};
/// Allows peer access. Throws RunError, for why_no_peers() and why_no_nccl() too.
PeerTimes probe_peers(int devices);

}  // namespace tasktwin::gpu
