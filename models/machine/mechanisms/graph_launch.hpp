#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// CUDA graphs: launching, running, updating and instantiating them.
struct GraphLaunch {
  Nanoseconds launch{};
  Nanoseconds per_node{};
  Nanoseconds per_leaf{};
  Nanoseconds per_root{};
  Nanoseconds per_inner{};
  Nanoseconds between{};
  Nanoseconds per_edge{};
  Nanoseconds inner_growth{};
  Nanoseconds root_growth{};
  Nanoseconds latency{};
  Nanoseconds gap{};
  Nanoseconds service{};
  Nanoseconds pass{};
  Nanoseconds pass_service{};
  Nanoseconds fetch{};
  Nanoseconds replay_gap{};
  Nanoseconds set_node{};
  Nanoseconds update_per_node{};
  Nanoseconds instantiate_per_node{};
  Nanoseconds reference_launch{};
  int near_nodes = 0;
  int node_successors = 0;

  /// How many times a graph of that many nodes is twice as large as one whose data stay near the host's core.
  double doublings(std::size_t nodes) const {
    return nodes > 0 ? std::max(0.0, std::log2(static_cast<double>(nodes) / static_cast<double>(near_nodes))) : 0;
  }

  static constexpr auto fields() {
    using M = GraphLaunch;
    return std::array{
        constant<&M::launch>(Payer::kHost, "host time of one graph launch"),
        constant<&M::per_node>(Payer::kHost, "added to launch_ns by each node"),
        constant<&M::per_leaf>(Payer::kHost, "added to launch_ns by each node with predecessors and no successors"),
        constant<&M::per_root>(Payer::kHost, "added to launch_ns by each node without predecessors"),
        constant<&M::per_inner>(Payer::kHost, "added to launch_ns by each node with predecessors, where nodes run side by side"),
        constant<&M::between>(Payer::kHost, "added to per_inner_ns where the launch continues with a root that is not the last"),
        constant<&M::per_edge>(Payer::kHost, "added to launch_ns by each predecessor of a node but the first"),
        constant<&M::inner_growth>(Payer::kHost, "added to per_inner_ns by each doubling of the nodes with predecessors beyond near_nodes"),
        constant<&M::root_growth>(Payer::kHost, "added to per_root_ns by each doubling of the nodes beyond near_nodes"),
        constant<&M::latency>(Payer::kDevice, "graph launch call begun to first node start, everything idle")
            .in(CostGroup::kHost)
            .begins_with<&M::launch, &M::per_root>(),
        constant<&M::gap>(Payer::kDevice, "node end to start of the next node of a chain").in(CostGroup::kHops),
        constant<&M::service>(Payer::kDevice, "between two nodes that the device brings to start").in(CostGroup::kDispatch),
        constant<&M::pass>(Payer::kDevice, "from one successor of a node with three or more to the next, which the device tells one by one")
            .in(CostGroup::kHops),
        constant<&M::pass_service>(Payer::kDevice, "between two such steps of the device, of whatever nodes").in(CostGroup::kDispatch),
        constant<&M::fetch>(Payer::kDevice,
                            "added to gap_ns where a node of the device's own tells the successors: more than it keeps with the node, or "
                            "some that wait for what is behind different roots")
            .in(CostGroup::kHops),
        constant<&M::replay_gap>(Payer::kDevice, "last node end to first node start of the next launch, already launched")
            .in(CostGroup::kHost),
        constant<&M::set_node>(Payer::kHost, "host time of setting one graph node's parameters"),
        constant<&M::update_per_node>(Payer::kHost, "host time of updating a graph in place, a node"),
        constant<&M::instantiate_per_node>(Payer::kHost, "host time of instantiating and uploading a graph, a node"),
        constant<&M::reference_launch>(
            Payer::kHost, "host time of launching a graph of 32 empty nodes, when the host's other times with graphs were measured")
            .in_no_group(),
        constant<&M::near_nodes>(
            Payer::kHost,
            "nodes of a graph whose data stay near the host's core; inner_growth_ns and root_growth_ns count doublings beyond"),
        constant<&M::node_successors>(Payer::kDevice,
                                      "successors that the device keeps with a node; after a node with more, fetch_ns is paid"),
    };
  }
};

}  // namespace tasktwin::mechanism
