#include "scenarios/generators/parts/over_devices.hpp"

#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

TaskId OverDevices::add(const std::string& name, Task task, int device, const TaskTraits& traits) {
  task.device = device;
  task.traits = builder_.add_traits(traits);
  return builder_.add_task(name + "@" + std::to_string(device), task);
}

OverDevices::Each OverDevices::add_everywhere(const std::string& name, const Task& task, const TaskTraits& traits) {
  Each each;
  for (int device = 0; device < devices_; ++device) each.push_back(add(name, task, device, traits));
  return each;
}

OverDevices::Each OverDevices::add_collective(const std::string& name, Operation operation, std::int64_t bytes, std::int32_t layer,
                                              int stream) {
  const Task rank{
      .cost = {.bytes = {bytes}}, .args = {0, ++collectives_}, .layer = layer, .kernel = Kernel::kEmpty, .operation = operation};
  return add_everywhere(name, rank, {.stream = stream});
}

void OverDevices::join(const Each& before, const Each& after) {
  for (std::size_t device = 0; device < before.size(); ++device) builder_.add_edge(before[device], after[device]);
}

Task device_kernel(Duration time, std::int64_t bytes, std::int32_t layer) {
  if (bytes > 0) return Body{.kernel = Kernel::kStream, .cost = {.bytes = {bytes}}}.task(layer);
  return Body{.cost = {.time = time}}.task(layer);
}

}  // namespace tasktwin::scenarios
