#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/engine/run_context.hpp"
#include "sim/graph/graph_nodes.hpp"
#include "sim/graph/overlap.hpp"

namespace tasktwin::sim {

/// The two serial steps in which a device brings nodes to start: the first takes up ends of nodes, the second starts what has become ready.
class NodeSteps {
 public:
  /// Contract: `nodes` outlives this.
  NodeSteps(const WiringInputs& inputs, const GraphNodes& nodes);

  void begin();

  /// When `node` starts, which from `now` on nothing else holds back since `before`, the last that it waited for, has ended.
  TimePoint start(std::uint32_t node, std::uint32_t before, TimePoint now);
  /// The device takes up what the host launches before all ends that wait.
  void start_root(std::uint32_t node, TimePoint now);
  /// The body of a conditional node is started at `at`.
  void start_body(std::uint32_t node, TimePoint at) { occupy(front_end(node), at); }
  /// `releases`: whether the node's end has made others ready.
  void ended(std::uint32_t node, bool releases, TimePoint now);

 private:
  struct FrontEnd {
    TimePoint next_end{};  ///< the first step can take up another end
    TimePoint free{};      ///< the second step can start another node
  };

  FrontEnd& front_end(std::uint32_t node) { return front_ends_[static_cast<std::size_t>(nodes_.plan()[node].device)]; }
  void occupy(FrontEnd& its, TimePoint from) const { its.free = std::max(its.free, from) + service_; }
  Duration release_time(std::uint32_t node) const;

  const GraphNodes& nodes_;
  Duration service_;
  Duration fetch_;
  Duration release_among_;
  std::vector<FrontEnd> front_ends_;  ///< by device
  Overlap overlap_;
  std::vector<bool> overlapped_;     ///< by node: three layers or more were in flight when it ended
  std::vector<TimePoint> taken_up_;  ///< by node: when its end was, if that made others ready
};

}  // namespace tasktwin::sim
