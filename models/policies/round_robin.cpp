#include "models/policies/built_in.hpp"

#include <algorithm>
#include <map>

#include "models/policies/list_scheduling.hpp"

namespace tasktwin {

namespace {

/// Tasks that the same workers can run.
struct Turn {
  std::vector<std::size_t> able;
  std::size_t dealt = 0;  ///< so far
};

}  // namespace

FrozenSchedule round_robin(const StaticInputs& inputs) {
  const WorkerClasses classes = worker_classes(inputs);
  std::map<std::vector<bool>, Turn> turns;  // by the classes that can
  std::vector<bool> can(classes.first_worker.size());
  FrozenSchedule schedule(inputs.workers);
  for (const TaskId task : inputs.graph.topological_order()) {
    for (std::size_t c = 0; c < can.size(); ++c) can[c] = inputs.cost(task, classes.first_worker[c]) >= 0;
    const auto [turn, is_new] = turns.try_emplace(can);
    std::vector<std::size_t>& able = turn->second.able;
    for (std::size_t w = 0; is_new && w < inputs.workers; ++w) {
      if (can[classes.of(w)]) able.push_back(w);
    }
    schedule[able[turn->second.dealt++ % able.size()]].push_back(task);
  }
  return schedule;
}

}  // namespace tasktwin
