#include "gpu/persistent/static_queues/worker_lists.hpp"

#include "models/base/error.hpp"
#include "models/checks/list_order.hpp"

namespace tasktwin::gpu {

FrozenSchedule worker_lists(const ExecutorInputs& inputs) {
  const RunOptions& options = inputs.options;
  FrozenSchedule lists = options.lists ? *options.lists : frozen_schedule(inputs.graph, inputs.machine, inputs.design, options.replayed);
  const std::size_t workers = worker_cores(inputs.design, inputs.machine).size();
  if (options.unproved_lists) {
    check_lists(inputs.graph, inputs.design, lists, workers);
  } else {
    prove_lists(inputs.graph, inputs.design, lists, workers);
  }
  lists.resize(workers);
  return lists;
}

}  // namespace tasktwin::gpu
