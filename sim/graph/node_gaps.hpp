#pragma once

#include <cstdint>

#include "sim/engine/run_context.hpp"
#include "sim/graph/graph_nodes.hpp"

namespace tasktwin::sim {

/// How long after the end of a node those after it may continue.
class NodeGaps {
 public:
  /// Contract: `nodes` outlives this.
  NodeGaps(const WiringInputs& inputs, const GraphNodes& nodes);

  /// After the end of `before`, the last node that `node` waits for, as far as that depends on the two.
  Duration between(std::uint32_t before, std::uint32_t node) const;
  /// By how much later `follower` sees the end of `node` for being on another device.
  Duration farther(std::uint32_t node, std::uint32_t follower) const;

 private:
  Operation operation(std::uint32_t node) const { return graph_[nodes_.task(node)].operation; }

  const TaskGraph& graph_;
  const GraphNodes& nodes_;
  Nanoseconds gap_;
  Nanoseconds programmatic_gap_;
  Duration memset_gap_;
  Nanoseconds hop_;    ///< to another device
  Nanoseconds leave_;  ///< added after a rank of a collective
  bool several_;       ///< whether the machine has several devices
};

}  // namespace tasktwin::sim
