#include "sim/graph/node_gaps.hpp"

#include <algorithm>

#include "models/checks/mechanisms.hpp"

namespace tasktwin::sim {

namespace {

/// By how much a rank of a collective comes after the node that follows in the stream of the one that it awaits, where both can start then.
constexpr Duration kBehind{1};

bool is_memset(Operation operation) { return operation == Operation::kMemset; }

}  // namespace

NodeGaps::NodeGaps(const WiringInputs& inputs, const GraphNodes& nodes)
    : graph_(inputs.graph),
      nodes_(nodes),
      gap_(inputs.machine.graph_launch->gap),
      programmatic_gap_(
          inputs.machine.streams.or_zero_unless(inputs.design.programmatic_launch == ProgrammaticLaunch::kOn).programmatic_gap),
      memset_gap_(round_ns(inputs.machine.copies.or_zero_unless(first_task(inputs.graph, is_memset).has_value()).engine_gap)),
      hop_(inputs.machine.peers.or_zero_unless(inputs.graph.devices() > 1).graph_hop),
      leave_(inputs.machine.collectives.or_zero_unless(inputs.graph.has_collectives()).graph_leave),
      several_(inputs.machine.devices.count() > 1) {}

/// An engine of copies sets a memset's bytes; what is between two copies to other devices is in peers.copy_setup.
Duration NodeGaps::between(std::uint32_t before, std::uint32_t node) const {
  const Operation first = operation(before);
  const Operation then = operation(node);
  if (is_memset(first) && !is_memset(then)) return memset_gap_;
  if (several_ && first == Operation::kCopyP2p && then == Operation::kCopyP2p) return Duration{0};
  const Nanoseconds leave = is_collective(first) && !is_collective(then) ? leave_ : Nanoseconds{0};
  const bool comes_behind = !is_collective(first) && is_collective(then) && nodes_.plan()[before].stream != nodes_.plan()[node].stream;
  return round_ns(leave + (nodes_.programmatic(node) ? programmatic_gap_ : gap_)) + (comes_behind ? kBehind : Duration{0});
}

Duration NodeGaps::farther(std::uint32_t node, std::uint32_t follower) const {
  if (nodes_.plan()[node].device == nodes_.plan()[follower].device) return Duration{0};
  return std::max(Duration{0}, round_ns(hop_) - between(node, follower));
}

}  // namespace tasktwin::sim
