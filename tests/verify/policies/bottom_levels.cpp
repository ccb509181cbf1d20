// The task order `critical_path`, as a policy from outside.
#include <algorithm>
#include <ranges>

#include "models/policies/plug_in.hpp"

using namespace tasktwin;

const PolicyAbi tasktwin_policy_abi{};

void tasktwin_rank_tasks(const PolicyInputs& inputs, std::vector<double>& ranks) {
  ranks.resize(inputs.graph.size());
  for (const TaskId task : inputs.graph.topological_order() | std::views::reverse) {
    for (const TaskId next : inputs.graph.successors(task)) ranks[index(task)] = std::min(ranks[index(task)], ranks[index(next)]);
    ranks[index(task)] -= static_cast<double>(inputs.durations[index(task)].count());
  }
}
