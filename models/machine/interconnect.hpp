#pragma once

#include <cstdint>
#include <map>

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// Of the way from one device to another. Within a node it is the link of the two, or two ports of a switch; between nodes the sender's
/// network card, the tree's links up to where both meet and down again, and the receiver's card.
struct Route {
  Nanoseconds latency{};
  double bandwidth = 0;  ///< GB/s of its narrowest link, with nothing else on it
};

/// Contract: both are devices of the machine, not the same, and it has the sections: peers, and network between nodes.
Route route(const Machine& machine, int from, int to);

/// What a block takes to read its part of that many bytes of another device's memory, each of that many blocks an equal one, with nobody
/// else on the link. Those that run side by side, one a core at most, share its bandwidth. Contract: the machine has the section peers.
Duration peer_read_time(const Machine& machine, std::int64_t bytes, int blocks);

/// Bytes a nanosecond at which each of so many blocks reads another device's memory with nobody else on the link. Contract: as above.
double peer_read_rate(const Machine& machine, int blocks);

/// Of the bytes that edges from another device bring what such a task reads itself: an equal part where it is one of several, such as
/// blocks of a grid that is split, rounded up to whole bytes. A copy brings all of them, once.
std::int64_t part_from_devices(std::int64_t bytes, const TaskTraits& traits);

/// Bytes of edges into a task that it reads in another device's memory, no copy having brought them, by that device.
std::map<int, std::int64_t> remote_inputs(const TaskGraph& graph, TaskId task);

/// Links of the tree between two nodes.
int tree_links(const Devices& devices, int node, int other);

}  // namespace tasktwin
