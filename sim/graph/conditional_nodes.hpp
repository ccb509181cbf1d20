#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/run_context.hpp"
#include "sim/graph/graph_nodes.hpp"

namespace tasktwin::sim {

/// When the device looks at conditional nodes, and sees that they have ended: docs/model/conditional_nodes.md.
class ConditionalNodes {
 public:
  /// Contract: `nodes` outlives this.
  ConditionalNodes(const WiringInputs& inputs, const GraphNodes& nodes);

  bool has(std::uint32_t node) const;

  /// A replay begins.
  void begin();
  /// The node has set its value at `now`; when the device looks at it.
  TimePoint decide(std::uint32_t node, TimePoint now);
  /// After that look, where there is a body and where there is none.
  TimePoint entered(TimePoint looked_at) const { return looked_at + round_ns(times_.enter); }
  TimePoint skipped(TimePoint looked_at) const { return looked_at + round_ns(times_.skip); }
  /// A body has ended at `now`; when the end of its node is there to be seen.
  TimePoint leave(TimePoint now);
  /// When the device sees an end that is there to be seen from `now` on.
  TimePoint see_end(TimePoint now);

 private:
  Duration round() const;
  TimePoint look(TimePoint time) const;

  const TaskGraph& graph_;
  const GraphNodes& nodes_;
  const mechanism::ConditionalNodes times_;
  GraphPredicates predicates_;
  TimePoint next_look_{};    ///< the device can look at another one, and its rounds continue from there
  TimePoint next_return_{};  ///< it can take up the end of another body
  int branches_ = 0;         ///< that nodes to come open
  std::vector<bool> opens_;  ///< by node: it opens one of them
};

}  // namespace tasktwin::sim
