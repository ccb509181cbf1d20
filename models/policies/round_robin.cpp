#include "models/policies/round_robin.hpp"

#include <map>

namespace tasktwin {

FrozenSchedule round_robin(const StaticInputs& inputs) {
  std::map<std::vector<std::size_t>, std::size_t> dealt;  // tasks so far, by the workers that can run them
  std::vector<std::size_t> able;
  FrozenSchedule schedule(inputs.workers);
  for (const TaskId task : inputs.graph.topological_order()) {
    able.clear();
    for (std::size_t w = 0; w < inputs.workers; ++w) {
      if (inputs.cost(task, w) >= 0) able.push_back(w);
    }
    schedule[able[dealt[able]++ % able.size()]].push_back(task);
  }
  return schedule;
}

}  // namespace tasktwin
