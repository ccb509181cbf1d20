#include "models/policies/round_robin.hpp"

#include <array>

#include "models/error.hpp"

namespace tasktwin {

FrozenSchedule schedule_round_robin(const StaticInputs& inputs) {
  std::array<std::vector<std::size_t>, kCoreTypeCount> workers_of_type;
  for (std::size_t w = 0; w < inputs.workers.size(); ++w) workers_of_type[static_cast<std::size_t>(inputs.workers[w])].push_back(w);

  FrozenSchedule schedule(inputs.workers.size());
  std::array<std::size_t, kCoreTypeCount> next{};
  for (const TaskId task : inputs.graph.topological_order()) {
    const auto type = static_cast<std::size_t>(inputs.graph[task].core_type);
    const auto& workers = workers_of_type[type];
    if (workers.empty()) throw InputError("task '" + std::string(inputs.graph.name(task)) + "' needs a core type that no worker has");
    schedule[workers[next[type]++ % workers.size()]].push_back(task);
  }
  return schedule;
}

}  // namespace tasktwin
