#pragma once

#include <string>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin::scenarios {

/// Makes a graph over devices 0 to `devices` - 1: the same kernel on each, and collectives over all.
class OverDevices {
 public:
  /// Of one kind of task, on each device.
  using Each = std::vector<TaskId>;

  explicit OverDevices(int devices) : devices_(devices) {}

  int devices() const { return devices_; }
  TaskGraphBuilder& builder() { return builder_; }

  /// Called `name`, '@' and the device.
  TaskId add(const std::string& name, Task task, int device, const TaskTraits& traits = {});
  Each add_everywhere(const std::string& name, const Task& task, const TaskTraits& traits = {});
  Each add_collective(const std::string& name, Operation operation, std::int64_t bytes, std::int32_t layer, int stream = 0);
  /// Device by device.
  void join(const Each& before, const Each& after);

 private:
  int devices_;
  std::int32_t collectives_ = 0;
  TaskGraphBuilder builder_;
};

/// A kernel that spins for `time` in each of `blocks` blocks, or where `bytes` is not 0 reads that many in each.
Task device_kernel(Duration time, std::int64_t bytes, std::int32_t layer);

}  // namespace tasktwin::scenarios
