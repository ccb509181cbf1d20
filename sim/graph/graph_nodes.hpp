#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/design/design.hpp"
#include "models/machine/mechanisms/graph_launch.hpp"
#include "models/program/stream_plan.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/host/followers.hpp"

namespace tasktwin::sim {

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
  /// Whether they are more than the device keeps with the node.
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
  bool captured_;
  std::size_t node_successors_;
  bool programmatic_;
  std::vector<StreamLaunch> plan_;
  std::vector<std::uint32_t> degrees_;
  Followers followers_;
  std::size_t roots_ = 0;
  bool chain_ = true;
};

}  // namespace tasktwin::sim
