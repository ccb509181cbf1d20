// A schedule made before the run: tasks in topological order, each on the core that is free first, which knows nothing of what comes later.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/policies/plug_in.hpp"

using namespace tasktwin;

namespace {

FrozenSchedule first_free(const StaticInputs& inputs, const PolicyParameters&) {
  FrozenSchedule lists(inputs.workers);
  std::vector<std::int64_t> free_at(inputs.workers);
  std::vector<std::int64_t> ended(inputs.graph.size());
  for (const TaskId task : inputs.graph.topological_order()) {
    std::int64_t ready = 0;
    for (const TaskId before : inputs.graph.predecessors(task)) ready = std::max(ready, ended[index(before)]);
    std::size_t best = inputs.workers;
    for (std::size_t worker = 0; worker < inputs.workers; ++worker) {
      if (inputs.cost(task, worker) < 0) continue;  // a core of another type
      if (best == inputs.workers || free_at[worker] < free_at[best]) best = worker;
    }
    ended[index(task)] = free_at[best] = std::max(free_at[best], ready) + inputs.cost(task, best);
    lists[best].push_back(task);
  }
  return lists;
}

}  // namespace

const PolicyAbi tasktwin_policy_abi{};

void tasktwin_policies(PolicyTable& table) { table.add("first-free", MakeSchedule(first_free)); }
