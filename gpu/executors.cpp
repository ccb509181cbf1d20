#include "gpu/executors.hpp"

#include <stdexcept>

#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

std::unique_ptr<Executor> make_executor(const ExecutorInputs& inputs) {
  static_assert(in_order_of_ids(kRuntimeExecutors));
  const RuntimeExecutor& entry = kRuntimeExecutors[static_cast<std::size_t>(runtime_of(inputs.design).id)];
  const RuntimeExecutor::Make make = inputs.machine.devices.count() > 1 ? entry.on_several : entry.on_one_device;
  if (make == nullptr) throw std::logic_error("a runtime without an executor");
  return make(inputs);
}

}  // namespace tasktwin::gpu
