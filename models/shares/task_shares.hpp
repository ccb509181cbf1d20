#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/design/core_shares.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// The share of the cores (models/design/core_shares.hpp) that each task of a graph runs on: under sets that of the first that names it.
class TaskShares {
 public:
  /// Contract: both outlive this; check_design has passed.
  TaskShares(const TaskGraph& graph, const Design& design);

  /// How many cores of their types the tasks may use, of the one that has the fewest.
  int fewest_cores(const Machine& machine, std::span<const TaskId> tasks) const;

  int of(TaskId task) const { return set_of_.empty() ? share_of(design_, graph_[task].kernel) : static_cast<int>(set_of_[index(task)]); }

 private:
  const TaskGraph& graph_;
  const Design& design_;
  std::vector<std::uint8_t> set_of_;  ///< by TaskId; empty where the design has no sets
};

/// Why the sets of `design` cannot be for this graph: one names no task, or tasks have no cores left. nullopt where they can.
std::optional<std::string> sets_fault(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin
