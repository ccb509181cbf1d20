#include "models/graph/kernel_labels.hpp"

namespace tasktwin {

KernelLabels::KernelLabels(const TaskGraph& graph) : graph_(graph) {
  for (const auto& [kernel, word] : Words<Kernel>::entries) names_.push_back(word);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!is_named_apart(task_id(i))) continue;
    const std::string_view name = graph.kernel_name(task_id(i));
    if (apart_.emplace(name, names_.size()).second) names_.push_back(name);
  }
}

bool KernelLabels::is_named_apart(TaskId task) const { return is_own(graph_[task].kernel) || !graph_.traits(task).kind.empty(); }

std::size_t KernelLabels::of(TaskId task) const {
  return is_named_apart(task) ? apart_.at(graph_.kernel_name(task)) : static_cast<std::size_t>(graph_[task].kernel);
}

}  // namespace tasktwin
