#include "gpu/peers/queues/peer_worker_lists.hpp"

#include "models/base/error.hpp"
#include "models/checks/list_order.hpp"

namespace tasktwin::gpu {

namespace {

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
  FrozenSchedule lists = inputs.options.lists ? *inputs.options.lists : frozen_schedule(inputs.graph, inputs.machine, inputs.design);
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
