#include "gpu/peers/peer_worker_lists.hpp"

#include <algorithm>
#include <utility>

#include "models/error.hpp"
#include "models/list_order.hpp"

namespace tasktwin::gpu {

namespace {

/// A device's tasks and the edges among them.
struct Part {
  TaskGraph graph;
  std::vector<TaskId> tasks;  ///< of the whole graph, by TaskId of the part
};

Part part_of(const TaskGraph& graph, int device) {
  TaskGraphBuilder builder;
  Part part;
  std::vector<TaskId> inside(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[task_id(i)].device != device) continue;
    Task task = graph[task_id(i)];
    task.traits = builder.add_traits(graph.traits(task_id(i)));
    inside[i] = builder.add_task(graph.name(task_id(i)), task);
    part.tasks.push_back(task_id(i));
  }
  for (const TaskId task : part.tasks) {
    for (const TaskId before : graph.predecessors(task)) {
      if (graph[before].device == device) builder.add_edge(inside[index(before)], inside[index(task)]);
    }
  }
  part.graph = std::move(builder).build();
  return part;
}

/// A device's placement knows nothing of edges that cross: by the whole graph's order no list waits for itself by way of another device.
FrozenSchedule placed_lists(const ExecutorInputs& inputs, std::size_t workers) {
  std::vector<std::size_t> position(inputs.graph.size());
  for (std::size_t at = 0; const TaskId task : inputs.graph.topological_order()) position[index(task)] = at++;
  FrozenSchedule all;
  Machine one = inputs.machine;
  one.devices = {};
  for (int device = 0; device < inputs.machine.devices.count(); ++device) {
    const Part part = part_of(inputs.graph, device);
    FrozenSchedule lists = part.tasks.empty() ? FrozenSchedule{} : frozen_schedule(part.graph, one, inputs.design);
    lists.resize(workers);
    for (std::vector<TaskId>& list : lists) {
      for (TaskId& task : list) task = part.tasks[index(task)];
      std::ranges::sort(list, {}, [&position](TaskId task) { return position[index(task)]; });
      all.push_back(std::move(list));
    }
  }
  return all;
}

void check_places(const ExecutorInputs& inputs, const FrozenSchedule& lists, std::size_t workers) {
  for (std::size_t worker = 0; worker < lists.size(); ++worker) {
    for (const TaskId task : lists[worker]) {
      const auto device = static_cast<std::int32_t>(worker / workers);
      if (inputs.graph[task].device == device) continue;
      throw InputError("task '" + std::string(inputs.graph.name(task)) + "' is for device " + std::to_string(inputs.graph[task].device) +
                       ", but stands in the list of a worker of device " + std::to_string(device));
    }
  }
}

}  // namespace

FrozenSchedule peer_worker_lists(const ExecutorInputs& inputs) {
  const std::size_t workers = worker_cores(inputs.design, inputs.machine).size();
  const std::size_t all = workers * static_cast<std::size_t>(inputs.machine.devices.count());
  FrozenSchedule lists = inputs.options.lists ? *inputs.options.lists : placed_lists(inputs, workers);
  if (inputs.options.unproved_lists) {
    check_lists(inputs.graph, inputs.design, lists, all);
  } else {
    prove_lists(inputs.graph, inputs.design, lists, all);
  }
  lists.resize(all);
  check_places(inputs, lists, workers);
  return lists;
}

}  // namespace tasktwin::gpu
