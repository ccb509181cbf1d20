#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/axes/devices.hpp"
#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// By number (Task::args[1]), none at 0: the ranks of each collective, by device. Throws InputError for a number that cannot be.
std::vector<std::vector<TaskId>> collectives_of(const TaskGraph& graph);

/// One collective over devices.
struct Collective {
  Operation kind{};
  std::int64_t bytes = 0;      ///< as models/graph/operation.hpp counts them
  int root = 0;                ///< a device; of broadcast and send_recv
  std::vector<int> devices{};  ///< of its ranks, ascending: two or more
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::kRing;
  int blocks = 0;  ///< of a rank, where the design leaves it fewer than the machine does; 0 where it does not
};

/// Contract: `ranks` are those of one, by device.
Collective collective_of(const TaskGraph& graph, const std::vector<TaskId>& ranks, CollectiveAlgorithm algorithm);
/// The same under `design`, with what that says of blocks, of which a rank has no more than the fewest `cores` that one may use
/// (TaskShares::fewest_cores).
Collective collective_under(const Machine& machine, const Design& design, const TaskGraph& graph, const std::vector<TaskId>& ranks,
                            int cores);

/// Bytes from one device to another, all through the collective: its pieces follow each other as in a pipe.
struct CollectiveFlow {
  int from = 0;
  int to = 0;
  double bytes = 0;
  friend bool operator==(const CollectiveFlow&, const CollectiveFlow&) = default;
};

/// What a collective of `n` ranks and `S` bytes sends, all side by side. Ring, each rank to the next: 2 (n - 1) / n S for all_reduce,
/// (n - 1) / n S for all_gather and reduce_scatter, S for broadcast but for the hop into its root; over several nodes, each with as many
/// ranks, as many rings as a node's ranks have network cards share that, and each leaves a node from another rank. send_recv: S.
/// all_to_all: S / n from each to each other. Tree, for all_reduce: S / 2 up and down each link of two binary trees; in the first the
/// parent of rank r is r with its lowest set bit moved one up, or where there is no such rank taken away; the second is the first with the
/// ranks in reverse order, so that a rank is a leaf of at most one where n is even (Sanders, Speck, Träff, "Two-tree algorithms for full
/// bandwidth broadcast, reduction and scan", 2009).
std::vector<CollectiveFlow> collective_flows(const Collective& collective, const Devices& devices);

/// Beside those: Collectives::latency, and for each step Collectives::step and the latency of its way. Steps of the ring: 2 (n - 1) for
/// all_reduce, n - 1 for all_gather, reduce_scatter and broadcast; of trees twice the deepest rank's way to the top; one for the others.
Nanoseconds collective_latency(const Machine& machine, const Collective& collective, bool in_graph);

/// What the busiest device's bytes take, to its own node or to others, at all of the way's bandwidth.
Nanoseconds busiest_way(const Machine& machine, const Collective& collective);

/// Cores that a rank of that many bytes takes while the collective runs: a block for each Collectives::block_bytes, of which there is one
/// at least and Collectives::blocks at most.
/// `most`: Design::collective_blocks, in place of the machine's number unless it is 0.
int rank_blocks(const Machine& machine, std::int64_t bytes, int most = 0);

/// Bytes a nanosecond that a rank sends at most with Collective::blocks: as many times what one block reads of another device's memory.
/// That a block of a collective sends as fast is assumed. 0 for no limit: it has its machine's blocks, or the machine states no
/// peers.core_read_bandwidth.
double sending_limit(const Machine& machine, const Collective& collective);
/// What the rank that sends the most bytes takes at that limit; 0 where there is none.
Nanoseconds sending_time(const Machine& machine, const Collective& collective);

/// What moving a byte within a device costs a rank over what sending it does: as the tables of two H100 have it for 64 to 128 MiB, by
/// all_reduce, all_gather and reduce_scatter 0.41, 0.45 and 0.51 of send_recv.
inline constexpr double kReceiveShare = 0.45;

/// How the flows of a collective use the links.
struct LinkUse {
  double bytes = 0;  ///< that each byte of collective_flows takes up of a link; 0 where nothing is in flight
  /// A flow's rate over its bytes, 1/ns, at most: so much that the collective, with all links to itself, takes the latency and then until
  /// its flows have passed. 0 for no limit but the links.
  double pace = 0;
};

/// With all links to itself a collective of one node takes the latency and then what is measured beyond that, where it was measured, else
/// its bytes at Collectives::efficiency of the links. What of that the links are taken up is what messages take of them, a byte
/// (message_ns): the rest of the time they are free for others. Where no message was measured, and over several nodes, they are taken up
/// all of it. Nothing is in flight where the measured time is no longer than the latency.
LinkUse link_use(const Machine& machine, const Collective& collective, bool in_graph);

/// With all links to itself: as measured_collective has it (collective_times.hpp), else the latency and the busiest device's bytes over its
/// slowest way; with fewer blocks no less than the latency and sending_time.
Nanoseconds collective_alone(const Machine& machine, const Collective& collective, bool in_graph);

}  // namespace tasktwin
