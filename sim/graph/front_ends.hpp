#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/run_context.hpp"
#include "sim/graph/graph_nodes.hpp"

namespace tasktwin::sim {

/// What brings the nodes of a graph to start, one a device: a server that starts one node after the other, the tasks' as the device's own
/// (Telling::kByNode), first come, first served; and beside it steps in which successors learn of an end one by one.
class FrontEnds {
 public:
  /// Contract: `nodes` outlives this.
  FrontEnds(const WiringInputs& inputs, const GraphNodes& nodes);

  void begin();

  /// When a node starts that from `now` on nothing else holds back: `node`, or the device's own after it.
  TimePoint start(std::uint32_t node, TimePoint now);
  /// `node` starts at `at` without a turn: the host launches it, or it is the body of a conditional node.
  void start_at(std::uint32_t node, TimePoint at) { start(node, at); }

  /// When the next successor of `node` learns of its end, if it could from `now` on.
  TimePoint pass(std::uint32_t node, TimePoint now);

 private:
  struct FrontEnd {
    TimePoint free{};     ///< it can start another node
    TimePoint passing{};  ///< it can begin another step
  };

  FrontEnd& of(std::uint32_t node) { return all_[static_cast<std::size_t>(nodes_.plan()[node].device)]; }

  const GraphNodes& nodes_;
  Duration service_;
  Duration pass_;
  Duration pass_service_;
  std::vector<FrontEnd> all_;  ///< by device
};

}  // namespace tasktwin::sim
