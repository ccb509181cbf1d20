#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/design/design.hpp"
#include "models/machine/mechanisms/graph_launch.hpp"
#include "models/program/stream_plan.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/host/followers.hpp"

namespace tasktwin::sim {

/// How a device tells a node's successors of its end.
enum class Telling : std::uint8_t {
  kAtOnce,    ///< two at most
  kOneByOne,  ///< as many as it keeps with the node: the first at once, each further one in a step of its own, the last two in one
  kByNode,    ///< by a node of its own: more than that, or one of them joins what is behind different roots
};

/// The kernel nodes of a CUDA graph, a task each, in the order in which they are added, and the edges between them. Of a captured graph
/// these are what its streams wait for; else the task graph's.
class GraphNodes {
 public:
  GraphNodes(const TaskGraph& graph, const Design& design, const mechanism::GraphLaunch& times);

  std::uint32_t size() const { return static_cast<std::uint32_t>(plan_.size()); }
  const std::vector<StreamLaunch>& plan() const { return plan_; }
  TaskId task(std::uint32_t node) const { return plan_[node].task; }

  /// How many nodes each waits for.
  const std::vector<std::uint32_t>& degrees() const { return degrees_; }
  /// Those that wait for `node`, in the order in which their edges are made.
  std::span<const std::uint32_t> followers(std::uint32_t node) const { return followers_[node]; }
  Telling telling(std::uint32_t node) const { return telling_[node]; }
  /// Whether its followers are more than the device keeps with it, which it then comes to from the last to the first.
  bool fetched(std::uint32_t node) const { return followers_[node].size() > node_successors_; }

  /// Whether it comes programmatically.
  bool programmatic(std::uint32_t node) const { return programmatic_ && (!captured_ || plan_[node].programmatic); }

  std::size_t roots() const { return roots_; }
  /// Whether all nodes are one after the other.
  bool chain() const { return chain_; }

  /// A root, and the nodes that have no other predecessors left once it and the roots before it are left out, theirs not counted.
  struct Root {
    std::uint32_t node = 0;
    std::size_t behind = 0;
    std::size_t joins = 0;  ///< edges to those nodes beyond one each
  };
  std::vector<Root> roots_in_order() const;

 private:
  /// Predecessors' roots, as far as the edges that were looked at lead to them.
  struct Behind {
    std::uint32_t first = 0;  ///< by place among the roots
    std::uint32_t last = 0;   ///< the node follows this one
    bool meets() const { return first != last; }
  };

  void place_behind_roots(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges);
  Telling how_told(std::uint32_t node) const;

  bool captured_;
  std::size_t node_successors_;
  bool programmatic_;
  std::vector<StreamLaunch> plan_;
  std::vector<std::uint32_t> degrees_;
  Followers followers_;
  std::vector<Behind> behind_;  ///< by node
  std::vector<Telling> telling_;
  std::size_t roots_ = 0;
  bool chain_ = true;
};

}  // namespace tasktwin::sim
