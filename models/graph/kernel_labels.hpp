#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// The labels that distinguish bodies in pictures (TaskGraph::kernel_name), numbered: the kernels of the project, by Kernel, and after them
/// the scenario's own and the kinds of its tasks, in the order in which they first occur. Contract: the graph outlives this.
class KernelLabels {
 public:
  explicit KernelLabels(const TaskGraph& graph);

  std::size_t count() const { return names_.size(); }
  std::string_view name(std::size_t label) const { return names_[label]; }
  std::size_t of(TaskId task) const;

 private:
  bool is_named_apart(TaskId task) const;

  const TaskGraph& graph_;
  std::vector<std::string_view> names_;
  std::map<std::string_view, std::size_t> apart_;  ///< of those after the project's kernels
};

}  // namespace tasktwin
