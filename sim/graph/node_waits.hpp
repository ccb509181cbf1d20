#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/graph/graph_nodes.hpp"
#include "sim/graph/node_gaps.hpp"

namespace tasktwin::sim {

/// What each node of a graph still waits for, and when the last of that lets it continue.
class NodeWaits {
 public:
  /// Contract: `nodes` outlives this.
  NodeWaits(const WiringInputs& inputs, const GraphNodes& nodes) : nodes_(nodes), gaps_(inputs, nodes) {}

  void begin() {
    awaited_ = untriggered_ = nodes_.degrees();
    last_before_.assign(nodes_.size(), {});
  }

  /// `follower` learns at `at` that `node`, which it waits for, has ended. When it may continue, if that was the last one.
  std::optional<TimePoint> told(std::uint32_t follower, std::uint32_t node, TimePoint at) {
    Before& last = last_before_[follower];
    const TimePoint seen = at + gaps_.farther(node, follower);
    if (seen >= last.end) last = {node, seen};
    if (--awaited_[follower] > 0) return std::nullopt;
    return last.end + gaps_.between(last.node, follower);
  }

  /// From a node's end to the start of the device's own after it, which comes as those do that it tells. Contract: there are some.
  Duration gap_behind(std::uint32_t node) const { return gaps_.between(node, nodes_.followers(node).front()); }

  /// `node` has come to its trigger. Calls comes(follower) for each that waited programmatically for it alone.
  void triggered(std::uint32_t node, auto comes) {
    for (const std::uint32_t follower : nodes_.followers(node)) {
      if (nodes_.programmatic(follower) && --untriggered_[follower] == 0) comes(follower);
    }
  }
  /// Whether all that it waits for programmatically have come to their trigger.
  bool may_come(std::uint32_t node) const { return untriggered_[node] == 0; }

 private:
  struct Before {
    std::uint32_t node = 0;
    TimePoint end = kAbsent;
  };

  const GraphNodes& nodes_;
  NodeGaps gaps_;
  std::vector<std::uint32_t> awaited_;      ///< by node: those whose end it has not learnt of
  std::vector<std::uint32_t> untriggered_;  ///< by node: those it waits for that have not come to their trigger
  std::vector<Before> last_before_;         ///< by node
};

}  // namespace tasktwin::sim
