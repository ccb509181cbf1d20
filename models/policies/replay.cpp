#include "models/policies/built_in.hpp"

#include <algorithm>

#include "models/base/error.hpp"
#include "models/graph/events.hpp"

namespace tasktwin {

FrozenSchedule replay(const StaticInputs& inputs) {
  const TaskGraph& graph = inputs.graph;
  const auto refuse = [](const std::string& why) { throw InputError("placement 'replay': " + why); };
  const auto quoted = [&graph](TaskId task) { return "'" + std::string(graph.name(task)) + "'"; };
  if (inputs.replayed == nullptr) refuse("no timeline is given (from C++ RunOptions::replayed, from Python the parameter replayed)");
  const std::vector<TaskTimes>& tasks = inputs.replayed->tasks;
  if (tasks.size() != graph.size()) {
    refuse("the timeline is of " + std::to_string(tasks.size()) + " tasks, the graph has " + std::to_string(graph.size()));
  }

  for (const TaskId task : graph.topological_order()) {
    if (is_event(graph[task])) continue;  // which no core runs
    const TaskTimes& times = tasks[index(task)];
    if (times.core == kNoCore || !is_present(times.started)) refuse("the timeline has no start of task " + quoted(task));
    if (index(times.core) >= inputs.workers) {
      refuse("task " + quoted(task) + " ran on core " + std::to_string(index(times.core)) + ", but there are cores 0 to " +
             std::to_string(inputs.workers - 1) + " only");
    }
    if (inputs.cost(task, index(times.core)) < 0) {
      refuse("task " + quoted(task) + " ran on core " + std::to_string(index(times.core)) + ", which is not of a type that can run it");
    }
    for (const TaskId before : graph.predecessors(task)) {
      if (!is_event(graph[before]) && tasks[index(before)].started > times.started) {
        refuse("in the timeline task " + quoted(task) + " started before its predecessor " + quoted(before));
      }
    }
  }

  std::vector<TaskId> order = graph.topological_order();
  std::erase_if(order, [&graph](TaskId task) { return is_event(graph[task]); });
  std::ranges::stable_sort(order, {}, [&tasks](TaskId task) { return tasks[index(task)].started; });
  FrozenSchedule schedule(inputs.workers);
  for (const TaskId task : order) schedule[index(tasks[index(task)].core)].push_back(task);
  return schedule;
}

}  // namespace tasktwin
