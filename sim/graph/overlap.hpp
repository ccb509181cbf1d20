#pragma once

#include <algorithm>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/policies/layers.hpp"

namespace tasktwin::sim {

/// Whether nodes of three layers or more end among each other. (Where it is two, as random layers end up, the device keeps up with them as
/// with one.)
class Overlap {
 public:
  /// `ends_in_order`: GraphLaunch::ends_in_order.
  Overlap(const TaskGraph& graph, int ends_in_order) : layers_(layers_of(graph)), ends_in_order_(ends_in_order), in_order_(ends_in_order) {}

  void begin() {
    furthest_ = 0;
    in_order_ = ends_in_order_;
  }
  void ended(TaskId task) {
    const std::size_t layer = layers_[index(task)];
    in_order_ = layer + 1 < furthest_ ? 0 : in_order_ + 1;
    furthest_ = std::max(furthest_, layer);
  }
  bool seen() const { return in_order_ < ends_in_order_; }

 private:
  std::vector<std::size_t> layers_;  ///< by TaskId
  std::size_t furthest_ = 0;         ///< layer of which a node has ended
  int ends_in_order_;
  int in_order_;  ///< ends since the last one of a layer before the one before that
};

}  // namespace tasktwin::sim
