#include "models/policies/schedule_fault.hpp"

#include <optional>
#include <vector>

namespace tasktwin {

namespace {

/// Why the tasks of the lists are not those of the graph, each on a core that can run it.
std::string places_fault(const StaticInputs& inputs, const FrozenSchedule& lists) {
  const auto quoted = [&inputs](std::size_t task) { return "task '" + std::string(inputs.graph.name(task_id(task))) + "'"; };
  std::vector<bool> placed(inputs.graph.size());
  for (std::size_t worker = 0; worker < lists.size(); ++worker) {
    const std::string core = "core " + std::to_string(worker);
    for (const TaskId id : lists[worker]) {
      const std::size_t task = index(id);
      if (task >= placed.size())
        return "the list of " + core + " has task " + std::to_string(task) + ", but the graph has " + std::to_string(placed.size());
      if (worker >= inputs.workers)
        return quoted(task) + " is on " + core + ", which does not exist; there are cores 0 to " + std::to_string(inputs.workers - 1);
      if (placed[task]) return quoted(task) + " is in the lists twice";
      placed[task] = true;
      if (inputs.cost(id, worker) < 0)
        return quoted(task) + " is on " + core + ", which is not of a type that can run it" +
               (inputs.graph.traits(id).workers ? ", or not among the workers that it names" : "");
    }
  }
  for (std::size_t task = 0; task < placed.size(); ++task) {
    if (!placed[task]) return quoted(task) + " is in no list";
  }
  return {};
}

/// Of lists that have each task once: a task that never starts.
std::string order_fault(const TaskGraph& graph, const FrozenSchedule& lists) {
  std::vector<std::size_t> missing(graph.size());
  std::vector<std::optional<TaskId>> next(graph.size());  // on its core
  for (std::size_t i = 0; i < graph.size(); ++i) missing[i] = graph.in_degree(task_id(i));
  for (const std::vector<TaskId>& list : lists) {
    for (std::size_t i = 1; i < list.size(); ++i) {
      next[index(list[i - 1])] = list[i];
      ++missing[index(list[i])];
    }
  }
  std::vector<TaskId> started;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (missing[i] == 0) started.push_back(task_id(i));
  }
  const auto met = [&](TaskId task) {
    if (--missing[index(task)] == 0) started.push_back(task);
  };
  for (std::size_t i = 0; i < started.size(); ++i) {
    for (const TaskId after : graph.successors(started[i])) met(after);
    if (const auto after = next[index(started[i])]) met(*after);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (missing[i] > 0)
      return "task '" + std::string(graph.name(task_id(i))) +
             "' can never start: on its core or before it a task comes first that waits "
             "for one after it";
  }
  return {};
}

}  // namespace

std::string schedule_fault(const StaticInputs& inputs, const FrozenSchedule& lists) {
  std::string fault = places_fault(inputs, lists);
  return fault.empty() ? order_fault(inputs.graph, lists) : fault;
}

}  // namespace tasktwin
