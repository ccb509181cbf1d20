#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/graph/graph_nodes.hpp"
#include "sim/graph/node_gaps.hpp"

namespace tasktwin::sim {

/// What each node of a graph still waits for, and when the last of that lets it continue. Those after a node with more followers than the
/// device keeps with it are fetched first, and then told from the last edge to the first.
class NodeWaits {
 public:
  /// Contract: `nodes` outlives this.
  NodeWaits(const WiringInputs& inputs, const GraphNodes& nodes)
      : nodes_(nodes), gaps_(inputs, nodes), fetch_(round_ns(inputs.machine.graph_launch->fetch)) {}

  void begin() {
    awaited_ = untriggered_ = nodes_.degrees();
    last_before_.assign(nodes_.size(), {});
  }

  /// Those behind `node` see its end at `end`. Calls ready(follower, time) for each that waited for it alone; whether there are any.
  bool ended(std::uint32_t node, TimePoint end, auto ready) {
    const std::span<const std::uint32_t> followers = nodes_.followers(node);
    const bool fetched = nodes_.fetched(node);
    bool releases = false;
    for (std::size_t i = 0; i < followers.size(); ++i) {
      const std::uint32_t follower = followers[fetched ? followers.size() - 1 - i : i];
      Before& last = last_before_[follower];
      const TimePoint seen = end + gaps_.farther(node, follower);
      if (seen >= last.end) last = {node, seen};
      if (--awaited_[follower] > 0) continue;
      const Duration fetch = nodes_.fetched(last.node) ? fetch_ : Duration{0};
      ready(follower, last.end + fetch + gaps_.between(last.node, follower));
      releases = true;
    }
    return releases;
  }
  /// Of those that `node` waits for the one whose end it saw last.
  std::uint32_t last_before(std::uint32_t node) const { return last_before_[node].node; }

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
  Duration fetch_;
  std::vector<std::uint32_t> awaited_;      ///< by node: those it waits for that have not ended
  std::vector<std::uint32_t> untriggered_;  ///< by node: those it waits for that have not come to their trigger
  std::vector<Before> last_before_;         ///< by node
};

}  // namespace tasktwin::sim
